#include <algorithm>
#include <cmath>

#include "frame/picture.h"
#include "frame/step_text.h"
#include "frame/tensor_text.h"
#include "walk/panels.h"
#include "walk/ribbon.h"

namespace headlight::screens {

void ribbon_thumbnail(Frame& frame, const ui::Rect& rect, const Node& step) {
    ui::Canvas canvas(frame.ui);
    const std::string name = "ribbon." + std::string(step.name());
    // Attention-only import has no patches, but says where they lie.
    const bool squares = step.op == Op::gather && !frame.trace.has(step.result());
    if (step.op == Op::frame || squares) {
        const Image& image = *frame.trace.image;
        const ui::Rect place =
            rect.fit(static_cast<float>(image.width) / static_cast<float>(image.height));
        PictureSpec picture{.name = name + ".picture", .interactive = false};
        if (squares) picture.token = frame.focus.token;
        draw_picture(frame, place, picture);
        return;
    }
    // What is computed on demand (of thousands of tokens) is only for the step that is looked at.
    const bool spared = frame.trace.on_demand(step.result()) && &step != &frame.node();
    const Shown what = spared ? Shown{} : shown(frame, step.result(), frame.head);
    if (what.cells.empty()) return canvas.outline(rect, frame.colors().border, 1, frame.px(3));
    ui::HeatmapSpec spec;
    spec.name = name + ".matrix";
    spec.cells = what.cells;
    spec.scale = what.scale;
    spec.window = {0, 0, static_cast<float>(what.cells.rows), static_cast<float>(what.cells.cols)};
    spec.numbers = false;
    if (what.cells.rows > 1) spec.row = focus_row(frame, step.result());
    spec.outline_cell = false;
    spec.rounding = frame.px(3);
    ui::heatmap(frame.ui, rect, spec);
}

std::string ribbon_tip(const Frame& frame, const Node& step) {
    return step.title + "  ·  " + shape_text_of(frame.trace, step.result()) + "\n" +
           meaning_of(frame, step);
}

namespace {

// One cell beside the other, with arrows between them.
void plain_ribbon(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    ui::Rect rest = rect.inset(frame.px(8), frame.px(8));
    const float each = rest.w / static_cast<float>(frame.trace.nodes.size());
    for (const Node& step : frame.trace.nodes) {
        const ui::Rect cell = rest.cut_left(each);
        const std::string name = "ribbon." + std::string(step.name());
        const bool current = &step == &frame.node();
        ui::Rect inner = cell;
        const ui::Rect shape = inner.cut_bottom(frame.line() - frame.px(2));
        const ui::Rect title = inner.cut_bottom(frame.line());
        inner.cut_bottom(frame.px(4));
        const ui::Rect square = inner.fit(1.0F);
        const ui::Rect whole{std::round(square.x), std::round(square.y), std::round(square.w),
                             std::round(square.h)};
        // Before the thumbnail: ImGui gives the pointer to the first of those that lie over each
        // other.
        const auto state = ui::interact(frame.ui, name, cell);
        ribbon_thumbnail(frame, whole, step);
        if (state.hovered) {
            ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            frame.ui.tooltip(ribbon_tip(frame, step));
        }
        if (state.clicked) frame.say("step", std::string(step.name()));
        if (current)
            canvas.outline(whole.inset(-frame.px(3)), frame.colors().accent, frame.px(2),
                           frame.px(5));
        const ImU32 ink = current         ? frame.colors().text
                          : state.hovered ? frame.colors().text
                                          : frame.colors().dim;
        const ui::TextStyle style{.face = current ? ui::Face::bold : ui::Face::words,
                                  .size = ui::Size::small,
                                  .color = ink,
                                  .align = ui::Align::center};
        canvas.label(title, step.title, style);
        canvas.label(shape, shape_text_of(frame.trace, step.result()),
                     {.face = ui::Face::mono,
                      .size = ui::Size::small,
                      .color = frame.colors().dim,
                      .align = ui::Align::center});
        if (step.id != frame.work.steps().back())
            canvas.arrow_right({cell.x + cell.w, whole.center().y}, frame.px(12),
                               frame.colors().faint);
    }
}

// A stream is what a layer adds to: attention alone and maps without a layer have none.
bool has_stream(const Frame& frame) {
    const bool adds = !frame.trace.model->is_bare_layer() || frame.trace.has(Step::mlp_in);
    return adds && frame.trace.has(Step::skip);
}

}  // namespace

float ribbon_height(const Frame& frame) {
    if (has_stream(frame)) return stream_ribbon_height(frame);
    return frame.line() * 2 + frame.px(frame.low ? 58.0F : 72.0F);
}

void ribbon(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, frame.colors().bar);
    canvas.line({rect.x, rect.y + rect.h - 1}, {rect.x + rect.w, rect.y + rect.h - 1},
                frame.colors().border);
    has_stream(frame) ? stream_ribbon(frame, rect) : plain_ribbon(frame, rect);
}

}  // namespace headlight::screens
