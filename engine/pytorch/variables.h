#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pytorch/script.h"
#include "pytorch/weight_names.h"

namespace headlight {

// What the names in the nodes' lines are, and what is put beside the script for it.
class Variables {
  public:
    Variables(const ScriptSource& source, PythonScript& script);

    // Python for a name that a node's line reads; nothing where lines before it must have bound it.
    std::optional<std::string> definition(const std::string& name, const Node& node,
                                          const Trace& trace);

    // Puts a tensor beside the script, once under each name; what the script calls it.
    std::string put(TensorToWrite tensor);
    std::string put(const std::string& name, std::vector<std::int64_t> shape, Matrix matrix);

  private:
    using Shape = std::vector<std::int64_t>;
    struct Wanted {
        const Node& node;
        const Trace& trace;
        std::string name;
    };

    std::string weight(const Wanted& wanted, const MatrixView& view, const Shape& shape,
                       std::span<const Index> parts = {});
    std::string row(const Wanted& wanted, const SharedResult& weight);
    std::optional<std::string> of_norm(const Wanted& wanted);
    std::optional<std::string> of_projection(const Wanted& wanted);
    std::optional<std::string> of_classifier(const Wanted& wanted);
    std::string head_norm(const Wanted& wanted);
    std::string position_table(const Wanted& wanted);
    std::string mask(const Wanted& wanted);
    std::string put_picture();
    std::optional<std::string> of_picture(const Wanted& wanted);
    std::optional<std::string> of_tokens(const Wanted& wanted);
    std::optional<std::string> of_attention(const Wanted& wanted);
    static std::optional<std::string> of_windows(const Windows& windows, const Trace& trace,
                                                 const std::string& name);
    static std::optional<std::string> extent(const Wanted& wanted);
    std::optional<std::string> other_weight(const Wanted& wanted);

    const ScriptSource& source_;
    PythonScript& script_;
    std::optional<WeightNames> names_;
};

}  // namespace headlight
