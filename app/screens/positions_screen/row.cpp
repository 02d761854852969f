#include <algorithm>

#include "frame/capitals.h"
#include "frame/field_row.h"
#include "frame/field_words.h"
#include "frame/lecture_head.h"
#include "positions/positions.h"
#include "positions_screen/kind_controls.h"
#include "positions_screen/view.h"

// Positions of given tokens in a sequence, such as words. There is no picture for overlays, and
// orders are read from left to right.
namespace headlight::screens {

namespace {

// Kinds that work for a sequence, which has no rows and columns and no positions of its own.
bool is_for_row(const PositionInfo& kind) {
    return !kind.needs_grid && kind.id != PositionKind::model;
}

// Given tokens have no positions by default.
PositionKind kind_of(const Frame& frame) {
    const PositionKind kind = frame.state.recipe.position.kind;
    return kind == PositionKind::model ? PositionKind::none : kind;
}

void kinds_of_row(Frame& frame, ui::Layout rect) {
    ui::Canvas(frame.ui).caption(rect.row(0, 6), "KIND");
    const PositionKind now = kind_of(frame);
    for (const PositionInfo& kind : all_positions()) {
        if (!is_for_row(kind)) continue;
        const std::string name(name_of(kind.id));
        if (ui::button(frame.ui, "positions.kind." + name, rect.top(frame.line() * 1.5F),
                       kind.label, kind.id == now ? ui::ButtonLook::chip : ui::ButtonLook::plain,
                       std::string(kind.label))) {
            frame.set("positions", name);
            frame.memory.gesture_ended = true;
        }
        rect.skip_top(2);
    }
    rect.skip_top(6);
    const FieldsOfKind fields = fields_of({now}, *frame.trace.model);
    std::vector<std::string_view> names = fields.before;
    names.insert(names.end(), fields.after.begin(), fields.after.end());
    // The windows of a signal: as wide as the table, and as many as its length.
    if (std::holds_alternative<Signal>(frame.state.recipe.tokens))
        for (const std::string_view name : {"window", "samples"})
            if (is_shown(*find_field(name), frame.state, frame.trace)) names.push_back(name);
    for (const std::string_view name : names) {
        const Field& field = *find_field(name);
        const float height = field_height(frame, field);
        if (height > rect.h) break;
        field_row(frame, field, rect.top(height));
    }
}

}  // namespace

void positions_of_row(Frame& frame, ui::Layout rect, const PositionsView& view,
                      PositionsMemory& memory) {
    const bool lecture = frame.state.look.lecture;
    if (lecture) lecture_head(frame, rect, "Where each word is");
    rect = rect.inset(frame.px(16), frame.px(12));
    const float gap = frame.px(20), line = frame.line();
    ui::Layout left = rect.left(rect.w * (lecture ? 0.3F : 0.235F));
    rect.left(gap);
    waves(frame, left.bottom(left.h * 0.26F), view);
    left.bottom(gap);
    clock_hands(frame, left.bottom(std::max(left.h * 0.24F, line * 5)), view);
    left.bottom(gap);
    position_table_part(frame, left, view, memory);
    if (lecture) return order_of_row_part(frame, rect, view, memory);

    ui::Layout right = rect.right(rect.w * 0.42F);
    rect.right(gap);
    order_of_row_part(frame, rect, view, memory);
    properties_part(frame, right.bottom(line * 13.2F), view);
    right.bottom(gap);
    ui::Layout plots = right.bottom(right.h * 0.42F);
    apart_part(frame, plots.right((plots.w - gap) / 2), view, memory);
    plots.right(gap);
    profile_part(frame, plots, view, memory);
    right.bottom(gap);
    kinds_of_row(frame, right.right(std::max(right.w * 0.5F, frame.px(150))));
    right.right(gap);
    pairs_part(frame, right, view, memory);
}

}  // namespace headlight::screens
