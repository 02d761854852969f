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

// A trace against the numbers of another program: how far each step is from what PyTorch gave.
namespace headlight {

// One sentence: what was expected, what was found.
class ReferenceError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The tensor of a reference that the one called `name` is held against; null: there is none. That
// is the one of the same name. Of a layer that stands alone its results may also be called without
// "layer.0.": "query".
const StoredTensors::value_type* counterpart(const StoredTensors& reference,
                                             const std::string& name, bool layer_alone);

// Where no tensor is a counterpart of anything: a file's only tensor, whatever it is called, is
// what a layer that stands alone gives, kOutputAlone; null: there is none.
inline constexpr std::string_view kOutputAlone = "layer.0.output";
const StoredTensors::value_type* only_tensor(const StoredTensors& reference, bool layer_alone);

// Extents of 1 in front do not count: PyTorch leaves out the batch of one sample.
bool same_extents(std::vector<std::int64_t> a, std::vector<std::int64_t> b);

// Rounded to float, as all is that is compared.
std::vector<float> floats_of(const StoredTensor& tensor, const StopFlag& stop = {});

// One result of the walk, beside what the reference says of it.
struct HeldResult {
    Tensor tensor = Tensor::input;
    Step step = Step::image;  // that gives it
    std::string name, other;  // in a trace's file; in the reference
    Deviation deviation;
    std::string why_not;  // one sentence where it cannot be compared; else empty
};

// What a trace is beside its numbers.
struct TraceOrigin {
    PositionKind positions = PositionKind::model;  // that were added
    // Which of how many its only sample is, where the others are in the same file: a reference may
    // have them all.
    std::int64_t sample = 0, samples = 1;

    friend bool operator==(const TraceOrigin&, const TraceOrigin&) = default;
};

// Each result of the walk that the reference has, in the order of the walk. Throws ReferenceError
// where it has none, or none of the right shape; CheckpointError; Stopped.
std::vector<HeldResult> held_against(const TensorFile& reference, const Trace& trace,
                                     const TraceOrigin& origin, const StopFlag& stop = {});

}  // namespace headlight
