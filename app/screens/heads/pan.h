#pragma once

#include <functional>

#include "heads/view.h"

// The part of the maps that is seen: the wheel and a drag move it, Ctrl and the wheel zoom.
namespace headlight::screens {

inline constexpr float kMostZoom = 16;

// How large all maps are together, in pixels, at a zoom.
using GridSize = std::function<ImVec2(float zoom)>;

// What was asked for since the last frame, before the maps are laid out; `body`: where they stand.
void move_grid(Frame& frame, const ui::Rect& body, HeadsMemory& memory, const GridSize& size);
// Inside the window that they are drawn in, before they take the mouse.
void take_grid_mouse(Frame& frame, const ui::Rect& body, HeadsMemory& memory, ImVec2 whole);
// Which part is seen, along an edge; it can be dragged. Nothing where that is all.
void scroll_mark(Frame& frame, const std::string& name, const ui::Rect& track, float seen,
                 float whole, float& pan);

}  // namespace headlight::screens
