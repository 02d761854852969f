#include "ui/enlarged.h"

#include <type_traits>
#include <variant>

#include "ui/paint.h"

namespace headlight::ui {

namespace {

// Maps recorded coordinates to the enlarged drawing.
class Enlarge {
  public:
    Enlarge(const Rect& area, float scale) : area_(area), scale_(scale) {}

    [[nodiscard]] ImVec2 operator()(ImVec2 at) const {
        return {(at.x - area_.x) * scale_, (at.y - area_.y) * scale_};
    }
    [[nodiscard]] Rect operator()(const Rect& r) const {
        const ImVec2 corner = (*this)(r.min());
        return {corner.x, corner.y, r.w * scale_, r.h * scale_};
    }

    [[nodiscard]] DrawnText operator()(DrawnText t) const {
        t.at = (*this)(t.at);
        t.width *= scale_;
        t.pixels *= scale_;
        return t;
    }
    [[nodiscard]] DrawnRect operator()(DrawnRect r) const {
        r.rect = (*this)(r.rect);
        r.rounding *= scale_;
        r.thickness *= scale_;
        return r;
    }
    [[nodiscard]] DrawnGradient operator()(DrawnGradient g) const {
        g.rect = (*this)(g.rect);
        return g;
    }
    [[nodiscard]] DrawnLine operator()(DrawnLine l) const {
        l.from = (*this)(l.from);
        l.to = (*this)(l.to);
        l.thickness *= scale_;
        return l;
    }
    [[nodiscard]] DrawnPath operator()(DrawnPath p) const {
        for (ImVec2& point : p.points) point = (*this)(point);
        p.thickness *= scale_;
        return p;
    }
    [[nodiscard]] DrawnTriangle operator()(DrawnTriangle t) const {
        for (ImVec2* corner : {&t.a, &t.b, &t.c}) *corner = (*this)(*corner);
        t.thickness *= scale_;
        return t;
    }
    [[nodiscard]] DrawnCircle operator()(DrawnCircle c) const {
        c.center = (*this)(c.center);
        c.radius *= scale_;
        c.thickness *= scale_;
        return c;
    }
    [[nodiscard]] DrawnMatrix operator()(DrawnMatrix m) const {
        m.rect = (*this)(m.rect);
        m.rounding *= scale_;
        return m;
    }
    [[nodiscard]] DrawnPhoto operator()(DrawnPhoto p) const {
        p.rect = (*this)(p.rect);
        p.rounding *= scale_;
        return p;
    }

  private:
    Rect area_;
    float scale_;
};

}  // namespace

void draw_enlarged(Context& ui, const Recording& recording, const Rect& area, float scale) {
    const Enlarge enlarge(area, scale);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const Recording::Item& item : recording.items()) {
        const Rect clip = enlarge(item.clip);
        list.PushClipRect(clip.min(), clip.max(), true);
        std::visit(
            [&](const auto& what) {
                const auto again = enlarge(what);
                if constexpr (std::is_same_v<decltype(again), const DrawnText>)
                    ui.need(again.face, again.size, again.text);
                paint(ui, list, again);
            },
            item.what);
        list.PopClipRect();
    }
}

}  // namespace headlight::ui
