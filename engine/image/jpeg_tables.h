#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace headlight {

// What is wrong with a JPEG's tables, for "expected sound tables, found …": one of more Huffman
// codes than 256, or one that a scan needs and that is not there. Empty where nothing is, and for
// other files. stb_image 2.27 (Debian 12) writes past its own tables for the first, and reads
// memory that nobody wrote for the second. ITU-T T.81, annex B.
std::string unsound_jpeg_tables(std::span<const std::byte> file);

}  // namespace headlight
