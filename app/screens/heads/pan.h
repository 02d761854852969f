#pragma once

#include <functional>

#include "heads/memory.h"

// Scrolling and zooming the maps: wheel and drag scroll, Ctrl+wheel zooms.
namespace headlight::screens {

inline constexpr float kMostZoom = 16;

// The size of all maps together at a zoom, in pixels.
using GridSize = std::function<ImVec2(float zoom)>;

// Applies requests since the last frame before the maps are laid out; `body`: their area.
void move_grid(Frame& frame, const ui::Rect& body, Viewport& viewport, const GridSize& size);
// Call inside their window, before the maps take the mouse.
void take_grid_mouse(Frame& frame, const ui::Rect& body, Viewport& viewport, ImVec2 whole);
// A draggable scroll bar along an edge; draws nothing if everything is visible.
void scroll_mark(Frame& frame, const std::string& name, const ui::Rect& track, float seen,
                 float whole, float& pan);

}  // namespace headlight::screens
