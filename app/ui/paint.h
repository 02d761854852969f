#pragma once

#include "ui/context.h"
#include "ui/drawn.h"

// What was drawn as ImGui's triangles: the window's back end of a Canvas, and the only place that
// calls ImGui's lists.
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
