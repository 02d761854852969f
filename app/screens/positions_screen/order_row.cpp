#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frame/capitals.h"
#include "positions_screen/order.h"
#include "ui/color_bar.h"

// A sequence of words in three orders, side by side: the layer's outputs, and their differences
// once every word is back in its place.
namespace headlight::screens {

namespace {

constexpr std::size_t kOrders = 3;

struct RowOrder {
    std::string caption, brief;
    PatchOrder how;
    std::vector<Index> order;
    const OrderStudy* found = nullptr;
};
using RowOrders = std::array<RowOrder, kOrders>;

// The given order; the user's own or, if there is none, shifted by one; and reversed.
RowOrders three_orders(const PatchOrder& own) {
    PatchOrder backwards, shifted;
    backwards.mirrored = true;
    shifted.right = 1;
    const bool is_own = !own.in_order();
    const PatchOrder& second = is_own ? own : shifted;
    const bool twice = second == backwards;
    return {{{"AS GIVEN", "AS GIVEN", {}, {}},
             {is_own && !twice ? "THIS ORDER" : capitals(order_in_words(second)),
              capitals(order_in_brief(second)),
              second,
              {}},
             {twice ? "SHIFTED BY 1" : "BACKWARDS",
              twice ? "SHIFTED" : "BACK",
              twice ? shifted : backwards,
              {}}}};
}

const std::string& word_of(const Frame& frame, Index token) {
    return (*frame.trace.token_names)[static_cast<std::size_t>(token)];
}

// The words in one order; each can be dragged onto another.
void word_chips(Frame& frame, ui::Rect rect, std::size_t column, const RowOrder& one,
                const PositionsView& view, OrderHand& hand) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.size = ui::Size::small, .align = ui::Align::center};
    const float gap = frame.px(4), high = frame.line() * 1.3F;
    float x = rect.x, y = rect.y;
    std::optional<int> under;
    bool held = false, released = false;
    for (std::size_t place = 0; place < one.order.size(); ++place) {
        const std::string& word = word_of(frame, one.order[place]);
        const float wide = std::min(rect.w, canvas.measure(word, style) + frame.px(12));
        if (x + wide > rect.x + rect.w && x > rect.x) {
            x = rect.x;
            y += high + gap;
        }
        const ui::Rect chip{x, y, wide, high};
        x += wide + gap;
        if (y + high > rect.y + rect.h) break;
        const auto at = static_cast<int>(place);
        const auto mouse =
            ui::interact(frame.ui, fmt::format("positions.word.{}.{}", column, at), chip);
        const bool lit = one.order[place] == view.patch,
                   taken = hand.from == at || hand.picked == at;
        canvas.card(chip, taken ? frame.colors().hover : frame.colors().card);
        if (lit || taken)
            canvas.outline(chip, lit ? frame.colors().accent : frame.colors().dim, frame.px(1.5F),
                           frame.px(4));
        canvas.label(chip, word, style);
        if (chip.contains(ImGui::GetIO().MousePos)) {
            under = at;
            focus_on_patch(frame, static_cast<int>(one.order[place]));
            frame.ui.tooltip(fmt::format(
                "{}, word {} of this order\nDrag it onto another, or click both, to swap them",
                word, at));
        }
        if (mouse.held && !hand.from) hand.from = at;
        held = held || mouse.held;
        released = released || mouse.released;
    }
    ui::Interaction mouse;
    mouse.held = held;
    mouse.released = released;
    exchange_by_hand(frame, hand, mouse, under, one.how);
}

// Labels each row of a matrix with its word, if rows are high enough.
ui::Rect with_names(Frame& frame, ui::Layout rect, const std::vector<Index>* order) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style = frame.small_dim(ui::Align::right);
    const auto& names = *frame.trace.token_names;
    const float each = rect.h / static_cast<float>(names.size());
    if (each < frame.line()) return rect;
    float widest = 0;
    for (const std::string& name : names) widest = std::max(widest, canvas.measure(name, style));
    ui::Layout side = rect.left(std::min(widest, rect.w * 0.35F), 6);
    for (std::size_t i = 0; i < names.size(); ++i)
        canvas.label(side.top(each), order == nullptr ? names[i] : word_of(frame, (*order)[i]),
                     style);
    return rect;
}

const OrderEffect& effect_of(const RowOrder& one, bool with) {
    return with ? one.found->with_positions : one.found->without_positions;
}

bool is_same(const RowOrder& one, bool with) {
    return headlight::is_same(*one.found, with ? Positions::as_they_are : Positions::none);
}

std::string sentence(const RowOrders& orders, bool with, bool same) {
    if (with)
        return same ? "With positions: the same outputs" : "With positions: different outputs";
    return same ? "Without positions: the same outputs, in the order of the words"
                : "Without positions: different outputs" + why_other(*orders[0].found);
}

