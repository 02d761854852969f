#pragma once

#include <string>
#include <vector>

#include "frame/picture.h"
#include "heads/view.h"
#include "ui/mosaic.h"

// Several queries at once, each in its hue; and the heads of a layer, likewise.
namespace headlight::screens {

// In hues: of several queries, or of a layer's heads.
const HuedMap& hued_map(Frame& frame, const HeadsView& view, HeadsMemory& memory,
                        const HeadPlace& place);
const HuedMap& hued_map(Frame& frame, const HeadsView& view, HeadsMemory& memory,
                        const Combination& of);
bool is_hued(const HeadsView& view, const HeadPlace& place);
bool is_hued(const HeadsView& view, const Combination& of);
// A map over the picture, in hues or in the colors of attention; `spec`: all but what it shows.
// The scale of its colors, or of its brightness.
ui::ColorScale draw_map(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                        HeadsMemory& memory, const HeadPlace& place, PictureSpec spec);
ui::ColorScale draw_map(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                        HeadsMemory& memory, const Combination& of, PictureSpec spec);
// What each query reads of a patch, a line each.
std::string patch_words(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                        int patch);
std::string patch_words(const Frame& frame, const HeadsView& view, const Combination& of,
                        int patch);
// The queries, where they are several: the tokens of that layer that lie where they do.
std::vector<TokenMark> marks_of(const Frame& frame, const HeadsView& view, int layer);
inline constexpr float kHuedOpacity = 0.75F;  // over the picture, whose own hues lie below
// Whose hues they are, and how bright they get. `of` a layer's heads in hues; null: the queries.
struct LegendItem {
    std::string name;
    ImU32 hue = 0;
};
std::vector<LegendItem> legend_of(const Frame& frame, const HeadsView& view, const Combination* of);
// In one line, or where there is room in two.
void draw_legend(Frame& frame, ui::Rect rect, const std::vector<LegendItem>& items,
                 const ui::ColorScale& scale);
// One of several queries: hover shows it alone, its cross lets go of it.
float query_chip_width(Frame& frame, const HeadsView& view, std::size_t query);
void query_chip(Frame& frame, const ui::Rect& place, const HeadsView& view, HeadsMemory& memory,
                std::size_t query);
// Asks for the patch under the pointer besides.
void ask_for_pointed(Frame& frame, const HeadsMemory& memory);
// The same where its key was pressed.
void take_query_key(Frame& frame, HeadsMemory& memory);

}  // namespace headlight::screens
