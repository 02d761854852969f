#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <vector>

#include "pane.h"
#include "tests/scratch_folder.h"
#include "ui/font_file.h"
#include "ui/paint.h"
#include "ui/utf8.h"
#include "walks.h"

// Missing, invalid or damaged fonts give an error message, and text is still drawn.
namespace headlight {
namespace {

namespace fs = std::filesystem;
using testing::Desk;
using testing::Pane;

class FontFiles : public ::testing::Test {
  protected:
    void SetUp() override { whole_ = ui::read_font(assets::fonts().regular); }

    fs::path write(const std::vector<unsigned char>& bytes) {
        const fs::path path = folder_ / "font.otf";
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        return path;
    }
    std::string refusal(const std::vector<unsigned char>& bytes) {
        const fs::path path = write(bytes);
        try {
            ui::read_font(path);
        } catch (const std::runtime_error& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with(path.string())) << error.what();
            return error.what();
        }
        return "";
    }

    ScratchFolder scratch_;
    const fs::path folder_ = scratch_.path();
    std::vector<unsigned char> whole_;
};

TEST_F(FontFiles, of_the_system_are_whole) {
    const assets::FontFiles& fonts = assets::fonts();
    for (const fs::path& path :
         {fonts.regular, fonts.semibold, fonts.italic, fonts.mono, fonts.math})
        EXPECT_NO_THROW(ui::read_font(path)) << path;
}

TEST_F(FontFiles, that_were_cut_off_are_refused) {
    for (std::size_t size = 12; size < whole_.size(); size += whole_.size() / 40)
        EXPECT_NE(refusal({whole_.begin(), whole_.begin() + static_cast<std::ptrdiff_t>(size)})
                      .find("found a damaged one"),
                  std::string::npos)
            << size << " bytes of " << whole_.size();
    EXPECT_NE(refusal({}).find("found something else"), std::string::npos);
}

TEST_F(FontFiles, with_a_wrong_byte_are_refused) {
    const std::size_t tables = 12 + 16 * std::size_t{whole_[5]};
    for (std::size_t at = tables; at < whole_.size(); at += 9973) {
        std::vector<unsigned char> bytes = whole_;
        bytes[at] ^= 0x41U;
        EXPECT_NE(refusal(bytes), "") << "byte " << at;
    }
    for (std::size_t at = 12; at < tables; ++at) {  // names, checksums and offsets of the tables
        std::vector<unsigned char> bytes = whole_;
        bytes[at] ^= 0x80U;
        refusal(bytes);  // may hit an unused table, but nothing outside the file is read
    }
}

// Characters beyond Latin in the program's texts and files, except East Asian ones, which occur in
// file names.
std::map<char32_t, std::string> signs_that_are_written() {
    std::map<char32_t, std::string> signs;
    const auto take = [&](std::string_view text, const fs::path& where) {
        while (!text.empty())
            if (const char32_t sign = ui::cut_letter(text).point; sign >= 0x370 && sign < 0x2E80)
                signs.emplace(sign, where.string());
    };
    for (const char* folder : {"app", "engine", "assets"})
        for (const auto& file : fs::recursive_directory_iterator(testing::source(folder))) {
            const std::string kind = file.path().extension().string();
            const bool code = kind == ".cpp" || kind == ".h";
            if (!code && kind != ".md" && kind != ".txt") continue;
            std::ifstream stream(file.path());
            for (std::string line; std::getline(stream, line);)
                take(std::string_view(line).substr(0, code ? line.find("//") : line.npos),
                     file.path());
        }
    signs.erase(0x1D40);  // of "Q·Kᵀ", which only info prints
    return signs;
}

TEST_F(FontFiles, have_every_sign_that_is_written) {
    Pane pane;
    Desk desk(testing::cat(), testing::read_source);
    pane.draw(desk, {1280, 720}, 1);
    const ui::Fonts& fonts = pane.ui().fonts();
    const auto signs = signs_that_are_written();
    EXPECT_GT(signs.size(), 40);
    for (const auto& [sign, where] : signs)
        for (const ui::Face face :
             {ui::Face::words, ui::Face::bold, ui::Face::mono, ui::Face::italic})
            for (const ui::Size size : {ui::Size::small, ui::Size::body})
                EXPECT_NE(fonts.get(face, size)->FindGlyphNoFallback(static_cast<ImWchar>(sign)),
                          nullptr)
                    << std::hex << static_cast<unsigned>(sign) << " in face "
                    << static_cast<int>(face) << ", " << where;
}

// Inter's two bars merge at small sizes.
TEST_F(FontFiles, part_the_bars_of_a_norm) {
    Pane pane;
    Desk desk(testing::cat(), testing::read_source);
    pane.draw(desk, {1280, 720}, 1);
    for (const ui::Size size : {ui::Size::small, ui::Size::body, ui::Size::large}) {
        const ImFont* font = pane.ui().fonts().get(ui::Face::words, size);
        const ImFontGlyph* glyph = font->FindGlyphNoFallback(0x2016);
        ASSERT_NE(glyph, nullptr);
        // Across the middle: ink, almost none, ink again.
        unsigned char* alpha = nullptr;
        int width = 0, height = 0;
        ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&alpha, &width, &height);
        const auto at = [&](float part, float size_of) { return static_cast<int>(part * size_of); };
        const int y = at((glyph->V0 + glyph->V1) / 2, static_cast<float>(height));
        std::vector<int> ink;
        for (int x = at(glyph->U0, static_cast<float>(width));
             x < at(glyph->U1, static_cast<float>(width)); ++x)
            ink.push_back(alpha[y * width + x]);
        const auto middle = ink.begin() + static_cast<std::ptrdiff_t>(ink.size() / 2);
        const int left = *std::max_element(ink.begin(), middle),
                  right = *std::max_element(middle, ink.end());
        const int between = *std::min_element(std::max_element(ink.begin(), middle),
                                              std::max_element(middle, ink.end()));
        EXPECT_LT(between, std::min(left, right) / 3) << static_cast<int>(size);
    }
}

