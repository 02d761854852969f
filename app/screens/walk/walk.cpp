#include "walk/walk.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "frame/lecture_head.h"
#include "frame/notice_bar.h"
#include "walk/follow.h"
#include "walk/panels.h"

namespace headlight::screens {

namespace {

// Widths of the side columns in pixels: as chosen, but the stage keeps more than half.
struct Columns {
    float left = 0, right = 0;
};
Columns columns_for(const Frame& frame, float width) {
    const Look& look = frame.state.look;
    Columns columns{frame.px(look.left_width), frame.px(look.right_width)};
    const float most = width * 0.5F;
    const float sum = columns.left + columns.right;
    if (sum > most) {
        columns.left *= most / sum;
        columns.right *= most / sum;
    }
    // A lecturer or a lesson replaces the inspector's text; most of its space goes to the stage.
    if (look.lecture && frame.beside > 0 && frame.trace.image) return {};
    if (look.lecture) return {width * (frame.beside > 0 ? 0.24F : 0.18F), 0};
    if (frame.small) return {width * 0.3F, 0};  // for words and vectors
    if (frame.is_narrow())
        return {std::min(width * 0.23F, (columns.left + columns.right) * 0.65F), 0};
    return columns;
}

void column_handles(Frame& frame, const ui::Rect& body, const Columns& columns) {
    if (frame.is_narrow()) return;
    const float grip = frame.px(8);
    float moved = 0;
    const auto text = [&](float width) {
        return std::to_string(
            static_cast<int>(std::clamp(std::round(width / frame.px(1)), 200.0F, 900.0F)));
    };
    auto slid = ui::splitter(frame.ui, "columns.left",
                             {body.x + columns.left - grip / 2, body.y, grip, body.h}, moved);
    if (slid.changed) frame.set("left_width", text(columns.left + moved));
    if (slid.released) frame.memory.gesture_ended = true;
    slid = ui::splitter(frame.ui, "columns.right",
                        {body.x + body.w - columns.right - grip / 2, body.y, grip, body.h}, moved);
    if (slid.changed) frame.set("right_width", text(columns.right - moved));
    if (slid.released) frame.memory.gesture_ended = true;
}

// What Escape does before it deselects anything: leaves the right column, then resets the zoom of a
// matrix.
struct Escaping {
    bool in_column = false, zoomed = false;  // in the last frame
    bool pressed = false;
};

void take_escape(Frame& frame) {
    auto& escaping = frame.memory.own<Escaping>();
    if (!std::exchange(escaping.pressed, false)) return;
    frame.ui.ask_for_frame();
    if (escaping.in_column)
        frame.ui.leave_stops();
    else if (escaping.zoomed)
        frame.ui.show_all_cells();
}

void remember_escape(Frame& frame) {
    auto& escaping = frame.memory.own<Escaping>();
    escaping.in_column = frame.ui.stop_marked();
    escaping.zoomed = frame.ui.zoomed().has_value();
}

constexpr float kStrip = 0.2F;         // fraction of the height for the picture below the stage
constexpr float kStageAndStrip = 320;  // units of height that both need

// In a lecture with the stop's text at the right, and on a phone: the stage with the picture below;
// or a large picture, if the stop is only about that.
void walk_without_columns(Frame& frame, ui::Layout rect, const ui::Rect& equation) {
    const ui::Rect room = rect.inset(frame.px(20), frame.px(8));
    if (speaks_only_of(frame, "image.", "heads.")) return picture_stage(frame, {frame.ui, room});
    const bool has_room = !frame.small || rect.h >= frame.px(kStageAndStrip);
    if (frame.node().id != Step::image && has_room) {  // the stage shows the picture there
        picture_strip(frame,
                      {frame.ui, rect.bottom(std::max(rect.h * kStrip, frame.line() * 4)), 20, 8});
    }
    stage(frame, rect, equation);
}

constexpr float kTokensBelow = 0.48F;  // fraction of the height

// On an upright phone, words and vectors have room only below the stage. In a lesson they have
// none, and its text speaks of them.
void walk_above_tokens(Frame& frame, ui::Layout rect, const ui::Rect& equation) {
    if (!frame.in_lesson())
        tokens_panel(frame, {frame.ui, rect.bottom(rect.h * kTokensBelow), 16, 8});
    stage(frame, rect, equation);
}

}  // namespace

bool walk_takes_key(Memory& memory, std::string_view key) {
    auto& escaping = memory.own<Escaping>();
    const bool takes = key == "Escape" && (escaping.in_column || escaping.zoomed);
    escaping.pressed = escaping.pressed || takes;
    return takes;
}

void walk(Frame& frame, ui::Layout rect) {
    take_escape(frame);
    follow_one_cell(frame);
    ui::Rect equation;  // beside the lecture's header; otherwise the stage has a row for it
    if (frame.state.look.lecture) equation = lecture_head(frame, rect, frame.node().title);
    const bool tight = frame.small && (frame.in_lesson() || !frame.is_upright_phone());
    const bool has_ribbon = !frame.state.look.lecture && !tight;
    if (has_ribbon || is_spoken_of(frame, "ribbon.")) ribbon(frame, rect.top(ribbon_height(frame)));
    if ((frame.beside > 0 || frame.small) && frame.trace.image) {
        notice_bar(frame, rect);
        walk_without_columns(frame, rect, equation);
        return remember_escape(frame);
    }
    if (frame.is_upright_phone()) {
        notice_bar(frame, rect);
        walk_above_tokens(frame, rect, equation);
        return remember_escape(frame);
    }
    const Columns columns = columns_for(frame, rect.w);
    ui::Layout body = rect;
    ui::Canvas canvas(frame.ui);
    const ui::Rect left = body.left(columns.left), right = body.right(columns.right);
    canvas.line({left.x + left.w, left.y}, {left.x + left.w, left.y + left.h},
                frame.colors().border);
    ui::Layout pane(frame.ui, left, 16, 12);
    if (frame.trace.image) {
        image_panel(frame, pane);
        heads_panel(frame, pane);
    } else {
        tokens_panel(frame, pane);
    }
    notice_bar(frame, body);
    stage(frame, body, equation);
    if (right.w > 0) {
        canvas.line({right.x, right.y}, {right.x, right.y + right.h}, frame.colors().border);
        inspector(frame, {right.x + frame.px(16), right.y + frame.px(12), right.w - frame.px(20),
                          right.h - frame.px(12)});
    }
    column_handles(frame, rect, columns);
    remember_escape(frame);
}

}  // namespace headlight::screens
