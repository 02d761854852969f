#include "positions_screen/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

// The effect of reordering the patches on a transformer.
namespace headlight::screens {

namespace {

constexpr const char *kShuffle = "positions.shuffle", *kBackInOrder = "positions.order.none";
constexpr float kBetween = 4;  // units between two buttons

struct Tool {
    std::string name, label, tip;
    PatchOrder next;
};

// Resets everything except mirror and shift, which can be combined.
PatchOrder regular(const PatchOrder& order) {
    PatchOrder next = order;
    next.seed = 0;
    next.few = 0;
    next.exchanged.clear();
    return next;
}

std::vector<Tool> tools_for(const PatchOrder& now, const PositionsView& view) {
    constexpr std::uint64_t kSeeds = 9999;
    const bool words = view.rows == 1;
    const std::string what = words ? "token" : "patch", many = words ? "tokens" : "patches";
    PatchOrder all;
    all.seed = now.seed % kSeeds + 1;
    PatchOrder few = all;
    few.few = std::clamp(view.rows * view.cols / 8, 2, 12);
    PatchOrder right = regular(now), down = right, mirrored = right;
    right.right = (now.right + 1) % std::max(1, view.cols);
    down.down = (now.down + 1) % std::max(1, view.rows);
    mirrored.mirrored = !now.mirrored;
    std::vector<Tool> tools{
        {kShuffle, "Shuffle", "Shuffles all " + many + " into a random order from a seed", all}};
    if (view.rows * view.cols > 4)
        tools.push_back({"positions.order.few", "A few",
                         fmt::format("Shuffles {} {}, chosen at random from a seed", few.few, many),
                         few});
    if (view.cols > 1)
        tools.push_back({"positions.order.right", "→",
                         "Shifts all by one " + what + " to the right, wrapping around", right});
    if (view.rows > 1)
        tools.push_back({"positions.order.down", "↓",
                         "Shifts all by one " + what + " down, wrapping around", down});
    if (view.cols > 1)
        tools.push_back(
            {"positions.order.mirror", "Mirror",
             "Mirrors the places of the " + many + "; each " + what + " itself stays as it is",
             mirrored});
    if (!now.in_order())
        tools.push_back({kBackInOrder, "In order", "Restores the original order", {}});
    return tools;
}

// All buttons, or the first and the reset button, with as many of the others as fit.
std::vector<Tool> tools_that_fit(Frame& frame, std::vector<Tool> tools, float room) {
    const auto wanted = [&] {
        float width = 0;
        for (const Tool& tool : tools)
            width += ui::button_width(frame.ui, tool.label) + frame.px(kBetween);
        return width - frame.px(kBetween);
    };
    const auto is_spare = [](const Tool& tool) {
        return tool.name != kShuffle && tool.name != kBackInOrder;
    };
    while (wanted() > room) {
        const auto last = std::ranges::find_if(tools.rbegin(), tools.rend(), is_spare);
        if (last == tools.rend()) break;
        tools.erase(std::next(last).base());
    }
    return tools;
}

std::string instead_of_a_result() {
    return "Attention ignores the order of the patches. Only positions carry it. Shuffle, shift or "
           "mirror the patches, or drag one onto another, and see what the model notices.";
}

OrderView order_view(Frame& frame, const PositionsView& view, PositionsMemory& memory) {
    OrderView shown{.view = view, .how = frame.state.look.order, .order = {}, .why_not = {}};
    shown.adds = view.said->answer.present.has_value() || view.bias != nullptr;
    try {
        (void)tokens_to_order(frame.trace);
        shown.order = order_of(shown.how, view.rows, view.cols);
    } catch (const std::runtime_error& error) {
        shown.why_not = error.what();
        return shown;
    }
    if (shown.how.in_order()) return shown;
    const OrderQuestion question{frame.shared(frame.trace), frame.recipe, {shown.how}};
    const auto said = memory.order_said = studies_of(frame).ask(kOrderEffects, question);
    if (!said || !(said->question == question)) return shown;
    if (said->error.empty())
        shown.found = &said->answer.front();
    else
        shown.why_not = said->error;
    return shown;
}

// Two pictures side by side, and the outputs beside them, or below if there is space.
void pictures_and_outputs(Frame& frame, ui::Layout rect, const OrderView& shown,
                          PositionsMemory& memory) {
    ui::Canvas canvas(frame.ui);
    const Image& image = *frame.trace.image;
    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    const bool above = rect.h > rect.w * 0.6F;
    const float gap = frame.px(12), words = frame.line();
    // Beside them, three outputs need room for their names.
    const float most =
        above ? (rect.w - gap) / 2
              : std::clamp((rect.w - frame.px(550)) / 2, rect.w * 0.27F, rect.w * 0.34F);
    const float tall =
        std::max(1.0F, std::min((above ? rect.h * 0.55F : rect.h) - words, most / aspect));
    const ui::Rect one{rect.x, rect.y, tall * aspect, tall + words};
    order_pictures(frame, one, {one.x + one.w + gap, one.y, one.w, one.h}, shown, memory);
    if (above)
        rect.top(one.h + gap);
    else
        rect.left(2 * one.w + gap + frame.px(16));
    if (shown.found != nullptr) return order_outputs(frame, rect, shown);
    const std::string said = !shown.why_not.empty() ? shown.why_not
                             : shown.how.in_order() ? instead_of_a_result()
                                                    : "Computing…";
    const auto clip = canvas.clip(rect);
    canvas.wrapped(rect, said, {.color = frame.colors().dim});
}

// What the model notices, for the last row of a lecture hall.
std::string lecture_sentence(const OrderView& shown) {
    if (!shown.why_not.empty()) return shown.why_not;
    if (shown.how.in_order()) return instead_of_a_result();
    if (shown.found == nullptr) return "Computing…";
    const bool with = is_same(*shown.found, Positions::as_they_are);
    std::string words =
        is_same(*shown.found, Positions::none)
            ? "Without positions, the output is the same, only reordered."
            : "Even without positions, the output changes" + why_other(*shown.found) + ".";
    if (shown.adds)
        words += with ? " With positions, it is the same too." : " With positions, it changes.";
    return words;
}

// In lecture view: the pictures as large as they can be, with the outputs below or beside them. A
// lesson's text replaces the sentence.
void order_in_lecture(Frame& frame, ui::Layout rect, const OrderView& shown,
                      PositionsMemory& memory) {
    ui::Canvas canvas(frame.ui);
    const float gap = frame.px(12), line = frame.line();
    if (!frame.in_lesson() || !shown.why_not.empty()) {
        const std::string words = lecture_sentence(shown);
        const ui::TextStyle style{.size = ui::Size::body};
        canvas.wrapped(rect.bottom(canvas.measure_wrapped(words, style, rect.w).y), words, style);
        rect.bottom(gap / 2);
        frame.ui.report("positions.order.sentence", words);
    }
    if (shown.order.empty()) return;
    const Image& image = *frame.trace.image;
    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    const bool has_outputs = !shown.how.in_order() && shown.why_not.empty();
    const float rows = !has_outputs ? 0.0F : shown.adds ? 2.0F : 1.0F;
    const float under = rows * (2 * line + frame.px(40)) + gap * rows,
                beside = has_outputs ? std::max(rect.w * 0.26F, frame.px(280)) + gap : 0;
    const auto tall_in = [&](float width, float height) {
        return std::max(1.0F, std::min((width - gap) / 2 / aspect, height - line));
    };
    const float over = tall_in(rect.w, rect.h - under), next_to = tall_in(rect.w - beside, rect.h);
    const bool is_above = over >= next_to;
    const float tall = std::floor(std::max(over, next_to)), wide = tall * aspect;
    const float left = is_above ? rect.x + (rect.w - 2 * wide - gap) / 2 : rect.x;
    const ui::Rect one{left, rect.y, wide, tall + line};
    order_pictures(frame, one, {one.x + wide + gap, one.y, wide, one.h}, shown, memory);
    if (is_above)
        rect.top(one.h + gap);
    else
        rect.left(2 * wide + 2 * gap);
    if (shown.found != nullptr) order_outputs(frame, rect, shown);
}

void set_order(Frame& frame, const PatchOrder& order) {
    frame.set("order", to_text(order));
    frame.memory.gesture_ended = true;  // each is a separate undo step
}

}  // namespace

int OrderView::place_of_focus() const {
    const auto at = std::ranges::find(order, static_cast<Index>(view.patch));
    return at == order.end() ? -1 : static_cast<int>(at - order.begin());
}

std::string order_in_words(const PatchOrder& order) {
    std::string words;
    const auto add = [&](const std::string& what) { words += (words.empty() ? "" : ", ") + what; };
    if (order.mirrored) add("mirrored");
    if (order.right != 0) add(fmt::format("shifted by {} to the right", order.right));
    if (order.down != 0) add(fmt::format("shifted by {} down", order.down));
    if (order.seed != 0 && order.few == 0) add(fmt::format("shuffled by seed {}", order.seed));
    if (order.seed != 0 && order.few > 0)
        add(fmt::format("{} shuffled by seed {}", order.few, order.seed));
    if (!order.exchanged.empty())
        add(fmt::format("{} swapped by hand",
                        order.exchanged.size() == 1
                            ? "one pair"
                            : std::to_string(order.exchanged.size()) + " pairs"));
    return words.empty() ? "in order" : words;
}

std::string order_in_brief(const PatchOrder& order) {
    std::string words;
    const auto add = [&](const std::string& what) { words += (words.empty() ? "" : " ") + what; };
    if (order.mirrored) add("mirrored");
    if (order.right != 0) add(fmt::format("→{}", order.right));
    if (order.down != 0) add(fmt::format("↓{}", order.down));
    if (order.seed != 0) add(order.few > 0 ? fmt::format("{} shuffled", order.few) : "shuffled");
    if (!order.exchanged.empty()) add(fmt::format("{} by hand", order.exchanged.size()));
    return words.empty() ? "in order" : words;
}

void order_tools(Frame& frame, ui::Layout& row, const PositionsView& view, ui::Align align) {
    const PatchOrder& now = frame.state.look.order;
    std::vector<Tool> tools = tools_that_fit(frame, tools_for(now, view), row.w);
    if (align == ui::Align::left) {
        float width = 0;
        for (const Tool& tool : tools)
            width += ui::button_width(frame.ui, tool.label) + frame.px(kBetween);
        row.w = std::min(row.w, width - frame.px(kBetween));
    }
    std::ranges::reverse(tools);
    for (const Tool& tool : tools) {
        const float wide = ui::button_width(frame.ui, tool.label);
        const bool back = tool.name == kBackInOrder;
        if (ui::button(frame.ui, tool.name, row.right(wide), tool.label,
                       back ? ui::ButtonLook::marked : ui::ButtonLook::outlined, tool.tip))
            set_order(frame, tool.next);
        row.skip_right(kBetween);
    }
}

void exchange_by_hand(Frame& frame, OrderHand& hand, const ui::Interaction& mouse,
                      std::optional<int> place, const PatchOrder& now) {
    if (mouse.held && !hand.from) hand.from = place;
    if (!mouse.released) return;
    const std::optional<int> from = hand.from;
    hand.from.reset();
    if (!from || !place) return;
    const std::optional<int> picked = hand.picked;
    hand.picked.reset();
    const int other = *from != *place ? *from : picked.value_or(-1);
    if (other < 0) {
        hand.picked = place;
        return;
    }
    if (other == *place) return;
    PatchOrder next = now;
    const std::pair pair{std::min(other, *place), std::max(other, *place)};
    // Swapping the same two again undoes it.
    if (!next.exchanged.empty() && next.exchanged.back() == pair)
        next.exchanged.pop_back();
    else
        next.exchanged.push_back(pair);
    set_order(frame, next);
}

void order_part(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory) {
    const bool lecture = frame.state.look.lecture;
    ui::Layout head =
        rect.top(lecture ? frame.line(ui::Size::body) + frame.px(6) : frame.line() * 1.4F);
    const OrderView shown = order_view(frame, view, memory);
    // A lecture has no caption beside the buttons; a callout finds room at their right.
    if (!shown.order.empty() || !shown.how.in_order())
        order_tools(frame, head, view, lecture ? ui::Align::left : ui::Align::right);
    if (lecture) {
        rect.skip_top(8);
        frame.ui.report("positions.order", to_text(shown.how));
        if (shown.order.empty()) frame.ui.report("positions.order.why_not", shown.why_not);
        return order_in_lecture(frame, rect, shown, memory);
    }
    caption_that_fits(frame.ui, head,
                      {"ORDER: THE SAME PATCHES, SHUFFLED", "ORDER OF PATCHES", "ORDER"});
    rect.skip_top(6);
    frame.ui.report("positions.order", to_text(shown.how));
    if (!shown.order.empty()) return pictures_and_outputs(frame, rect, shown, memory);
    const auto clip = ui::Canvas(frame.ui).clip(rect);
    ui::Canvas(frame.ui).wrapped(rect, shown.why_not, {.color = frame.colors().dim});
    frame.ui.report("positions.order.why_not", shown.why_not);
}

}  // namespace headlight::screens
