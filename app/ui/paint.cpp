#include "ui/paint.h"

#include <algorithm>
#include <cmath>

#include "gl/smooth.h"

namespace headlight::ui {

namespace {

// ImGui only writes horizontal text. So a line is written, and its vertices are rotated by 90°
// counterclockwise around its start.
void turn_upwards(ImDrawList& list, int first, ImVec2 at) {
    for (int i = first; i < list.VtxBuffer.Size; ++i) {
        const ImVec2 p = list.VtxBuffer[i].pos;
        list.VtxBuffer[i].pos = {at.x + p.y, at.y - p.x};
    }
}

// Without an italic face: slants the line to the right, relative to its base line.
void slant(ImDrawList& list, int first, float base) {
    constexpr float kSlope = 0.2F;
    for (int i = first; i < list.VtxBuffer.Size; ++i) {
        ImVec2& at = list.VtxBuffer[i].pos;
        at.x += (base - at.y) * kSlope;
    }
}

// The visible part of a texture: its corners, 0 to 1.
struct Shown {
    ImVec2 from{0, 0}, to{1, 1};
};
void paint_texture(ImDrawList& list, const Rect& rect, std::uint32_t texture, float alpha,
                   float rounding, const Shown& shown = {}) {
    if (texture == 0) return;  // still being prepared
    list.AddImageRounded(texture_id(texture), rect.min(), rect.max(), shown.from, shown.to,
                         with_alpha(IM_COL32_WHITE, alpha), rounding);
}

int whole_pixels(float length) { return std::max(1, static_cast<int>(std::round(length))); }

// The whole cells that a window covers at least partly.
gl::CellWindow whole_cells(const gl::CellWindow& w) {
    const float row = std::floor(w.row), col = std::floor(w.col);
    return {row, col, std::ceil(w.row + w.rows) - row, std::ceil(w.col + w.cols) - col};
}

// If cells are larger than pixels, shades each cell once into a texture with one pixel per cell,
// and enlarges that. Every pixel still shows the cell at its center.
void paint_enlarged(Context& ui, ImDrawList& list, const DrawnMatrix& matrix) {
    const gl::CellWindow& seen = matrix.picture.window;
    MatrixPicture picture = matrix.picture;
    picture.window = whole_cells(seen);
    const auto [row, col, rows, cols] = picture.window;
    const std::uint32_t texture =
        ui.heatmaps().picture(picture, static_cast<int>(cols), static_cast<int>(rows));
    paint_texture(list, matrix.rect, texture, matrix.alpha, matrix.rounding,
                  {{(seen.col - col) / cols, (seen.row - row) / rows},
                   {(seen.col + seen.cols - col) / cols, (seen.row + seen.rows - row) / rows}});
}

}  // namespace

void paint(Context& ui, ImDrawList& list, const DrawnText& text) {
    ImFont* font = ui.fonts().get(text.face, text.size);
    const char* begin = text.text.data();
    const char* end = begin + text.text.size();
    const int first = list.VtxBuffer.Size;
    if (!text.upwards) {
        list.AddText(font, text.pixels, text.at, text.color, begin, end);
        if (ui.fonts().slants(text.face, text.size))
            slant(list, first, text.at.y + font->Ascent * text.pixels / font->FontSize);
        return;
    }
    list.PushClipRectFullScreen();
    list.AddText(font, text.pixels, {0, 0}, text.color, begin, end);
    list.PopClipRect();
    turn_upwards(list, first, text.at);
}

void paint(Context& /*ui*/, ImDrawList& list, const DrawnRect& r) {
    if (r.thickness > 0)
        list.AddRect(r.rect.min(), r.rect.max(), r.color, r.rounding, 0, r.thickness);
    else
        list.AddRectFilled(r.rect.min(), r.rect.max(), r.color, r.rounding);
}

void paint(Context& /*ui*/, ImDrawList& list, const DrawnGradient& g) {
    list.AddRectFilledMultiColor(g.rect.min(), g.rect.max(), g.top_left, g.top_right,
                                 g.bottom_right, g.bottom_left);
}

void paint(Context& /*ui*/, ImDrawList& list, const DrawnLine& line) {
    list.AddLine(line.from, line.to, line.color, line.thickness);
}

void paint(Context& /*ui*/, ImDrawList& list, const DrawnPath& path) {
    list.AddPolyline(path.points.data(), static_cast<int>(path.points.size()), path.color,
                     path.closed ? ImDrawFlags_Closed : ImDrawFlags_None, path.thickness);
}

void paint(Context& /*ui*/, ImDrawList& list, const DrawnTriangle& t) {
    if (t.thickness > 0)
        list.AddTriangle(t.a, t.b, t.c, t.color, t.thickness);
    else
        list.AddTriangleFilled(t.a, t.b, t.c, t.color);
}

void paint(Context& /*ui*/, ImDrawList& list, const DrawnCircle& circle) {
    if (circle.thickness > 0)
        list.AddCircle(circle.center, circle.radius, circle.color, 0, circle.thickness);
    else
        list.AddCircleFilled(circle.center, circle.radius, circle.color);
}

void paint(Context& ui, ImDrawList& list, const DrawnMatrix& matrix) {
    const int width = whole_pixels(matrix.rect.w), height = whole_pixels(matrix.rect.h);
    const gl::CellWindow cells = whole_cells(matrix.picture.window);
    if (gl::shows_between(cells, width, height) && !matrix.picture.style.smooth)
        return paint_enlarged(ui, list, matrix);
    const std::uint32_t texture = ui.heatmaps().picture(matrix.picture, width, height);
    paint_texture(list, matrix.rect, texture, matrix.alpha, matrix.rounding);
}

void paint(Context& ui, ImDrawList& list, const DrawnPhoto& photo) {
    paint_texture(list, photo.rect, ui.heatmaps().photo(photo.picture), photo.alpha,
                  photo.rounding);
}

}  // namespace headlight::ui