// The error messages for these fonts after drawing some stages.
std::vector<std::string> drawn_with(const ui::FontPaths& fonts) {
    Pane pane(fonts);
    Desk desk(testing::cat(), testing::read_source);
    for (const char* step : {"step image", "step products", "step softmax"}) {
        desk.say(step);
        pane.draw(desk, {1280, 720}, 1);
        EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 1000);
    }
    EXPECT_NE(pane.ui()
                  .fonts()
                  .get(ui::Face::mono, ui::Size::small)
                  ->FindGlyphNoFallback(0x2212),  // a minus must exist
              nullptr);
    return pane.ui().fonts().trouble();
}

// One line in the italic face: how far its top leans to the right, in pixels.
float lean(const ui::FontPaths& fonts) {
    Pane pane(fonts);
    Desk desk(testing::cat(), testing::read_source);
    pane.draw(desk, {640, 480}, 1);
    const ui::Fonts& faces = pane.ui().fonts();
    EXPECT_EQ(faces.slants(ui::Face::italic, ui::Size::body), fonts.italic.empty());
    EXPECT_NE(faces.get(ui::Face::italic, ui::Size::large), nullptr);
    ImDrawList list(ImGui::GetDrawListSharedData());
    list._ResetForNewFrame();
    list.PushClipRectFullScreen();
    list.PushTextureID(ImGui::GetIO().Fonts->TexID);
    const ui::DrawnText text{.at = {100, 100},
                             .text = "l",
                             .face = ui::Face::italic,
                             .size = ui::Size::body,
                             .pixels = faces.pixels(ui::Size::body, ui::Face::italic),
                             .color = IM_COL32_WHITE};
    ui::paint(pane.ui(), list, text);
    EXPECT_EQ(list.VtxBuffer.Size, 4);
    return list.VtxBuffer[0].pos.x - list.VtxBuffer[3].pos.x;  // top left, bottom left
}

TEST_F(FontFiles, without_an_italic_one_words_are_slanted) {
    ui::FontPaths fonts = testing::system_fonts();
    EXPECT_FLOAT_EQ(lean(fonts), 0);  // the italic file has slanted glyphs
    fonts.italic.clear();
    EXPECT_GT(lean(fonts), 1);
}

TEST_F(FontFiles, that_are_missing_are_named_and_the_text_is_drawn) {
    const fs::path nowhere = folder_ / "none.otf";
    const auto trouble = drawn_with({nowhere, nowhere, nowhere, nowhere});
    ASSERT_EQ(trouble.size(), 1);  // one file, one sentence
    EXPECT_EQ(trouble[0], nowhere.string() +
                              ": expected a TrueType or OpenType font, found no file that can be "
                              "read.");
}

TEST_F(FontFiles, of_which_one_is_damaged_leave_the_others) {
    whole_.resize(whole_.size() / 2);
    const fs::path damaged = write(whole_);
    ui::FontPaths fonts = testing::system_fonts();
    fonts.bold = damaged;
    EXPECT_EQ(drawn_with(fonts).size(), 1);
    fonts = testing::system_fonts();
    fonts.math = damaged;
    EXPECT_EQ(drawn_with(fonts).size(), 1);
    EXPECT_TRUE(drawn_with(testing::system_fonts()).empty());
}

// Draws a picture with the name "写真 1.jpg" until no glyph is missing.
void draw_named_in_japanese(Pane& pane) {
    State state = testing::cat();
    const std::string cat = state.recipe.image;
    state.recipe.image = testing::source("assets/images/写真 1.jpg");
    Desk desk(state, [cat](const std::string& name) {
        return testing::read_source(name.ends_with("1.jpg") ? cat : name);
    });
    for (int frame = 0; frame < 3; ++frame) pane.draw(desk, {1600, 1000}, 1);
}

TEST_F(FontFiles, of_the_east_are_read_when_a_name_needs_them) {
    if (assets::fonts().cjk.empty()) GTEST_SKIP() << "no Noto Sans CJK here";
    Pane pane;
    const ui::Fonts& fonts = pane.ui().fonts();
    Desk plain(testing::cat(), testing::read_source);
    pane.draw(plain, {1600, 1000}, 1);
    EXPECT_EQ(fonts.get(ui::Face::words, ui::Size::body)->FindGlyphNoFallback(0x5199), nullptr);
    draw_named_in_japanese(pane);
    for (const ImWchar letter : {ImWchar{0x5199}, ImWchar{0x771F}})
        EXPECT_NE(fonts.get(ui::Face::words, ui::Size::body)->FindGlyphNoFallback(letter), nullptr);
    EXPECT_TRUE(fonts.trouble().empty());
}

TEST_F(FontFiles, of_the_east_that_are_missing_leave_empty_squares) {
    ui::FontPaths paths = testing::system_fonts();
    for (const fs::path& none : {fs::path(), folder_ / "none.ttc"}) {
        paths.cjk = none;
        Pane pane(paths);
        draw_named_in_japanese(pane);
        const ImFontGlyph* square =
            pane.ui().fonts().get(ui::Face::words, ui::Size::body)->FindGlyph(0x5199);
        ASSERT_NE(square, nullptr);
        EXPECT_EQ(square->Codepoint, 0x25A1U);
        EXPECT_EQ(pane.ui().fonts().trouble().size(), none.empty() ? 0U : 1U);
    }
}

}  // namespace
}  // namespace headlight
