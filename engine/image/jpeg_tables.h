#pragma once

#include <cstddef>
#include <span>

namespace headlight {

// Whether every Huffman table of a JPEG has at most 256 codes, as the format allows; true for other
// files. stb_image 2.27 (Debian 12) writes past its own tables where one claims more.
bool has_sound_jpeg_tables(std::span<const std::byte> file);

}  // namespace headlight
