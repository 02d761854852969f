#pragma once

#include "ui/context.h"
#include "ui/drawn.h"

// Turns what was drawn into ImGui's triangles. This is the Canvas back end for the window, and the
// only place that calls ImGui's draw lists.
namespace headlight::ui {

void paint(Context& ui, ImDrawList& list, const DrawnText& text);
void paint(Context& ui, ImDrawList& list, const DrawnRect& rect);
void paint(Context& ui, ImDrawList& list, const DrawnGradient& gradient);
void paint(Context& ui, ImDrawList& list, const DrawnLine& line);
void paint(Context& ui, ImDrawList& list, const DrawnPath& path);
void paint(Context& ui, ImDrawList& list, const DrawnTriangle& triangle);
void paint(Context& ui, ImDrawList& list, const DrawnCircle& circle);
void paint(Context& ui, ImDrawList& list, const DrawnMatrix& matrix);
void paint(Context& ui, ImDrawList& list, const DrawnPhoto& photo);

}  // namespace headlight::ui
