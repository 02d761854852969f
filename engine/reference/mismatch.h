#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace headlight {

// A place where one of two numbers is infinite or NaN and the other is different.
struct Mismatch {
    std::size_t index = 0;
    float found = 0, expected = 0;
    std::size_t count = 0;  // number of such places; this is the first
};

// Nothing if there is no such place. Both must have equal length.
std::optional<Mismatch> first_mismatch(std::span<const float> found,
                                       std::span<const float> expected);

}  // namespace headlight
