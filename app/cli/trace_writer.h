#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "files/safetensors.h"
#include "positions/positions.h"
#include "reference/named_results.h"
#include "trace/trace.h"

namespace headlight::cli {

// Writes the tensors of traces under their names in the tensor table, each as soon as it is
// computed. Without finish() no file is created. All functions throw CheckpointError if writing
// fails.
class TraceWriter {
  public:
    // facts: the file's __metadata__. gradients: reserve space for the gradients of all tensors.
    TraceWriter(const std::string& path, const Model& model,
                const std::map<std::string, std::string>& facts, bool gradients = false);

    // Everything up to the input of the first layer; `positions` is what was added.
    void front(const Trace& trace, const PositionChoice& positions);
    void split(const Trace& trace, int level);
    void layer(const Trace& trace);                        // the one that the trace keeps
    void end(const Trace& trace);                          // everything after the last layer
    void rollout(const std::vector<MatrixView>& samples);  // [N, N] for each sample
    // From here on, writes tensors as gradients: X as X.gradient. The traces then hold gradients
    // instead of their tensors (gradient/backward.h).
    void begin_gradients() { ending_ = ".gradient"; }
    void split(const Trace& trace, int level, const Matrix& gradient);
    // [B, C, H, W]: the pixels that patches are cut from.
    void pixels(const std::vector<float>& numbers, const std::vector<std::int64_t>& shape);
    // NaN and infinite values are no error, because the weights produce them. To make them noticed
    // early, this prints one line to `warnings`.
    void finish(std::ostream& warnings);

  private:
    void say_layout(const Trace& trace);
    void write_split(const Trace& trace, int level, const MatrixView& tokens);
    void write(const Trace& trace, const NamedResult& named, const ShapedResult& result);
    void write(const Trace& trace, const std::vector<NamedResult>& results);

    SafetensorsWriter file_;
    std::string ending_;   // suffix of the names
    std::string damaged_;  // the first tensor with NaN or infinity
};

}  // namespace headlight::cli
