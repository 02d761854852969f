#pragma once

#include <filesystem>
#include <vector>

namespace headlight::ui {

// Reads a TrueType or OpenType font and verifies its checksums, because the glyph renderer trusts
// its contents. Throws std::runtime_error, "FILE: expected …, found …".
std::vector<unsigned char> read_font(const std::filesystem::path& path);

// Ascent plus descent of such a font, in em. Dear ImGui's font sizes are larger than the em by this
// factor.
float height_in_em(const std::vector<unsigned char>& font);

}  // namespace headlight::ui
