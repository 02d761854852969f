#pragma once

#include <algorithm>

#include "ui/compat.h"

namespace headlight::ui {

// A rectangle on the screen, in pixels. Layouts cut pieces off its sides; a cut never takes more
// than there is.
struct Rect {
    float x = 0, y = 0, w = 0, h = 0;

    // Less than a pixel in width or height is not drawn.
    [[nodiscard]] bool empty() const { return w < 1 || h < 1; }
    [[nodiscard]] ImVec2 min() const { return {x, y}; }
    [[nodiscard]] ImVec2 max() const { return {x + w, y + h}; }
    [[nodiscard]] ImVec2 center() const { return {x + w / 2, y + h / 2}; }
    [[nodiscard]] bool contains(ImVec2 p) const {
        return p.x >= x && p.x < x + w && p.y >= y && p.y < y + h;
    }
    [[nodiscard]] Rect inset(float by) const { return inset(by, by); }
    [[nodiscard]] Rect inset(float dx, float dy) const {
        return {x + dx, y + dy, std::max(0.0F, w - 2 * dx), std::max(0.0F, h - 2 * dy)};
    }
    // The intersection; without width or height if they do not touch.
    [[nodiscard]] Rect common(const Rect& other) const {
        const float left = std::max(x, other.x), top = std::max(y, other.y);
        return {left, top, std::max(0.0F, std::min(x + w, other.x + other.w) - left),
                std::max(0.0F, std::min(y + h, other.y + other.h) - top)};
    }
    [[nodiscard]] float area() const { return w * h; }
    // The largest centered rectangle with the given aspect ratio (width / height).
    [[nodiscard]] Rect fit(float aspect) const {
        const float fw = std::min(w, h * aspect), fh = std::min(h, w / aspect);
        return {x + (w - fw) / 2, y + (h - fh) / 2, fw, fh};
    }
    Rect cut_top(float size) {
        const Rect piece{x, y, w, part(size, h)};
        y += piece.h;
        h -= piece.h;
        return piece;
    }
    Rect cut_bottom(float size) {
        const float taken = part(size, h);
        h -= taken;
        return {x, y + h, w, taken};
    }
    Rect cut_left(float size) {
        const Rect piece{x, y, part(size, w), h};
        x += piece.w;
        w -= piece.w;
        return piece;
    }
    Rect cut_right(float size) {
        const float taken = part(size, w);
        w -= taken;
        return {x + w, y, taken, h};
    }
    friend bool operator==(const Rect&, const Rect&) = default;

  private:
    // Clamps to [0, whole]: layouts without room may ask for negative sizes.
    static float part(float wanted, float whole) { return std::max(0.0F, std::min(wanted, whole)); }
};

}  // namespace headlight::ui
