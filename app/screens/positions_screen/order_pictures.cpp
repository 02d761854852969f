#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/pointing.h"
#include "frame/classes.h"
#include "frame/photo.h"
#include "frame/picture.h"
#include "patches/ordered_picture.h"
#include "positions_screen/order.h"

// The original picture, and the one with its patches in another order.
namespace headlight::screens {

namespace {

// Made once per picture and order, as one texture without seams between patches.
const std::shared_ptr<const Image>& ordered_picture(const Frame& frame, OrderedPicture& kept,
                                                    const std::vector<Index>& order) {
    if (kept.of != frame.trace.image || kept.order != order) {
        kept.of = frame.trace.image;
        kept.order = order;
        kept.image =
            std::make_shared<const Image>(in_order(*frame.trace.image, frame.trace.grid, order));
    }
    return kept.image;
}

// The visible rectangle of a patch on a picture in that rectangle.
ui::Rect place_on(const Frame& frame, const ui::Rect& picture, int patch) {
    const Image& image = *frame.trace.image;
    const PixelRect at = frame.trace.grid.rect(patch);
    const float across = picture.w / static_cast<float>(image.width),
                down = picture.h / static_cast<float>(image.height);
    const float left = static_cast<float>(std::max(0, at.col)),
                top = static_cast<float>(std::max(0, at.row)),
                right = static_cast<float>(std::min(image.width, at.col + at.width)),
                bottom = static_cast<float>(std::min(image.height, at.row + at.height));
    return {picture.x + left * across, picture.y + top * down, (right - left) * across,
            (bottom - top) * down};
}

// An arrow from a patch to the cell that the model points to, in the model's own grid.
void twin_arrow(Frame& frame, const ui::Rect& picture, int place, const Pointing& to) {
    const auto [rows, cols] = pointed_cells(frame.trace);
    const ImVec2 from = place_on(frame, picture, place).center();
    const ImVec2 end{picture.x + picture.w * (static_cast<float>(to.cell % cols) + 0.5F) /
                                     static_cast<float>(cols),
                     picture.y + picture.h * (static_cast<float>(to.cell / cols) + 0.5F) /
                                     static_cast<float>(rows)};
    ui::Canvas canvas(frame.ui);
    const float dx = end.x - from.x, dy = end.y - from.y, length = std::hypot(dx, dy);
    if (length < frame.px(4)) {
        canvas.circle(end, frame.px(4), ui::dark_palette().accent, frame.px(2));
        return;
    }
    const float ux = dx / length, uy = dy / length, head = std::min(frame.px(9), length);
    const ImVec2 neck{end.x - ux * head, end.y - uy * head};
    canvas.line(from, neck, IM_COL32(0, 0, 0, 190), frame.px(4));
    canvas.line(from, neck, ui::dark_palette().accent, frame.px(2));
    canvas.triangle(end, {neck.x - uy * head / 2, neck.y + ux * head / 2},
                    {neck.x + uy * head / 2, neck.y - ux * head / 2}, ui::dark_palette().accent);
}

std::string answer_words(const Frame& frame, const OrderedRun& run) {
    const Prediction& first = run.answers.front();
    return class_name(*frame.trace.model, first.index) + " " + percent_text(first.probability);
}

// The model's answer, or else the name of the order.
void below(Frame& frame, const ui::Rect& line, const std::string& words, bool answer,
           const std::string& tip, const std::string& brief = {}) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.face = answer ? ui::Face::mono : ui::Face::words,
                              .size = ui::Size::small,
                              .color = answer ? frame.colors().text : frame.colors().dim};
    const bool fits = brief.empty() || canvas.measure(words, style) <= line.w;
    canvas.label(line, fits ? words : brief, style);
    if (line.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(tip);
}

// The three most probable classes for both orders.
std::string answers_of(const Frame& frame, const OrderedRun& run) {
    std::string words;
    for (const Prediction& p : run.answers)
        words += "\n" + class_name(*frame.trace.model, p.index) + " " + percent_text(p.probability);
    return words;
}

void reports(Frame& frame, const OrderEffect& effect, int patch, int place) {
    const auto answer = [&](const std::string& name, const OrderedRun& run) {
        if (!run.answers.empty()) frame.ui.report(name, answer_words(frame, run));
    };
    answer("positions.order.answer.plain", effect.plain);
    answer("positions.order.answer.changed", effect.changed);
    if (effect.plain.pointing.empty()) return;
    frame.ui.report("positions.order.points.plain",
                    std::to_string(effect.plain.pointing[static_cast<std::size_t>(patch)].cell));
    frame.ui.report("positions.order.points.changed",
                    std::to_string(effect.changed.pointing[static_cast<std::size_t>(place)].cell));
}

void ordered_one(Frame& frame, const ui::Rect& picture, const OrderView& shown,
                 PositionsMemory& memory) {
    const std::string name = "positions.order.picture";
    ui::Canvas canvas(frame.ui);
    canvas.photo(picture,
                 photo(ordered_picture(frame, memory.ordered_picture, shown.order), false));
    const auto mouse = ui::interact(frame.ui, name, picture, ui::Stop::no);
    const PatchGrid& grid = frame.trace.grid;
    const auto stride = static_cast<float>(grid.settings.stride),
               offset = static_cast<float>(grid.offset);
    frame.ui.name(
        name, {picture,
               {offset / stride, offset / stride, static_cast<float>(grid.image_height) / stride,
                static_cast<float>(grid.image_width) / stride}});
    const std::optional<int> place = patch_at(frame, picture, ImGui::GetIO().MousePos);
    OrderHand& hand = memory.order_hand;
    exchange_by_hand(frame, hand, mouse, place, shown.how);
    const ImU32 accent = ui::dark_palette().accent;
    canvas.mark(place_on(frame, picture, shown.place_of_focus()), accent, frame.px(1.5F));
    for (const auto& held : {hand.from, hand.picked})
        if (held && *held < grid.count())
            canvas.mark(place_on(frame, picture, *held), ui::dark_palette().hue(ui::Hue::key),
                        frame.px(2));
    if (!mouse.hovered || !place) return;
    const auto patch = static_cast<int>(shown.order[static_cast<std::size_t>(*place)]);
    focus_on_patch(frame, patch);
    if (hand.from && hand.from != place)
        frame.ui.tooltip(fmt::format("Swaps the patches at {} and {}",
                                     row_and_column(*hand.from, grid.cols),
                                     row_and_column(*place, grid.cols)));
    else if (hand.picked)
        frame.ui.tooltip(fmt::format("Click to swap the patches at {} and {}",
                                     row_and_column(*hand.picked, grid.cols),
                                     row_and_column(*place, grid.cols)));
    else
        frame.ui.tooltip(fmt::format(
            "The patch of {} is now at {}.\nDrag it onto another, or click both, to swap "
            "them.",
            row_and_column(patch, grid.cols), row_and_column(*place, grid.cols)));
}

}  // namespace

