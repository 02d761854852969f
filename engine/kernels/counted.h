#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headlight {

// "1 patch", "3 patches", "2 queries"; `noun` in the singular.
std::string plural(std::string_view noun);
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace headlight
