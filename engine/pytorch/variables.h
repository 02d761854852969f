#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "positions/positions.h"
#include "pytorch/script.h"
#include "pytorch/weight_names.h"

namespace headlight {

// Definitions of the names in the nodes' lines, and the tensors stored next to the script for them.
class Variables {
  public:
    Variables(const ScriptSource& source, PythonScript& script);

    // A Python expression for a name in a node's line; nothing if earlier lines must have bound it.
    std::optional<std::string> definition(const std::string& name, const Node& node,
                                          const Trace& trace);

    // Stores a tensor next to the script, once per name. Returns the expression that refers to it.
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
    std::optional<std::string> norm_variable(const Wanted& wanted);
    std::optional<std::string> projection_variable(const Wanted& wanted);
    std::optional<std::string> classifier_variable(const Wanted& wanted);
    std::string head_norm(const Wanted& wanted);
    std::string position_table(const Wanted& wanted);
    std::string generated_positions(const Wanted& wanted, const PositionInfo& kind);
    std::string mask(const Wanted& wanted);
    std::string put_picture();
    std::optional<std::string> picture_variable(const Wanted& wanted);
    std::optional<std::string> token_variable(const Wanted& wanted);
    std::optional<std::string> attention_variable(const Wanted& wanted);
    static std::optional<std::string> window_variable(const Windows& windows, const Trace& trace,
                                                      const std::string& name);
    static std::optional<std::string> extent(const Wanted& wanted);
    std::optional<std::string> other_weight(const Wanted& wanted);

    const ScriptSource& source_;
    PythonScript& script_;
    std::optional<WeightNames> names_;
};

}  // namespace headlight
