#pragma once

#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ui/compat.h"

namespace headlight::ui {

// Whose matrix it is: one hue each, apart also for the color-blind (after Okabe and Ito, "Color
// Universal Design", 2008).
enum class Hue { token, query, key, value, attention, weight };
inline constexpr int kHueCount = 6;
inline constexpr int kHeadHues = 16;

struct Palette {
    ImU32 background, bar, panel, card, border, hover;
    ImU32 text, dim, faint;
    ImU32 accent, on_accent, ok, error;
    std::array<ImU32, kHueCount> hues;
    // None of them like another or like a role's, also for the color-blind. From the seventeenth
    // head on they come again: then its number has to be written beside it.
    std::array<ImU32, kHeadHues> heads;

    [[nodiscard]] ImU32 hue(Hue h) const { return hues[static_cast<std::size_t>(h)]; }
    [[nodiscard]] ImU32 head(int h) const {
        return heads[static_cast<std::size_t>(h) % heads.size()];
    }
};

const Palette& dark_palette();
const Palette& light_palette();
// The same for a hall that is not dark: all ink is set off 7 : 1 from what it stands on.
const Palette& dark_projector_palette();
const Palette& light_projector_palette();

ImU32 with_alpha(ImU32 color, float alpha);  // alpha 0..1 times the color's own
ImU32 mix(ImU32 a, ImU32 b, float t);
// Between two opaque colors, 1 to 21, after WCAG 2.1: 4.5 and more can be read.
double contrast(ImU32 a, ImU32 b);
// What stands behind text that is selected; the text is in the palette's own color there.
ImU32 selection_color(const Palette& palette);

enum class Face { words, bold, mono, italic };
inline constexpr std::size_t kFaceCount = 4;
enum class Size { small, body, large };  // em: 12, 14 and 24 px at 96 dpi; more in lecture view

struct FontPaths {
    std::filesystem::path words, bold, mono, math;
    std::filesystem::path cjk{};     // may be empty: then its letters are drawn as empty squares
    std::filesystem::path italic{};  // may be empty: then words are slanted
};

// The faces at the present scale. Rebuilding replaces the atlas; the backend's texture must be
// made anew afterwards. ImGui's own font stands in for a file that cannot be used.
class Fonts {
  public:
    explicit Fonts(const FontPaths& paths);
    // `sentence`: running text is as many times larger than the rest.
    void build(float scale, float sentence = 1);
    // Takes letters of Chinese, Japanese and Korean of a text into a face, which has none of them
    // from the start: there are too many. True: there are new ones, for build() to bring.
    bool want(Face face, Size size, std::string_view text);
    // What is wrong with the files, one sentence each.
    [[nodiscard]] const std::vector<std::string>& trouble() const { return trouble_; }
    [[nodiscard]] ImFont* get(Face face, Size size) const;
    // What typographers call the size of a font.
    [[nodiscard]] float em(Size size) const;
    // What Dear ImGui calls it: ascent plus descent, which differ from face to face.
    [[nodiscard]] float pixels(Size size, Face face = Face::words) const;
    [[nodiscard]] float scale() const { return scale_; }
    [[nodiscard]] float sentence() const { return sentence_; }
    // Words that whoever paints them has to slant. A face of their own they have in running text
    // alone, which is of the body's size.
    [[nodiscard]] bool slants(Face face, Size size) const {
        return face == Face::italic && (italic_.bytes.empty() || size != Size::body);
    }

  private:
    // Empty where there is none. The atlas reads in them until it is cleared.
    struct File {
        std::vector<unsigned char> bytes;
        float height = 1;  // ascent plus descent, in em
    };
    File read(const std::filesystem::path& path);
    static ImFont* add(File& file, ImFontConfig config, float em, const ImWchar* ranges);
    void add_wanted(std::size_t face, std::size_t size, const ImFontConfig& config, float em);
    // Whose letters a face has in a size.
    [[nodiscard]] const File& file_of(Face face, Size size) const;
    void build_face(std::size_t face, std::size_t size);

    std::vector<std::string> trouble_;
    std::array<File, 3> files_;  // of words, bold, mono
    File italic_, math_;
    std::filesystem::path cjk_path_;  // read when it is first wanted; empty: there is none
    File cjk_;
    struct Wanted {
        std::set<ImWchar> letters;
        std::vector<ImWchar> ranges;  // the same, as the atlas reads them
    };
    std::array<std::array<Wanted, 3>, kFaceCount> wanted_;  // of each face in each size
    std::array<std::array<ImFont*, 3>, kFaceCount> fonts_{};
    float scale_ = 0, sentence_ = 1;
};

// ImGui's own colors and roundings, for the few stock widgets in use (text fields, scrollbars).
void apply_style(const Palette& palette, float scale);

}  // namespace headlight::ui
