#include "families/shuffled.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/random.h"

namespace headlight {

namespace {

// Not the buffers of some models, such as masks and tables of angles, which are no weights.
bool is_weight_matrix(const std::string& name, const StoredTensor& tensor) {
    const auto extents = std::ranges::count_if(tensor.shape, [](auto n) { return n > 1; });
    return is_floating_point(tensor.type) && extents >= 2 &&
           (name.ends_with("weight") || name.ends_with("kernel"));
}

// Fisher–Yates. each: bytes per number.
void shuffle(Bytes& bytes, std::size_t each, SplitMix& random) {
    const auto number = [&](std::size_t i) {
        return bytes.begin() + static_cast<std::ptrdiff_t>(i * each);
    };
    for (std::size_t i = bytes.size() / each; i > 1; --i) {
        const auto other = static_cast<std::size_t>(random.below(static_cast<int>(i)));
        if (other != i - 1) std::swap_ranges(number(i - 1), number(i), number(other));
    }
}

}  // namespace

TensorFile with_shuffled_weights(const TensorFile& file, std::uint64_t seed, const StopFlag& stop) {
    SplitMix random(seed);
    StoredTensors tensors = file.tensors();
    for (auto& [name, tensor] : tensors) {
        if (!is_weight_matrix(name, tensor)) continue;
        throw_if_stopped(stop);
        const FileBytes stored = tensor.bytes.bytes(stop);
        Bytes bytes(stored.bytes().begin(), stored.bytes().end());
        shuffle(bytes, bytes_per_number(tensor.type), random);
        tensor.bytes = std::move(bytes);
    }
    return file.with(std::move(tensors));
}

}  // namespace headlight
