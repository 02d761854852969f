#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headlight {

// A color picture as a PPM file, the simplest format; all its rows and columns differ.
inline std::vector<std::byte> picture(int height, int width, int seed = 0) {
    const std::string header =
        "P6 " + std::to_string(width) + " " + std::to_string(height) + " 255\n";
    std::vector<std::byte> bytes;
    for (const char c : header) bytes.push_back(static_cast<std::byte>(c));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < 3; ++c)
                bytes.push_back(
                    static_cast<std::byte>((seed + 7 * y + 13 * x + x * y * (c + 1)) % 256));
    return bytes;
}

}  // namespace headlight
