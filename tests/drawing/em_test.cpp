#include <gtest/gtest.h>
#include <imgui.h>

#include <array>
#include <cstdint>
#include <string>

#include "pane.h"
#include "ui/font_file.h"

// Text sizes are em sizes, as readers and typographers measure them.
namespace headlight {
namespace {

using ui::Face;
using ui::Size;
using Bytes = std::vector<unsigned char>;

struct Style {
    const char* name;
    Face face;
    Size size;
    double least;  // em, at 96 dpi
};
constexpr std::array<Style, 9> kStyles{{{"words, small", Face::words, Size::small, 12},
                                        {"words", Face::words, Size::body, 14},
                                        {"words, large", Face::words, Size::large, 24},
                                        {"bold, small", Face::bold, Size::small, 12},
                                        {"bold", Face::bold, Size::body, 14},
                                        {"bold, large", Face::bold, Size::large, 24},
                                        {"mono, small", Face::mono, Size::small, 12},
                                        {"mono", Face::mono, Size::body, 14},
                                        {"mono, large", Face::mono, Size::large, 24}}};

int u16(const Bytes& font, std::size_t at) { return font.at(at) << 8 | font.at(at + 1); }

std::size_t table(const Bytes& font, const std::string& tag) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(u16(font, 4)); ++i) {
        const std::size_t entry = 12 + 16 * i;
        if (std::equal(tag.begin(), tag.end(), font.begin() + static_cast<std::ptrdiff_t>(entry)))
            return static_cast<std::size_t>(u16(font, entry + 8)) << 16U |
                   static_cast<std::size_t>(u16(font, entry + 10));
    }
    return 0;
}

// The height of a capital letter in em from the OS/2 table, which the sizes do not depend on.
double capital(const Bytes& font) {
    return static_cast<double>(u16(font, table(font, "OS/2") + 88)) /
           u16(font, table(font, "head") + 18);
}

TEST(Em, of_every_style_is_large_enough_and_is_what_is_drawn) {
    ImGui::CreateContext();
    const ui::FontPaths paths = testing::system_fonts();
    const std::array files{ui::read_font(paths.words), ui::read_font(paths.bold),
                           ui::read_font(paths.mono)};
    ui::Fonts fonts(paths);
    constexpr float kScale = 4;  // makes whole pixels precise enough
    fonts.build(kScale);
    for (const Style& style : kStyles) {
        SCOPED_TRACE(style.name);
        const ImFontGlyph* letter = fonts.get(style.face, style.size)->FindGlyph('H');
        const double drawn = letter->Y1 - letter->Y0;
        const double em = drawn / capital(files[static_cast<std::size_t>(style.face)]) / kScale;
        EXPECT_NEAR(em, fonts.em(style.size) / kScale, 0.7);
        EXPECT_GE(fonts.em(style.size) / kScale, style.least);
    }
    ImGui::DestroyContext();
}

}  // namespace
}  // namespace headlight
