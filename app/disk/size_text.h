#pragma once

#include <cstdint>
#include <string>

namespace headlight {

// "999 bytes", "1.5 kB", "88 MB": decimal, as disks and the Hub count; a tenth below ten.
std::string bytes_in_words(std::uint64_t bytes);

}  // namespace headlight
