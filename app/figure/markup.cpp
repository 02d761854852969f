#include "figure/markup.h"

#include <fmt/format.h>

#include "ui/utf8.h"

namespace headlight::figure {

std::string escaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto [point, letter, valid] = ui::cut_letter(text);
        if (!valid)
            out += "\uFFFD";
        else if (letter == "&")
            out += "&amp;";
        else if (letter == "<")
            out += "&lt;";
        else if (letter == ">")
            out += "&gt;";
        else if (letter == "\"")
            out += "&quot;";
        else
            out += point < 0x20 && letter != "\n" && letter != "\t" ? " " : letter;
    }
    return out;
}

std::string hex_color(ImU32 color) {
    return fmt::format("#{:02x}{:02x}{:02x}", color >> IM_COL32_R_SHIFT & 255,
                       color >> IM_COL32_G_SHIFT & 255, color >> IM_COL32_B_SHIFT & 255);
}

}  // namespace headlight::figure
