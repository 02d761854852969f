#pragma once

#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ui/compat.h"

namespace headlight::ui {

// One hue for each kind of matrix, distinguishable for color-blind people (after Okabe and Ito,
// "Color Universal Design", 2008).
enum class Hue { token, query, key, value, attention, weight };
inline constexpr int kHueCount = 6;
inline constexpr int kHeadHues = 16;

struct Palette {
    ImU32 background, bar, panel, card, border, hover;
    ImU32 text, dim, faint;
    ImU32 accent, on_accent, ok, error;
    std::array<ImU32, kHueCount> hues;
    // Distinct from each other and from the roles' hues, also for color-blind people. They repeat
    // from the seventeenth head on, so write the head's number beside them.
    std::array<ImU32, kHeadHues> heads;

    [[nodiscard]] ImU32 hue(Hue h) const { return hues[static_cast<std::size_t>(h)]; }
    [[nodiscard]] ImU32 head(int h) const {
        return heads[static_cast<std::size_t>(h) % heads.size()];
    }
};

const Palette& dark_palette();
const Palette& light_palette();
// The same for a hall that is not dark: all text and lines have a contrast of at least 7:1.
const Palette& dark_projector_palette();
const Palette& light_projector_palette();

ImU32 with_alpha(ImU32 color, float alpha);  // alpha: 0..1, times the color's own
ImU32 mix(ImU32 a, ImU32 b, float t);
// Contrast ratio of two opaque colors, 1 to 21, as in WCAG 2.1; 4.5 and more is readable.
double contrast(ImU32 a, ImU32 b);
// The background of selected text, which keeps the palette's text color.
ImU32 selection_color(const Palette& palette);

enum class Face { words, bold, mono, italic };
inline constexpr std::size_t kFaceCount = 4;
enum class Size { small, body, large };  // em: 12, 14 and 24 px at 96 dpi; more in lecture view

struct FontPaths {
    std::filesystem::path words, bold, mono, math;
    std::filesystem::path cjk{};     // may be empty: then its characters are empty squares
    std::filesystem::path italic{};  // may be empty: then text is slanted instead
};

// The fonts at the current scale. Rebuilding replaces the atlas; then the backend's texture must be
// recreated. ImGui's own font replaces a file that cannot be used.
class Fonts {
  public:
    explicit Fonts(const FontPaths& paths);
    // `sentence`: scale factor of running text relative to the rest.
    void build(float scale, float sentence = 1);
    // Adds a text's Chinese, Japanese and Korean characters to a face; faces start without them
    // because there are too many. True if there are new ones; call build() then.
    bool want(Face face, Size size, std::string_view text);
    // Problems with the font files, one sentence each.
    [[nodiscard]] const std::vector<std::string>& trouble() const { return trouble_; }
    [[nodiscard]] ImFont* get(Face face, Size size) const;
    // The typographic font size in pixels.
    [[nodiscard]] float em(Size size) const;
    // Dear ImGui's font size in pixels: ascent plus descent, which differs between faces.
    [[nodiscard]] float pixels(Size size, Face face = Face::words) const;
    [[nodiscard]] float scale() const { return scale_; }
    [[nodiscard]] float sentence() const { return sentence_; }
    // Draws running text in this part of its size, until set to 1 again.
    void shrink_sentences(float part) { part_ = part; }
    // Whether italic text must be slanted when painted. A real italic face exists only for running
    // text, at the body size.
    [[nodiscard]] bool slants(Face face, Size size) const {
        return face == Face::italic && (italic_.bytes.empty() || size != Size::body);
    }

  private:
    // Empty if there is none. The atlas uses these bytes until it is cleared.
    struct File {
        std::vector<unsigned char> bytes;
        float height = 1;  // ascent plus descent, in em
    };
    File read(const std::filesystem::path& path);
    static ImFont* add(File& file, ImFontConfig config, float em, const ImWchar* ranges);
    void add_wanted(std::size_t face, std::size_t size, const ImFontConfig& config, float em);
    // The font file of a face in a size.
    [[nodiscard]] const File& file_of(Face face, Size size) const;
    void build_face(std::size_t face, std::size_t size);

    std::vector<std::string> trouble_;
    std::array<File, 3> files_;  // for words, bold, mono
    File italic_, math_;
    std::filesystem::path cjk_path_;  // read on first use; empty: there is none
    File cjk_;
    struct Wanted {
        std::set<ImWchar> letters;
        std::vector<ImWchar> ranges;  // the same, in the atlas's format
    };
    std::array<std::array<Wanted, 3>, kFaceCount> wanted_;  // for each face and size
    std::array<std::array<ImFont*, 3>, kFaceCount> fonts_{};
    float scale_ = 0, sentence_ = 1, part_ = 1;
};

// Styles the few stock ImGui widgets in use (text fields, scrollbars).
void apply_style(const Palette& palette, float scale);

}  // namespace headlight::ui
