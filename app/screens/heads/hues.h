#pragma once

#include <string>
#include <vector>

#include "frame/picture.h"
#include "heads/memory.h"
#include "ui/mosaic.h"

// Several queries in one map, or a layer's heads in one map, each in its own hue.
namespace headlight::screens {

// A map in hues: of several queries, or of a layer's heads.
const HuedMap& hued_map(Frame& frame, const HeadsView& view, HeadsMemory& memory,
                        const HeadPlace& place);
const HuedMap& hued_map(Frame& frame, const HeadsView& view, HeadsMemory& memory,
                        const Combination& of);
bool is_hued(const HeadsView& view, const HeadPlace& place);
bool is_hued(const HeadsView& view, const Combination& of);
// Draws a map over the picture, in hues or in the colors of attention; `spec`: everything except
// the overlay. Returns the scale of its colors or brightness.
ui::ColorScale draw_map(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                        HeadsMemory& memory, const HeadPlace& place, PictureSpec spec);
ui::ColorScale draw_map(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                        HeadsMemory& memory, const Combination& of, PictureSpec spec);
// What each query attends to at a patch, one line each.
std::string patch_words(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                        int patch);
std::string patch_words(const Frame& frame, const HeadsView& view, const Combination& of,
                        int patch);
// Marks for several queries: that layer's tokens at the same positions.
std::vector<TokenMark> marks_of(const Frame& frame, const HeadsView& view, int layer);
inline constexpr float kHuedOpacity = 0.75F;  // on the picture, which has hues of its own
// The hues' owners, and the brightness range. `of`: a layer's heads in hues; null: the queries.
struct LegendItem {
    std::string name;
    ImU32 hue = 0;
};
std::vector<LegendItem> legend_of(const Frame& frame, const HeadsView& view, const Combination* of);
// On one line, or on two if there is space.
void draw_legend(Frame& frame, ui::Layout rect, const std::vector<LegendItem>& items,
                 const ui::ColorScale& scale);
// A chip for one of several queries: hovering shows it alone, its cross removes it.
float query_chip_width(Frame& frame, const HeadsView& view, std::size_t query);
void query_chip(Frame& frame, const ui::Rect& place, const HeadsView& view, HeadsMemory& memory,
                std::size_t query);
// Adds the patch under the pointer to the queries.
void ask_for_pointed(Frame& frame, const HeadsMemory& memory);
// The same when its key was pressed.
void take_query_key(Frame& frame, HeadsMemory& memory);

}  // namespace headlight::screens
