#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ui/geometry.h"
#include "ui/pictures.h"
#include "ui/theme.h"

// What a view draws, as data: all that a Canvas says to whoever turns it into pixels (paint.h).
// Places and sizes are in pixels, colors as ImGui has them.
namespace headlight::ui {

struct DrawnText {
    ImVec2 at;  // of one line, the top left corner; of one that reads upwards, where it begins
    float width = 0;
    std::string text;
    Face face = Face::words;
    Size size = Size::small;  // of the font's own letters, which `pixels` scales
    float pixels = 0;         // height of the line
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
    float thickness = 0;  // of its outline; 0: it is filled
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
    float thickness = 0;  // of its outline; 0: it is filled
};
struct DrawnCircle {
    ImVec2 center;
    float radius = 0;
    ImU32 color = 0;
    float thickness = 0;  // of its outline; 0: it is filled
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

// What was drawn in one frame, for those who want it otherwise than as pixels: an SVG, a test.
// Stock widgets of ImGui (a text field's text, the ground of a list, scrollbars) are not in it.
// Matrices are those of the frame: their cells are good until the next.
class Recording {
  public:
    struct Item {
        Drawn what;
        Rect clip;  // nothing of it is seen outside
        const ImDrawList* list = nullptr;
    };

    void clear() { items_.clear(); }
    void add(const ImDrawList& list, Drawn what);
    // After ImGui::Render: brings them into the order in which they lie over each other.
    void order(const ImDrawData& frame);

    [[nodiscard]] const std::vector<Item>& items() const { return items_; }
    // The texts whose middle can be seen and lies in `where`, the lowest first.
    [[nodiscard]] std::vector<DrawnText> texts(const Rect& where) const;

  private:
    std::vector<Item> items_;
};

}  // namespace headlight::ui
