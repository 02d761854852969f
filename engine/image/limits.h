#pragma once

#include <cstdint>
#include <string>

namespace headlight {

// Throws ImageError unless both sides are at least 1 and their product is at most max_pixels.
void check_size(std::int64_t height, std::int64_t width, const std::string& name,
                std::int64_t max_pixels);

// Throws ImageError for a file that ends before its picture is complete.
[[noreturn]] void refuse_cut_short(const std::string& name);

}  // namespace headlight
