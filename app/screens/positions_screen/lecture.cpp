#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "frame/lecture_head.h"
#include "positions/positions.h"
#include "positions_screen/view.h"

// The lecture view of Positions: the table, one channel over the picture or what a lesson points
// to, and one sentence; or one of the other pages.
namespace headlight::screens {

namespace {

std::string sentence(const Frame& frame, const PositionsView& view) {
    const std::string token = name_and_place(frame, view.patch);
    if (view.bias != nullptr)
        return fmt::format(
            "On the left, what each offset from query to key adds to their score, with the query "
            "in the middle. On the right, what is added to the scores of {}.",
            token);
    const std::string there = fmt::format("On the right, channel {} of all rows.", view.channel);
    if (!view.said->answer.present)
        return fmt::format("Nothing is added now. This is the table that would be added, {}.",
                           info(view.table->choice.kind).label);
    if (view.table->turns)
        return fmt::format("The marked row rotates the query and key of {}. {}", token, there);
    return fmt::format("The marked row is added to {}. {}", token, there);
}

float widest_kind(const Frame& frame) {
    float widest = 0;
    for (const PositionInfo& kind : all_positions())
        widest = std::max(widest, ui::button_width(frame.ui, kind.short_label));
    return widest;
}

// The list of kinds, beside what is left of the rectangle or, if that is narrow, above it. No name
// is cut.
void kinds_apart(Frame& frame, ui::Layout& rect, const PositionsView& view) {
    const float gap = frame.px(28), widest = widest_kind(frame);
    if (widest <= rect.w * 0.6F) {
        kind_part(frame, rect.right(std::max(rect.w * 0.4F, widest)), view);
        rect.right(gap);
    } else {
        kind_part(frame, rect.top(rect.h * 0.73F), view);
        rect.top(gap / 2);
    }
}

// What a lesson points to, or else a channel.
void beside_table(Frame& frame, ui::Layout rect, const PositionsView& view,
                  PositionsMemory& memory) {
    constexpr float gap = 28;
    if (is_spoken_of(frame, "positions.waves") || is_spoken_of(frame, "positions.hand")) {
        clock_hands(frame, rect.top(rect.h * 0.36F, gap), view);
        waves(frame, rect, view);
    } else if (is_spoken_of(frame, "positions.likeness")) {
        likeness_over_picture(frame, rect, view);
    } else if (is_spoken_of(frame, "positions.shuffle")) {
        order_part(frame, rect, view, memory);
    } else if (is_spoken_of(frame, "positions.readout")) {
        readout_part(frame, rect, view, memory);
    } else if (is_spoken_of(frame, "positions.kind")) {
        kinds_apart(frame, rect, view);
        likeness_over_picture(frame, rect, view);
    } else {
        channel_over_picture(frame, rect, view);
    }
}

void beside_bias(Frame& frame, ui::Layout rect, const PositionsView& view,
                 PositionsMemory& memory) {
    if (is_spoken_of(frame, "positions.shuffle")) return order_part(frame, rect, view, memory);
    if (is_spoken_of(frame, "positions.readout")) return readout_part(frame, rect, view, memory);
    if (is_spoken_of(frame, "positions.kind")) kinds_apart(frame, rect, view);
    bias_over_picture(frame, rect, view);
}

// Whether a lesson points to something that the chosen page shows in lecture view.
bool speaks_of_page(const Frame& frame) {
    const auto speaks_of = [&](std::initializer_list<std::string_view> names) {
        return std::ranges::any_of(
            names, [&](std::string_view name) { return is_spoken_of(frame, name); });
    };
    return frame.state.look.position_page == PositionPage::order
               ? speaks_of({"positions.order", "positions.shuffle"})
               : speaks_of({"positions.cosines", "positions.pairs", "positions.properties",
                            "positions.card", "positions.readout", "positions.plot"});
}

// What a lesson points to takes precedence.
bool shows_other_page(const Frame& frame) {
    return frame.state.look.position_page != PositionPage::table &&
           (!is_spoken_of(frame, "positions.") || speaks_of_page(frame));
}

// The chosen page: the table's properties, or the effect of order.
void other_page(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory) {
    frame.ui.report("positions.page", std::string(name_of(frame.state.look.position_page)));
    if (frame.state.look.position_page == PositionPage::order)
        return order_part(frame, rect, view, memory);
    if (is_spoken_of(frame, "positions.readout") || is_spoken_of(frame, "positions.plot"))
        return readout_part(frame, rect, view, memory);
    const float gap = frame.px(28);
    if (view.table != nullptr) {
        // The matrix is a square; the properties get the rest.
        const float square = std::max(rect.h - pairs_height(frame, 0), rect.w * 0.3F);
        pairs_part(frame, rect.left(std::min(square, (rect.w - gap) / 2)), view, memory);
        rect.left(gap);
    }
    properties_part(frame, rect, view);
}

}  // namespace

void positions_lecture(Frame& frame, ui::Layout rect, const PositionsView& view,
                       PositionsMemory& memory) {
    lecture_head(frame, rect, "Where each patch is");
    rect = rect.inset(frame.px(20), frame.px(8));
    const float gap = frame.px(28);
    if (shows_other_page(frame)) return other_page(frame, rect, view, memory);
    if (!frame.in_lesson()) {  // whose text is below
        ui::Canvas canvas(frame.ui);
        const ui::TextStyle style{.size = ui::Size::body};
        const std::string words = sentence(frame, view);
        canvas.wrapped(rect.bottom(canvas.measure_wrapped(words, style, rect.w).y), words, style);
        rect.bottom(gap / 2);
        frame.ui.report("positions.sentence", words);
    }
    const ui::Layout left = rect.left((rect.w - gap) / 2);
    rect.left(gap);
    if (view.bias != nullptr) {
        bias_picture_part(frame, left, view);
        return beside_bias(frame, rect, view, memory);
    }
    position_table_part(frame, left, view, memory);
    beside_table(frame, rect, view, memory);
}

}  // namespace headlight::screens
