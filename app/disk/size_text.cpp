#include "disk/size_text.h"

#include <array>
#include <charconv>
#include <cstddef>

namespace headlight {

std::string bytes_in_words(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> kUnits{"bytes", "kB", "MB", "GB", "TB"};
    auto number = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (number >= 999.5 && unit + 1 < kUnits.size()) {
        number /= 1000;
        ++unit;
    }
    std::array<char, 32> text{};
    const bool tenths = unit > 0 && number < 9.95;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                   std::chars_format::fixed, tenths ? 1 : 0);
    return std::string(text.data(), end.ptr) + " " + kUnits[unit];
}

}  // namespace headlight
