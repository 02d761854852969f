#include "platform/fonts.h"

#include <fmt/format.h>

#include <vector>

#include "assets/assets.h"
#include "state/first_state.h"

namespace headlight::app {

ui::FontPaths font_paths() {
    const assets::FontFiles& fonts = assets::fonts();
    return {fonts.regular, fonts.semibold, fonts.mono, fonts.math, fonts.cjk, fonts.italic};
}

std::string missing_files(const ui::Fonts& fonts) {
    std::string text = missing_assets();
    const std::vector<std::string>& trouble = fonts.trouble();
    if (trouble.empty()) return text;
    if (!text.empty()) text += ' ';
    text += trouble.front();
    if (trouble.size() > 1)
        text += fmt::format(" The same is true of {} more font{}.", trouble.size() - 1,
                            trouble.size() == 2 ? "" : "s");
    return text +
           " Headlight uses Dear ImGui's built-in font instead. To add the missing fonts, install "
           "Inter, JetBrains Mono and Noto Sans Math; on Debian and Ubuntu: apt-get install "
           "fonts-inter fonts-jetbrains-mono fonts-noto-core";
}

}  // namespace headlight::app
