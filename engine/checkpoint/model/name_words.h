#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// The words of a tensor's name in order, in lower case:
// "target_encoder.rgbBackbone" → target, encoder, rgb, backbone; "fc1" → fc.
std::vector<std::string> words_of(std::string_view name);

inline bool is_any(std::string_view word, std::span<const std::string_view> of) {
    return std::ranges::find(of, word) != of.end();
}

}  // namespace headlight
