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

// Writes what traces hold under the names of the tensor table, each as soon as it is there. Without
// finish() there is no file. Everything throws CheckpointError where it cannot be written.
class TraceWriter {
  public:
    // facts: what the file says of itself, as __metadata__. gradients: whether there is room for
    // those of all tensors.
    TraceWriter(const std::string& path, const Model& model,
                const std::map<std::string, std::string>& facts, bool gradients = false);

    // Up to what enters the first layer; `positions` is what was added.
    void front(const Trace& trace, const PositionChoice& positions);
    void split(const Trace& trace, int level);
    void layer(const Trace& trace);                        // the one that the trace keeps
    void end(const Trace& trace);                          // what follows the last layer
    void rollout(const std::vector<MatrixView>& samples);  // [N, N] of each
    // What follows is written as gradients: X as X.gradient. The traces hold these in the places of
    // their tensors (gradient/backward.h).
    void begin_gradients() { ending_ = ".gradient"; }
    void split(const Trace& trace, int level, const Matrix& gradient);
    // [B, C, H, W], of the pixels that the patches are cut from.
    void pixels(const std::vector<float>& numbers, const std::vector<std::int64_t>& shape);
    // Numbers that are none are no failure, for the file is what the weights say. But nobody should
    // have to find out from its last tensor, so this is one line of `warnings`.
    void finish(std::ostream& warnings);

  private:
    void say_layout(const Trace& trace);
    void write_split(const Trace& trace, int level, const MatrixView& tokens);
    void write(const Trace& trace, const NamedResult& named, const ShapedResult& result);
    void write(const Trace& trace, const std::vector<NamedResult>& results);

    SafetensorsWriter file_;
    std::string ending_;   // of the names
    std::string damaged_;  // the first tensor with NaN or an infinity
};

}  // namespace headlight::cli
