#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace headlight {

// A place where one of two numbers is infinite or no number and the other is another one.
struct Mismatch {
    std::size_t index = 0;
    float found = 0, expected = 0;
    std::size_t count = 0;  // of all such places, this one being the first
};

// Nothing where there is none. Equally many of both.
std::optional<Mismatch> first_mismatch(std::span<const float> found,
                                       std::span<const float> expected);

}  // namespace headlight
