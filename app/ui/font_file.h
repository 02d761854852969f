#pragma once

#include <filesystem>
#include <vector>

namespace headlight::ui {

// A TrueType or OpenType font, whole and checked by its own checksums: what draws its letters
// trusts every number in it. Throws std::runtime_error, "FILE: expected …, found ….".
std::vector<unsigned char> read_font(const std::filesystem::path& path);

}  // namespace headlight::ui