// One output per order, with the difference from the first below.
void outputs(Frame& frame, ui::Layout rect, const RowOrders& orders, bool with,
             const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    const float gap = frame.px(16), third = (rect.w - 2 * gap) / 3;
    const std::string name = with ? "with" : "without";
    bool same = true;
    float reach = 0;  // over all orders, so that colors are comparable
    for (const RowOrder& one : orders) {
        same = same && is_same(one, with);
        reach = std::max(reach, static_cast<float>(effect_of(one, with).largest));
    }
    canvas.label(rect.row(ui::Size::body), sentence(orders, with, same),
                 {.color = same ? frame.colors().ok : frame.colors().error});
    frame.ui.report("positions.order." + name, same ? "same" : "other");
    rect.skip_top(4);
    const float high = (rect.h - frame.line() * 2.4F) / 2;
    const ui::Rect upper = rect.top(high, 6);
    const ui::Rect words = rect.row(), lower = rect.top(high);
    for (std::size_t i = 0; i < kOrders; ++i) {
        const RowOrder& one = orders[i];
        const OrderEffect& effect = effect_of(one, with);
        const float x = rect.x + static_cast<float>(i) * (third + gap);
        const auto part = [&](const ui::Rect& of) { return ui::Rect{x, of.y, third, of.h}; };
        output_matrix(frame, with_names(frame, {frame.ui, part(upper)}, &one.order),
                      {fmt::format("positions.order.{}.{}", name, i), "Output for this order"},
                      effect.changed.output, reach, 0, &one.order, view);
        const ui::TextStyle style{
            .face = ui::Face::mono,
            .size = ui::Size::small,
            .color = is_same(one, with) ? frame.colors().ok : frame.colors().error};
        if (i == 0) {
            canvas.label(part(words), "sorted back, minus the first:", frame.small_dim());
            ui::Layout colors(frame.ui, part(lower));
            ui::color_line(frame.ui, colors.row(), signed_scale(frame, -reach, reach));
            continue;
        }
        const std::string mark = is_same(one, with) ? " ✓" : "",
                          brief = fmt::format("off by {:.2g}{}", effect.most, mark),
                          whole = fmt::format("off by {:.2g}; largest value {:.3g}{}", effect.most,
                                              effect.largest, mark);
        label_that_fits(canvas, part(words), {whole, brief}, style);
        frame.ui.report(fmt::format("positions.order.{}.{}.most", name, i),
                        fmt::format("{:.3e}", effect.most));
        output_matrix(frame, with_names(frame, {frame.ui, part(lower)}, nullptr),
                      {fmt::format("positions.order.{}.{}.difference", name, i),
                       "Difference from the first, with every word back in its place"},
                      effect.difference, reach, 0, nullptr, view);
    }
}

}  // namespace

void order_of_row_part(Frame& frame, ui::Layout rect, const PositionsView& view,
                       PositionsMemory& memory) {
    ui::Canvas canvas(frame.ui);
    ui::Layout head = rect.top(frame.line() * 1.4F, 6);
    order_tools(frame, head, view);
    canvas.caption(head, "ORDER");
    const ui::TextStyle dim{.color = frame.colors().dim};
    RowOrders orders = three_orders(frame.state.look.order);
    OrderQuestion question{frame.shared(frame.trace), frame.recipe, {}};
    try {
        for (RowOrder& one : orders) {
            one.order = order_of(one.how, view.rows, view.cols);
            question.orders.push_back(one.how);
        }
    } catch (const OrderError& error) {
        return static_cast<void>(canvas.wrapped(rect, error.what(), dim));
    }
    frame.ui.report("positions.order", to_text(frame.state.look.order));
    const float gap = frame.px(16), third = (rect.w - 2 * gap) / 3;
    const ui::Rect captions = rect.row(),
                   chips =
                       rect.top(frame.line() * (frame.trace.token_names->size() > 5 ? 3.0F : 1.6F));
    for (std::size_t i = 0; i < kOrders; ++i) {
        const float x = rect.x + static_cast<float>(i) * (third + gap);
        caption_that_fits(frame.ui, {x, captions.y, third, captions.h},
                          {orders[i].caption, orders[i].brief});
        word_chips(frame, {x, chips.y + frame.px(2), third, chips.h}, i, orders[i], view,
                   memory.word_hands[i]);
    }
    rect.skip_top(8);
    const auto said = memory.order_said = studies_of(frame).ask(kOrderEffects, question);
    if (!said || !(said->question == question)) return canvas.label(rect.row(), "Computing…", dim);
    if (!said->error.empty()) return static_cast<void>(canvas.wrapped(rect, said->error, dim));
    for (std::size_t i = 0; i < kOrders; ++i) orders[i].found = &said->answer[i];
    const bool adds = view.said->answer.present.has_value();
    if (!adds) {
        frame.ui.report("positions.none", "yes");
        outputs(frame, rect.top(rect.h * 0.6F, 12), orders, false, view);
        return static_cast<void>(canvas.wrapped(
            rect,
            "Nothing tells the layer where a word is, so every order gives the same outputs. Add "
            "sinusoidal positions, on the right, and the outputs differ.",
            dim));
    }
    outputs(frame, rect.top((rect.h - gap) / 2), orders, false, view);
    rect.top(gap);
    outputs(frame, rect, orders, true, view);
}

}  // namespace headlight::screens
