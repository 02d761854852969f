#include "walk/sections.h"

#include <string>

namespace headlight::screens {

namespace {

// Whether the prediction is open by default: at a scene's picture step, where dragging shapes
// changes it, and at the step of the classification head. Otherwise one line is enough. It is also
// open for models that find objects which appear twice.
bool predicts(const Frame& frame) {
    const bool asks = frame.trace.model->twin.exists() && !frame.low;
    const bool plays = frame.recipe.scene && frame.node().op == Op::frame;
    return plays || asks || frame.node().op == Op::classify;
}

bool is_usually_open(const Frame& frame, Section section) {
    switch (section) {
        case Section::code:
            return !frame.low;
        case Section::prediction:
            return predicts(frame);
        case Section::signal:
        case Section::scores:
        case Section::reference:
            return true;
        default:
            return false;
    }
}

}  // namespace

bool is_open(const Frame& frame, Section section) {
    const Fold fold = frame.state.look.folds.at(static_cast<std::size_t>(section));
    return fold == Fold::usual ? is_usually_open(frame, section) : fold == Fold::open;
}

float section_head_height(const Frame& frame) { return frame.line() + frame.px(8); }

bool section_head(Frame& frame, ui::Layout& rect, Section section, std::string_view title,
                  const std::string& summary, float spare, const std::string& brief) {
    const std::string name(name_of(section));
    const bool open = is_open(frame, section);
    ui::Layout row = rect.top(section_head_height(frame));
    row.right(spare);
    rect.skip_top(open ? 2 : 4);
    const auto state = ui::interact(frame.ui, "section." + name, row);
    frame.ui.report("section." + name, open ? "open" : "folded");
    ui::Canvas canvas(frame.ui);
    if (state.hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        canvas.fill(row, frame.colors().hover, frame.px(6));
    }
    ui::Layout rest(frame.ui, row, 4, 0);
    const float size = frame.ui.fonts().pixels(ui::Size::small);
    ui::icon(canvas, open ? ui::Icon::chevron_down : ui::Icon::chevron_right,
             rest.left(size).center(), size * 0.7F, frame.colors().dim);
    rest.skip_left(6);
    const ui::TextStyle caption{.face = ui::Face::bold, .size = ui::Size::small};
    canvas.caption(rest.left(canvas.measure(title, caption) + frame.px(10)), title);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    if (!open)
        canvas.label(
            rest, brief.empty() ? summary : first_that_fits(canvas, {summary, brief}, mono, rest.w),
            mono);
    if (state.clicked) frame.set("fold_" + name, open ? "folded" : "open");
    return open;
}

}  // namespace headlight::screens