void order_pictures(Frame& frame, const ui::Rect& plain, const ui::Rect& ordered,
                    const OrderView& shown, PositionsMemory& memory) {
    ui::Rect one = plain, two = ordered;
    const ui::Rect line_one = one.cut_bottom(frame.line()), line_two = two.cut_bottom(frame.line());
    const auto token = static_cast<int>(token_of_row(frame.trace, Axis::patch, shown.view.patch));
    const ui::Rect drawn =
        draw_picture(frame, one, {.name = "positions.order.plain", .token = token});
    ordered_one(frame, {two.x, drawn.y, drawn.w, drawn.h}, shown, memory);
    const std::string words = order_in_words(shown.how);
    if (shown.found == nullptr) {
        below(frame, line_one, "as it is", false, "The picture as it is");
        return below(frame, line_two, words, false, words, order_in_brief(shown.how));
    }
    const OrderEffect& effect =
        shown.adds ? shown.found->with_positions : shown.found->without_positions;
    const int patch = shown.view.patch, place = shown.place_of_focus();
    reports(frame, effect, patch, place);
    if (!effect.plain.pointing.empty() && !effect.changed.pointing.empty()) {
        twin_arrow(frame, drawn, patch, effect.plain.pointing[static_cast<std::size_t>(patch)]);
        twin_arrow(frame, {two.x, drawn.y, drawn.w, drawn.h}, place,
                   effect.changed.pointing[static_cast<std::size_t>(place)]);
    }
    if (effect.plain.answers.empty()) {
        below(frame, line_one, "as it is", false, "The picture as it is");
        return below(frame, line_two, words, false, words, order_in_brief(shown.how));
    }
    below(frame, line_one, answer_words(frame, effect.plain), true,
          "As it is:" + answers_of(frame, effect.plain));
    below(frame, line_two, answer_words(frame, effect.changed), true,
          words + ":" + answers_of(frame, effect.changed));
}

}  // namespace headlight::screens
