#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "heads/view.h"
#include "state/fields.h"

// The row of choices above the maps.
namespace headlight::screens {

namespace {

float width_of(Frame& frame, const std::vector<std::string_view>& labels) {
    float width = 0;
    for (const auto label : labels) width += ui::Canvas(frame.ui).measure(label, {}) + frame.px(24);
    return width;
}

// Buttons in a row, where there is room for them: the index of the clicked one, or -1.
int buttons(Frame& frame, ui::Rect& rest, const std::string& name,
            const std::vector<std::string_view>& labels, int selected, std::string_view tip = {}) {
    const float width = width_of(frame, labels);
    if (width > rest.w) return -1;
    const ui::Rect place = rest.cut_left(width);
    if (!tip.empty() && place.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(std::string(tip));
    rest.cut_left(frame.px(10));
    return ui::segmented(frame.ui, name, place, labels, selected);
}

std::string_view words_of(HeadOrder order) {
    switch (order) {
        case HeadOrder::layer:
            return "by layer";
        case HeadOrder::entropy:
            return "by entropy";
        case HeadOrder::distance:
            return "by distance";
        case HeadOrder::class_token:
            return "by class token";
        case HeadOrder::itself:
            return "by reading itself";
        case HeadOrder::alike:
            return "like the chosen one";
        case HeadOrder::groups:
            return "alike together";
        case HeadOrder::importance:
            return "by importance";
        case HeadOrder::contribution:
            return "by contribution";
        case HeadOrder::patching:
            return "by patching";
    }
    return "";
}

// Without a classifier nothing says what a head is important for, or adds to; without a result that
// was kept nothing can be taken from it.
bool is_possible(const Frame& frame, HeadOrder order) {
    if (order == HeadOrder::patching && !can_be_patched(frame)) return false;
    return order < HeadOrder::importance || !frame.summary.top.empty();
}

struct DropDown {
    std::string name;
    std::vector<std::string_view> options;
    int selected = -1;
    std::vector<std::string> words = {};  // as they are shown; empty: the options themselves
    std::string_view tip = {};
};

// A list that opens, where there is room for it: the index of the one that was clicked, or -1.
int drop_down(Frame& frame, ui::Rect& rest, const DropDown& list) {
    float width = 0;
    const auto widen = [&](std::string_view label) {
        width = std::max(width, width_of(frame, {label}) + frame.px(16));
    };
    if (list.words.empty())
        std::ranges::for_each(list.options, widen);
    else
        std::ranges::for_each(list.words, widen);
    if (width > rest.w) return -1;
    const ui::Rect place = rest.cut_left(width);
    rest.cut_left(frame.px(10));
    if (!list.tip.empty() && place.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(std::string(list.tip));
    return ui::choice(frame.ui, list.name, place, list.options, list.selected, list.words);
}

void order_choice(Frame& frame, ui::Rect& rest) {
    std::vector<HeadOrder> orders;
    DropDown list{.name = "heads.order", .options = {}};
    for (std::size_t i = 0; i < kNames<HeadOrder>.size(); ++i) {
        const auto order = static_cast<HeadOrder>(i);
        if (!is_possible(frame, order)) continue;
        if (order == frame.state.look.heads_order)
            list.selected = static_cast<int>(list.options.size());
        orders.push_back(order);
        list.options.push_back(words_of(order));
    }
    if (frame.state.look.heads_order == HeadOrder::patching)
        list.tip =
            "Something is taken from the result kept as before: what of the answer follows it. "
            "Each head's output in turn, a token after each layer, or what a layer gives, as is "
            "chosen above the maps.";
    const int chosen = drop_down(frame, rest, list);
    if (chosen >= 0)
        frame.set("heads_order", std::string(name_of(orders[static_cast<std::size_t>(chosen)])));
}

// How much of each map is shown.
void mass_choice(Frame& frame, ui::Rect& rest) {
    constexpr std::array kParts{100, 90, 60, 30};
    const float mass = frame.state.look.heads_mass;
    DropDown list{
        .name = "heads.mass",
        .options = {},
        .tip =
            "Of each map only the fewest patches that hold so much of what goes to patches; "
            "the others are black."};
    std::vector<std::string> words;
    for (const int part : kParts) {
        if (static_cast<float>(part) == mass) list.selected = static_cast<int>(words.size());
        words.push_back(part == 100 ? "whole maps" : "mass " + std::to_string(part) + " %");
    }
    if (list.selected < 0) {
        list.selected = static_cast<int>(words.size());
        words.push_back(fmt::format("mass {:g} %", mass));
    }
    list.options.assign(words.begin(), words.end());
    const int chosen = drop_down(frame, rest, list);
    if (chosen >= 0 && chosen < static_cast<int>(kParts.size()))
        frame.set("heads_mass", std::to_string(kParts[static_cast<std::size_t>(chosen)]));
}

// Only where rows and columns are layers and heads.
void combined_choice(Frame& frame, ui::Rect& rest) {
    if (frame.state.look.heads_order != HeadOrder::layer) return;
    const int chosen =
        drop_down(frame, rest,
                  {.name = "heads.combined",
                   .options = {"each head", "and the mean", "and the largest", "and the smallest"},
                   .selected = static_cast<int>(frame.state.look.heads_combined),
                   .words = {"each head", "+ mean", "+ largest", "+ smallest"},
                   .tip = "Beside each layer's maps, below each head's, all of them as one."});
    if (chosen >= 0)
        frame.set("heads_combined", std::string(name_of(static_cast<Combined>(chosen))));
}

// Whose map it is, where it is none of the picture's.
void special_tokens(Frame& frame, ui::Rect& rest, const HeadsView& view) {
    const TokenLayout& layout = frame.trace.layout;
    const auto count = static_cast<int>(layout.prefix());
    if (count == 0) return;
    std::vector<std::string> names;
    for (int t = 0; t < count; ++t) names.push_back(token_name(layout, t));
    const std::vector<std::string_view> labels(names.begin(), names.end());
    const int chosen = buttons(frame, rest, "heads.token", labels,
                               view.token < count ? static_cast<int>(view.token) : -1);
    if (chosen >= 0) frame.say("focus", std::to_string(chosen));
}

// A bar while every head is tried, and a way to stop.
template <class Finder>
void measuring(Frame& frame, ui::Rect& rest, Finder& finder, const char* words) {
    if (!finder.busy()) return;
    const float width = ui::button_width(frame.ui, "Stop") + frame.px(180);
    if (width > rest.w) return;
    ui::Rect place = rest.cut_left(width);
    const bool stop = ui::button(frame.ui, "heads.stop",
                                 place.cut_right(ui::button_width(frame.ui, "Stop")), "Stop");
    place.cut_right(frame.px(8));
    ui::Canvas canvas(frame.ui);
    const ui::Rect bar{place.x, place.center().y - frame.px(3), place.w, frame.px(6)};
    canvas.fill(bar, frame.colors().border, frame.px(3));
    canvas.fill({bar.x, bar.y, bar.w * finder.progress(), bar.h}, frame.colors().accent,
                frame.px(3));
    if (place.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(words);
    if (!stop) return;
    finder.cancel();
    frame.set("heads_order", "layer");
}

}  // namespace

void heads_tools(Frame& frame, ui::Rect rect, const HeadsView& view, HeadsMemory& memory) {
    const std::string token = token_name(frame.trace.layout, view.token);
    const std::string reads = token + " reads from", is_read = token + " is read by";
    const bool by = frame.state.look.reading == Reading::by;
    int chosen = buttons(frame, rect, "heads.reading", {reads, is_read}, by ? 1 : 0);
    if (chosen >= 0) frame.set("reading", chosen == 0 ? "from" : "by");
    special_tokens(frame, rect, view);
    const bool shared = frame.state.look.range == RangeMode::shared;
    chosen = buttons(frame, rect, "heads.range", {"shared range", "own"}, shared ? 0 : 1);
    if (chosen >= 0) frame.set("range", chosen == 0 ? "shared" : "own");
    const auto scale = static_cast<int>(frame.state.look.attention_scale);
    chosen = buttons(frame, rect, "heads.scale", {"linear", "√", "log", "× even share"}, scale,
                     find_field("attention_scale")->help);
    if (chosen >= 0)
        frame.set("attention_scale", std::string(name_of(static_cast<AttentionScale>(chosen))));
    order_choice(frame, rect);
    mass_choice(frame, rect);
    combined_choice(frame, rect);
    measuring(frame, rect, *memory.effects,
              "Each head is switched off in turn, and the model run to its end.");
    measuring(
        frame, rect, *memory.patches,
        "Each head's output is taken from the result kept as before, and the model run to its "
        "end.");
    frame.ui.report("heads.query", token);
}

}  // namespace headlight::screens
