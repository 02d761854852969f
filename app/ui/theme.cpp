#include "ui/theme.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ui/font_file.h"
#include "ui/utf8.h"

namespace headlight::ui {

namespace {

constexpr ImU32 rgb(unsigned hex) {
    return IM_COL32((hex >> 16U) & 255U, (hex >> 8U) & 255U, hex & 255U, 255);
}

// Glyphs of our own texts beyond Latin; file names may contain Latin and Cyrillic letters.
constexpr ImWchar kWordRanges[] = {0x0020, 0x024F, 0x0370, 0x03FF, 0x0400, 0x04FF, 0x2010,
                                   0x205E, 0x2070, 0x209F, 0x2190, 0x21FF, 0x2200, 0x22FF,
                                   0x2300, 0x23FF, 0x25A0, 0x25FF, 0x2713, 0x2713, 0};
constexpr ImWchar kLargeRanges[] = {0x0020, 0x00FF, 0x0391, 0x03C9, 0x2010, 0x2030,
                                    0x2190, 0x21FF, 0x2200, 0x22FF, 0};

// Radicals to unified ideographs, with kana, bopomofo and their punctuation; hangul; compatibility
// ideographs and forms; halfwidth and fullwidth forms.
constexpr std::array<std::array<char32_t, 2>, 5> kCjk{
    {{0x2E80, 0x9FFF}, {0xAC00, 0xD7AF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}}};
constexpr std::size_t kMostLetters = 4000;  // per face and size: the atlas is limited

constexpr ImWchar kMissing = 0x25A1;  // an empty square for missing glyphs

bool is_cjk(char32_t letter) {
    return std::ranges::any_of(
        kCjk, [&](const auto& range) { return letter >= range[0] && letter <= range[1]; });
}

// Substitutes for characters that a font may lack: a minus shown as "?" would give another number.
constexpr std::array<std::array<ImWchar, 2>, 7> kStandIns{{{0x2212, '-'},
                                                           {0x2013, '-'},
                                                           {0x2014, '-'},
                                                           {0x2026, '.'},
                                                           {0x2019, '\''},
                                                           {0x201C, '"'},
                                                           {0x201D, '"'}}};

void fill_in(ImFont& font) {
    for (const auto& [sign, stand_in] : kStandIns)
        if (font.FindGlyphNoFallback(sign) == nullptr) font.AddRemapChar(sign, stand_in);
    // The two bars of a norm in Inter are so close that they merge at small sizes. "Parallel to" in
    // Noto Sans Math and JetBrains Mono does not.
    constexpr ImWchar kNorm = 0x2016, kParallel = 0x2225;
    if (font.FindGlyphNoFallback(kParallel) != nullptr) font.AddRemapChar(kNorm, kParallel);
}

}  // namespace

const Palette& dark_palette() {
    static const Palette palette{
        rgb(0x12151C),
        rgb(0x0F1117),
        rgb(0x12151C),
        rgb(0x1A1D24),
        rgb(0x2A2F39),
        rgb(0x232833),
        rgb(0xE6E9EF),
        rgb(0x9CA3B0),
        rgb(0x8B93A1),
        rgb(0xFFC145),
        rgb(0x1A1408),
        rgb(0x3FCF8E),
        rgb(0xFF6B6B),
        // token, query, key, value, attention, weight
        {rgb(0xC9CED8), rgb(0xFF8A65), rgb(0x64A8FF), rgb(0x4CD0A5), rgb(0xFFC145), rgb(0xC9A0F0)},
        {rgb(0xB40CC0), rgb(0xFCF00C), rgb(0x547800), rgb(0x84FCFC), rgb(0x6CB400), rgb(0x9078FC),
         rgb(0xCC609C), rgb(0x00F084), rgb(0x783CFC), rgb(0xB47860), rgb(0xCC006C), rgb(0x905490),
         rgb(0x3090C0), rgb(0xE40C0C), rgb(0xD8FCB4), rgb(0xFC3CCC)}};
    return palette;
}

const Palette& light_palette() {
    static const Palette palette{
        rgb(0xF5F7FA),
        rgb(0xFFFFFF),
        rgb(0xF5F7FA),
        rgb(0xFFFFFF),
        rgb(0xDDE2EA),
        rgb(0xE9EDF3),
        rgb(0x161A22),
        rgb(0x56606F),
        rgb(0x5F6978),
        rgb(0x9A4D00),
        rgb(0xFFFFFF),
        rgb(0x0A6B47),
        rgb(0xB42020),
        {rgb(0x454D5A), rgb(0xB03A09), rgb(0x1D5FC4), rgb(0x0A6D4E), rgb(0x8F4A00), rgb(0x7A3FB5)},
        {rgb(0xC078A8), rgb(0x001884), rgb(0x900018), rgb(0x3C9C00), rgb(0x543CFC), rgb(0x0090FC),
         rgb(0xA83C84), rgb(0x480C54), rgb(0xFC540C), rgb(0x489078), rgb(0xE448E4), rgb(0x480CA8),
         rgb(0x846CB4), rgb(0x60000C), rgb(0xF04878), rgb(0x0C00E4)}};
    return palette;
}

namespace {

constexpr double kProjected = 7;  // WCAG 2.1, enhanced contrast

// Moves a color towards the text color until it has enough contrast on all backgrounds.
ImU32 set_off(ImU32 ink, const Palette& on) {
    const auto is_set_off = [&](ImU32 color) {
        return std::ranges::all_of(
            std::array{on.background, on.bar, on.panel, on.card, on.hover},
            [&](ImU32 ground) { return contrast(color, ground) >= kProjected; });
    };
    float part = 0;
    while (part < 1 && !is_set_off(mix(ink, on.text, part))) part += 0.02F;
    return mix(ink, on.text, std::min(part, 1.0F));
}

Palette projected(Palette palette) {
    for (ImU32* ink : {&palette.dim, &palette.faint, &palette.accent, &palette.ok, &palette.error})
        *ink = set_off(*ink, palette);
    for (ImU32& hue : palette.hues) hue = set_off(hue, palette);
    return palette;
}

}  // namespace

const Palette& dark_projector_palette() {
    static const Palette palette = projected(dark_palette());
    return palette;
}

const Palette& light_projector_palette() {
    static const Palette palette = projected(light_palette());
    return palette;
}

ImU32 with_alpha(ImU32 color, float alpha) {
    const auto a = static_cast<float>((color >> IM_COL32_A_SHIFT) & 255U) * alpha;
    return (color & ~IM_COL32_A_MASK) | (static_cast<ImU32>(std::lround(a)) << IM_COL32_A_SHIFT);
}

ImU32 mix(ImU32 a, ImU32 b, float t) {
    const ImVec4 from = ImGui::ColorConvertU32ToFloat4(a), to = ImGui::ColorConvertU32ToFloat4(b);
    return ImGui::ColorConvertFloat4ToU32(
        {from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t, from.z + (to.z - from.z) * t,
         from.w + (to.w - from.w) * t});
}

double contrast(ImU32 a, ImU32 b) {
    const auto luminance = [](ImU32 color) {
        const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(c.x) + 0.7152 * linear(c.y) + 0.0722 * linear(c.z);
    };
    const double one = luminance(a) + 0.05, other = luminance(b) + 0.05;
    return std::max(one, other) / std::min(one, other);
}

ImU32 selection_color(const Palette& palette) {
    return mix(palette.background, palette.accent, 0.28F);
}

float Fonts::em(Size size) const {
    constexpr std::array<float, 3> units{12.0F, 14.0F, 24.0F};
    const float larger = size == Size::body ? sentence_ * part_ : 1;
    return std::floor(units[static_cast<std::size_t>(size)] * scale_ * larger + 0.5F);
}

float Fonts::pixels(Size size, Face face) const { return em(size) * file_of(face, size).height; }

const Fonts::File& Fonts::file_of(Face face, Size size) const {
    if (face != Face::italic) return files_[static_cast<std::size_t>(face)];
    return slants(face, size) ? files_.front() : italic_;
}

Fonts::Fonts(const FontPaths& paths)
    : files_{read(paths.words), read(paths.bold), read(paths.mono)},
      italic_(paths.italic.empty() ? File{} : read(paths.italic)),
      math_(read(paths.math)),
      cjk_path_(paths.cjk) {}

Fonts::File Fonts::read(const std::filesystem::path& path) {
    try {
        File file{read_font(path)};
        file.height = height_in_em(file.bytes);
        return file;
    } catch (const std::exception& error) {
        // Several faces may share one file.
        if (std::ranges::find(trouble_, error.what()) == trouble_.end())
            trouble_.emplace_back(error.what());
        return {};
    }
}

ImFont* Fonts::add(File& file, ImFontConfig config, float em, const ImWchar* ranges) {
    const float pixels = em * file.height;
    config.SizePixels = pixels;
    if (file.bytes.empty()) return ImGui::GetIO().Fonts->AddFontDefault(&config);
    config.FontDataOwnedByAtlas = false;
    return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(
        file.bytes.data(), static_cast<int>(file.bytes.size()), pixels, &config, ranges);
}

bool Fonts::want(Face face, Size size, std::string_view text) {
    if (cjk_path_.empty()) return false;
    if (slants(face, size)) face = Face::words;
    std::set<ImWchar>& letters =
        wanted_[static_cast<std::size_t>(face)][static_cast<std::size_t>(size)].letters;
    const std::size_t before = letters.size();
    while (!text.empty() && letters.size() < kMostLetters)
        if (const char32_t letter = cut_letter(text).point; is_cjk(letter))
            letters.insert(static_cast<ImWchar>(letter));
    if (letters.size() == before) return false;
    if (cjk_.bytes.empty()) cjk_ = read(cjk_path_);
    if (cjk_.bytes.empty()) cjk_path_.clear();  // trouble() has the error
    return !cjk_.bytes.empty();
}

void Fonts::add_wanted(std::size_t face, std::size_t size, const ImFontConfig& config, float em) {
    auto& [letters, ranges] = wanted_[face][size];
    if (letters.empty() || cjk_.bytes.empty()) return;
    ranges.clear();
    for (const ImWchar letter : letters) ranges.insert(ranges.end(), {letter, letter});
    ranges.push_back(0);
    add(cjk_, config, em, ranges.data());
}

void Fonts::build_face(std::size_t face, std::size_t size) {
    const bool italic = face == static_cast<std::size_t>(Face::italic);
    const bool large = size == static_cast<std::size_t>(Size::large);
    // The mono face has no large text, and bold text no small equation glyphs.
    const auto* ranges = large ? kLargeRanges : kWordRanges;
    const float em = this->em(static_cast<Size>(size));
    ImFontConfig config;
    config.OversampleH = em > 16 ? 1 : 2;
    config.OversampleV = 1;
    config.PixelSnapH = true;
    ImFont*& font = fonts_[face][size];
    font = add(italic ? italic_ : files_[face], config, em, ranges);
    font->FallbackChar = kMissing;
    config.MergeMode = true;
    if (!math_.bytes.empty()) add(math_, config, em, ranges);
    add_wanted(face, size, config, em);
}

void Fonts::build(float scale, float sentence) {
    scale_ = scale;
    sentence_ = sentence;
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    atlas.TexDesiredWidth = scale > 1.6F ? 4096 : 2048;
    for (std::size_t face = 0; face < kFaceCount; ++face)
        for (std::size_t size = 0; size < 3; ++size)
            if (slants(static_cast<Face>(face), static_cast<Size>(size)))
                fonts_[face][size] = fonts_[0][size];
            else
                build_face(face, size);
    if (!atlas.Build()) throw std::runtime_error("The fonts cannot be drawn at this size.");
    for (ImFont* font : atlas.Fonts) fill_in(*font);
}

ImFont* Fonts::get(Face face, Size size) const {
    return fonts_[static_cast<std::size_t>(face)][static_cast<std::size_t>(size)];
}

void apply_style(const Palette& palette, float scale) {
    ImGuiStyle style;
    style.WindowPadding = {0, 0};
    style.WindowBorderSize = 0;
    style.FrameRounding = 6;
    style.FramePadding = {10, 6};
    style.PopupRounding = 8;
    style.ScrollbarSize = 10;
    style.ScrollbarRounding = 5;
    style.ScaleAllSizes(scale);
    const auto set = [&](ImGuiCol which, ImU32 color) {
        style.Colors[which] = ImGui::ColorConvertU32ToFloat4(color);
    };
    set(ImGuiCol_WindowBg, palette.background);
    set(ImGuiCol_ChildBg, 0);
    set(ImGuiCol_PopupBg, palette.card);
    set(ImGuiCol_Border, palette.border);
    set(ImGuiCol_FrameBg, palette.background);
    set(ImGuiCol_FrameBgHovered, palette.hover);
    set(ImGuiCol_FrameBgActive, palette.hover);
    set(ImGuiCol_Text, palette.text);
    set(ImGuiCol_TextDisabled, palette.dim);
    set(ImGuiCol_TextSelectedBg, selection_color(palette));
    set(ImGuiCol_ScrollbarBg, 0);
    set(ImGuiCol_ScrollbarGrab, palette.border);
    set(ImGuiCol_ScrollbarGrabHovered, palette.faint);
    set(ImGuiCol_ScrollbarGrabActive, palette.dim);
    set(ImGuiCol_NavHighlight, palette.accent);
    ImGui::GetStyle() = style;
}

}  // namespace headlight::ui
