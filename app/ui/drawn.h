#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ui/geometry.h"
#include "ui/pictures.h"
#include "ui/theme.h"

// Everything that a view draws through a Canvas, as data; paint.h turns it into pixels. Positions
// and sizes are in pixels, colors in ImGui's format.
namespace headlight::ui {

struct DrawnText {
    ImVec2 at;  // top left corner of a line; the start of upright text
    float width = 0;
    std::string text;
    Face face = Face::words;
    Size size = Size::small;  // whose glyphs are used, scaled to `pixels`
    float pixels = 0;         // line height
    ImU32 color = 0;
    bool upwards = false;

    [[nodiscard]] Rect rect() const {
        return upwards ? Rect{at.x, at.y - width, pixels, width} : Rect{at.x, at.y, width, pixels};
    }
};
struct DrawnRect {
    Rect rect;
    ImU32 color = 0;
    float rounding = 0;
    float thickness = 0;  // of its outline; 0: filled
};
struct DrawnGradient {
    Rect rect;
    ImU32 top_left = 0, top_right = 0, bottom_right = 0, bottom_left = 0;
};
struct DrawnLine {
    ImVec2 from, to;
    ImU32 color = 0;
    float thickness = 1;
};
struct DrawnPath {
    std::vector<ImVec2> points;
    ImU32 color = 0;
    float thickness = 1;
    bool closed = false;
};
struct DrawnTriangle {
    ImVec2 a, b, c;
    ImU32 color = 0;
    float thickness = 0;  // of its outline; 0: filled
};
struct DrawnCircle {
    ImVec2 center;
    float radius = 0;
    ImU32 color = 0;
    float thickness = 0;  // of its outline; 0: filled
};
struct DrawnMatrix {
    Rect rect;
    MatrixPicture picture;
    float alpha = 1, rounding = 0;
};
struct DrawnPhoto {
    Rect rect;
    PhotoPicture picture;
    float alpha = 1, rounding = 0;
};
using Drawn = std::variant<DrawnText, DrawnRect, DrawnGradient, DrawnLine, DrawnPath, DrawnTriangle,
                           DrawnCircle, DrawnMatrix, DrawnPhoto>;

// What was drawn in one frame, for uses other than pixels: an SVG, a test. ImGui's stock widgets
// (text fields, list backgrounds, scrollbars) are not included. Matrix cells point to the frame's
// data and are valid until the next frame.
class Recording {
  public:
    struct Item {
        Drawn what;
        Rect clip;  // only the part inside is visible
        const ImDrawList* list = nullptr;
    };

    void clear() { items_.clear(); }
    void add(const ImDrawList& list, Drawn what);
    // Call after ImGui::Render: sorts everything by drawing order.
    void order(const ImDrawData& frame);

    [[nodiscard]] const std::vector<Item>& items() const { return items_; }
    // The texts whose center is visible and lies in `where`, in drawing order.
    [[nodiscard]] std::vector<DrawnText> texts(const Rect& where) const;

  private:
    std::vector<Item> items_;
};

}  // namespace headlight::ui
