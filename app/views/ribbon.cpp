#include <cmath>

#include "views/panels.h"
#include "views/picture.h"
#include "views/ribbon.h"
#include "views/step_text.h"
#include "views/tensor_text.h"

namespace headlight::views {

void ribbon_thumbnail(Scene& scene, const ui::Rect& rect, const Node& step) {
    ui::Canvas canvas(scene.ui);
    const std::string name = "ribbon." + std::string(step.name());
    // Attention-only import has no patches, but says where they lie.
    const bool squares = step.op == Op::gather && !scene.trace.has(step.result());
    if (step.op == Op::frame || squares) {
        const Image& image = *scene.trace.image;
        const ui::Rect place =
            rect.fit(static_cast<float>(image.width) / static_cast<float>(image.height));
        PictureSpec picture{.name = name + ".picture", .interactive = false};
        if (squares) picture.token = scene.focus.token;
        draw_picture(scene, place, picture);
        return;
    }
    // What is computed on demand (of thousands of tokens) is only for the step that is looked at.
    const bool spared = scene.trace.on_demand(step.result()) && &step != &scene.node();
    const Shown what = spared ? Shown{} : shown(scene, step.result(), scene.head);
    if (what.cells.empty()) return canvas.outline(rect, scene.colors().border, 1, scene.px(3));
    ui::HeatmapSpec spec;
    spec.name = name + ".matrix";
    spec.cells = what.cells;
    spec.scale = what.scale;
    spec.window = {0, 0, static_cast<float>(what.cells.rows), static_cast<float>(what.cells.cols)};
    spec.numbers = false;
    if (what.cells.rows > 1) spec.row = focus_row(scene, step.result());
    spec.outline_cell = false;
    spec.rounding = scene.px(3);
    ui::heatmap(scene.ui, rect, spec);
}

std::string ribbon_tip(const Scene& scene, const Node& step) {
    return step.title + "  ·  " + shape_text_of(scene.trace, step.result()) + "\n" +
           meaning_of(scene, step);
}

namespace {

// One cell beside the other, with arrows between them.
void plain_ribbon(Scene& scene, const ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    ui::Rect rest = rect.inset(scene.px(8), scene.px(8));
    const float each = rest.w / static_cast<float>(scene.trace.nodes.size());
    const bool with_shapes = !scene.state.look.lecture;
    for (const Node& step : scene.trace.nodes) {
        const ui::Rect cell = rest.cut_left(each);
        const std::string name = "ribbon." + std::string(step.name());
        const bool current = &step == &scene.node();
        ui::Rect inner = cell;
        const ui::Rect shape =
            with_shapes ? inner.cut_bottom(scene.line() - scene.px(2)) : ui::Rect{};
        const ui::Rect title = inner.cut_bottom(scene.line());
        inner.cut_bottom(scene.px(4));
        const ui::Rect square = inner.fit(1.0F);
        const ui::Rect whole{std::round(square.x), std::round(square.y), std::round(square.w),
                             std::round(square.h)};
        // Before the thumbnail: ImGui gives the pointer to the first of those that lie over each
        // other.
        const auto state = ui::interact(scene.ui, name, cell);
        ribbon_thumbnail(scene, whole, step);
        if (state.hovered) {
            ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            scene.ui.tooltip(ribbon_tip(scene, step));
        }
        if (state.clicked) scene.say("step", std::string(step.name()));
        if (current)
            canvas.outline(whole.inset(-scene.px(3)), scene.colors().accent, scene.px(2),
                           scene.px(5));
        const ImU32 ink = current         ? scene.colors().text
                          : state.hovered ? scene.colors().text
                                          : scene.colors().dim;
        ui::TextStyle style{.face = current ? ui::Face::bold : ui::Face::words,
                            .size = ui::Size::small,
                            .color = ink,
                            .align = ui::Align::center};
        const float room = title.w - scene.px(4), width = canvas.measure(step.title, style);
        if (width > room) style.pixels = scene.ui.fonts().pixels(style.size) * room / width;
        canvas.label(title, step.title, style);
        if (with_shapes)
            canvas.label(shape, shape_text_of(scene.trace, step.result()),
                         {.face = ui::Face::mono,
                          .size = ui::Size::small,
                          .color = scene.colors().dim,
                          .align = ui::Align::center});
        if (step.id != scene.work.steps().back())
            canvas.arrow_right({cell.x + cell.w, whole.center().y}, scene.px(12),
                               scene.colors().faint);
    }
}

// A stream is what a layer adds to: a bare layer and maps without a layer have none.
bool has_stream(const Scene& scene) {
    return !scene.trace.model->is_bare_layer() && scene.trace.has(Step::skip);
}

}  // namespace

float ribbon_height(const Scene& scene, bool low) {
    if (has_stream(scene)) return stream_ribbon_height(scene, low);
    return scene.line() * (scene.state.look.lecture ? 1.0F : 2.0F) + scene.px(low ? 58.0F : 72.0F);
}

void ribbon(Scene& scene, const ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    canvas.fill(rect, scene.colors().bar);
    canvas.line({rect.x, rect.y + rect.h - 1}, {rect.x + rect.w, rect.y + rect.h - 1},
                scene.colors().border);
    has_stream(scene) ? stream_ribbon(scene, rect) : plain_ribbon(scene, rect);
}

}  // namespace headlight::views
