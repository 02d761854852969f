#pragma once

#include <cstdint>
#include <string>

namespace headlight {

// "999 bytes", "1.5 kB", "88 MB": decimal units, as disks and the Hub use; one decimal below ten.
std::string bytes_in_words(std::uint64_t bytes);

}  // namespace headlight
