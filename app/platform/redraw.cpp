#include "platform/redraw.h"

#include <cmath>
#include <variant>

#include "platform/files.h"
#include "platform/gui.h"
#include "platform/page.h"
#include "ui/paint.h"

namespace headlight::platform {
namespace {

// From where it was drawn to where it is drawn again.
class Enlarge {
  public:
    Enlarge(const ui::Rect& area, float scale) : area_(area), scale_(scale) {}

    [[nodiscard]] ImVec2 operator()(ImVec2 at) const {
        return {(at.x - area_.x) * scale_, (at.y - area_.y) * scale_};
    }
    [[nodiscard]] ui::Rect operator()(const ui::Rect& r) const {
        const ImVec2 corner = (*this)(r.min());
        return {corner.x, corner.y, r.w * scale_, r.h * scale_};
    }

    [[nodiscard]] ui::DrawnText operator()(ui::DrawnText t) const {
        t.at = (*this)(t.at);
        t.width *= scale_;
        t.pixels *= scale_;
        return t;
    }
    [[nodiscard]] ui::DrawnRect operator()(ui::DrawnRect r) const {
        r.rect = (*this)(r.rect);
        r.rounding *= scale_;
        r.thickness *= scale_;
        return r;
    }
    [[nodiscard]] ui::DrawnGradient operator()(ui::DrawnGradient g) const {
        g.rect = (*this)(g.rect);
        return g;
    }
    [[nodiscard]] ui::DrawnLine operator()(ui::DrawnLine l) const {
        l.from = (*this)(l.from);
        l.to = (*this)(l.to);
        l.thickness *= scale_;
        return l;
    }
    [[nodiscard]] ui::DrawnPath operator()(ui::DrawnPath p) const {
        for (ImVec2& point : p.points) point = (*this)(point);
        p.thickness *= scale_;
        return p;
    }
    [[nodiscard]] ui::DrawnTriangle operator()(ui::DrawnTriangle t) const {
        for (ImVec2* corner : {&t.a, &t.b, &t.c}) *corner = (*this)(*corner);
        t.thickness *= scale_;
        return t;
    }
    [[nodiscard]] ui::DrawnCircle operator()(ui::DrawnCircle c) const {
        c.center = (*this)(c.center);
        c.radius *= scale_;
        c.thickness *= scale_;
        return c;
    }
    [[nodiscard]] ui::DrawnMatrix operator()(ui::DrawnMatrix m) const {
        m.rect = (*this)(m.rect);
        m.rounding *= scale_;
        return m;
    }
    [[nodiscard]] ui::DrawnPhoto operator()(ui::DrawnPhoto p) const {
        p.rect = (*this)(p.rect);
        p.rounding *= scale_;
        return p;
    }

  private:
    ui::Rect area_;
    float scale_;
};

void draw(ui::Context& ui, const ui::Recording& recording, const Enlarge& enlarge) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const ui::Recording::Item& item : recording.items()) {
        const ui::Rect clip = enlarge(item.clip);
        list.PushClipRect(clip.min(), clip.max(), true);
        std::visit(
            [&](const auto& what) {
                const auto again = enlarge(what);
                if constexpr (std::is_same_v<decltype(again), const ui::DrawnText>)
                    ui.need(again.face, again.size, again.text);
                ui::paint(ui, list, again);
            },
            item.what);
        list.PopClipRect();
    }
}

// Letters that are new to the fonts are there from the second time on.
constexpr int kMostTimes = 3;

}  // namespace

Picture redrawn(const ui::Recording& recording, const ui::Rect& area, const ui::Context& ui,
                float scale) {
    Gui gui;
    const Gui::Turn turn(gui);
    ui::Context again(font_paths());
    const ImVec2 size{std::round(area.w * scale), std::round(area.h * scale)};
    for (int times = 0; times < kMostTimes; ++times) {
        if (again.begin(ui.colors(), ui.px(1) * scale, ui.text_scale())) gui.fonts_changed();
        gui.begin_frame({static_cast<int>(size.x), static_cast<int>(size.y)}, 1);
        again.start_frame();
        on_page(size, [&] { draw(again, recording, {area, scale}); });
        gui.end_frame();
        if (!again.frame_asked()) break;
    }
    gui.render(again);
    Picture picture = gui.read();
    again.end();
    return picture;
}

}  // namespace headlight::platform
