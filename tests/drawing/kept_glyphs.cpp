#include "kept_glyphs.h"

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ui/compat.h"
#include "ui/compat_internal.h"

namespace headlight::testing {

namespace {

struct KeptFont {
    float ascent = 0, descent = 0;
    int surface = 0;
    ImVector<ImFontGlyph> glyphs;
};

// What a builder makes of the fonts of an atlas.
struct KeptAtlas {
    int width = 0, height = 0;
    std::string pixels;
    ImVector<ImFontAtlasCustomRect> rects;
    std::vector<KeptFont> fonts;
};

// Equal for two atlases from which the builder makes the same; of the settings, those that
// ui::Fonts chooses.
std::string key_of(const ImFontAtlas& atlas) {
    std::string key;
    const auto add = [&](const auto& value) {
        key.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    add(atlas.TexDesiredWidth);
    for (const ImFontConfig& config : atlas.ConfigData) {
        add(std::hash<std::string_view>{}({static_cast<const char*>(config.FontData),
                                           static_cast<std::size_t>(config.FontDataSize)}));
        add(config.SizePixels);
        add(config.OversampleH);
        add(config.OversampleV);
        add(config.PixelSnapH);
        add(config.MergeMode);
        for (const ImWchar* range = config.GlyphRanges; range != nullptr && *range != 0; ++range)
            add(*range);
        add(ImWchar{0});
    }
    return key;
}

KeptAtlas copy_of(const ImFontAtlas& atlas) {
    KeptAtlas kept{atlas.TexWidth, atlas.TexHeight, {}, atlas.CustomRects, {}};
    kept.pixels.assign(
        reinterpret_cast<const char*>(atlas.TexPixelsAlpha8),
        static_cast<std::size_t>(kept.width) * static_cast<std::size_t>(kept.height));
    for (const ImFont* font : atlas.Fonts)
        kept.fonts.push_back(
            {font->Ascent, font->Descent, font->MetricsTotalSurface, font->Glyphs});
    return kept;
}

// As ImFontAtlasBuildWithStbTruetype() in imgui_draw.cpp, but for the drawing of letters.
void put_into(ImFontAtlas& atlas, const KeptAtlas& kept) {
    ImFontAtlasBuildInit(&atlas);
    atlas.TexID = {};
    atlas.ClearTexData();
    atlas.TexWidth = kept.width;
    atlas.TexHeight = kept.height;
    atlas.TexUvScale = {1 / static_cast<float>(kept.width), 1 / static_cast<float>(kept.height)};
    atlas.TexPixelsAlpha8 = static_cast<unsigned char*>(IM_ALLOC(kept.pixels.size()));
    std::memcpy(atlas.TexPixelsAlpha8, kept.pixels.data(), kept.pixels.size());
    atlas.CustomRects = kept.rects;
    for (ImFontConfig& config : atlas.ConfigData)
        ImFontAtlasBuildSetupFont(&atlas, config.DstFont, &config, 0, 0);
    for (int i = 0; i < atlas.Fonts.Size; ++i) {
        ImFont& font = *atlas.Fonts[i];
        const KeptFont& from = kept.fonts[static_cast<std::size_t>(i)];
        font.Ascent = from.ascent;
        font.Descent = from.descent;
        font.MetricsTotalSurface = from.surface;
        font.Glyphs = from.glyphs;
        font.DirtyLookupTables = true;
    }
    ImFontAtlasBuildFinish(&atlas);
}

bool build(ImFontAtlas* atlas) {
    static std::map<std::string, KeptAtlas> all;
    const std::string key = key_of(*atlas);
    if (const auto kept = all.find(key); kept != all.end()) {
        put_into(*atlas, kept->second);
        return true;
    }
    if (!ImFontAtlasGetBuilderForStbTruetype()->FontBuilder_Build(atlas)) return false;
    all.emplace(key, copy_of(*atlas));
    return true;
}

}  // namespace

void keep_glyphs() {
    static const ImFontBuilderIO builder{build};
    ImGui::GetIO().Fonts->FontBuilderIO = &builder;
}

}  // namespace headlight::testing
