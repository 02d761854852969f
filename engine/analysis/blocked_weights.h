#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/names.h"

// The attention weights of a row for different ways of masking. Some implementations subtract 100
// or fill in −9·10¹⁵; PyTorch's own layers fill in −∞.
namespace headlight {

enum class Blocking { minus_100, minus_9e15, minus_infinity };
template <>
inline constexpr auto kNames<Blocking> = std::to_array<std::string_view>({"minus_100", "minus_9e15",
                                                                          "minus_infinity"});

struct BlockedWeights {
    std::vector<float> weights;  // [M]; all NaN if −∞ masks every key
    double to_blocked = 0;       // total weight of the masked keys
    double sum = 0;              // of all weights; 1 up to rounding error, or NaN
};

// softmax in float32, as in torch.softmax. minus_100 is added to the masked scores; the other two
// replace them. scores, blocked: [M], M at least 1; 1 means masked.
BlockedWeights weights_blocked_by(Blocking how, std::span<const float> scores,
                                  std::span<const std::uint8_t> blocked);

}  // namespace headlight
