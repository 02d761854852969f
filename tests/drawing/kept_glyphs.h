#pragma once

namespace headlight::testing {

// Drawing the letters of all fonts takes longer than most tests. With this, the current ImGui
// context takes them from an earlier context of this process that had the same font files, sizes
// and ranges.
void keep_glyphs();

}  // namespace headlight::testing
