#pragma once

#include <filesystem>
#include <vector>

namespace headlight::ui {

// A TrueType or OpenType font, whole and checked by its own checksums: what draws its letters
// trusts every number in it. Throws std::runtime_error, "FILE: expected …, found ….".
std::vector<unsigned char> read_font(const std::filesystem::path& path);

// Ascent plus descent of such a font, in em: by this Dear ImGui's sizes are larger than the em.
float height_in_em(const std::vector<unsigned char>& font);

}  // namespace headlight::ui
