#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "files/stored_tensor.h"
#include "files/tensor_file.h"
#include "kernels/stop.h"
#include "positions/positions.h"
#include "reference/deviation.h"
#include "trace/trace.h"

// Compares a trace with the results of another program: how far each step is from PyTorch's
// numbers.
namespace headlight {

// The message is one sentence: what was expected, what was found.
class ReferenceError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The tensor of a reference that the result `name` is compared with; null: there is none. It has
// the same name. For a single layer, results may also be named without "layer.0.": "query".
const StoredTensors::value_type* counterpart(const StoredTensors& reference,
                                             const std::string& name, bool layer_alone);

// Fallback if no tensor is a counterpart: the only tensor of a file, whatever its name, is compared
// with the output of a single layer, kOutputAlone. Null: there is none.
inline constexpr std::string_view kOutputAlone = "layer.0.output";
const StoredTensors::value_type* only_tensor(const StoredTensors& reference, bool layer_alone);

// Ignores leading extents of 1, because PyTorch leaves out the batch dimension of one sample.
bool same_extents(std::vector<std::int64_t> a, std::vector<std::int64_t> b);

// Rounded to float, as everything that is compared.
std::vector<float> floats_of(const StoredTensor& tensor, const StopFlag& stop = {});

// One result of the walk, compared with the reference.
struct HeldResult {
    Tensor tensor = Tensor::input;
    Step step = Step::image;  // the step that computes it
    std::string name, other;  // its name in a trace's file; in the reference
    Deviation deviation;
    std::string why_not;  // one sentence if it cannot be compared; otherwise empty
};

// Facts about a trace besides its numbers.
struct TraceOrigin {
    PositionKind positions = PositionKind::model;  // kind that was added
    // If its only sample comes from a file with several: which of how many. The reference may
    // contain all of them.
    std::int64_t sample = 0, samples = 1;

    friend bool operator==(const TraceOrigin&, const TraceOrigin&) = default;
};

// Each result of the walk that the reference contains, in the order of the walk. Throws
// ReferenceError if there is none, or none of the right shape; CheckpointError; Stopped.
std::vector<HeldResult> held_against(const TensorFile& reference, const Trace& trace,
                                     const TraceOrigin& origin, const StopFlag& stop = {});

}  // namespace headlight
