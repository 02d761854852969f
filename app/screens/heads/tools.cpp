#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "heads/hues.h"
#include "state/fields.h"
#include "ui/progress_bar.h"

// The choices above the maps, in a row, or in as many as they need.
namespace headlight::screens {

namespace {

// Places from the left to the right, row by row.
class Flow {
  public:
    Flow(const Frame& frame, const ui::Rect& rect)
        : gap_(frame.px(10)),
          between_(frame.px(6)),
          tall_(frame.line() + frame.px(8)),
          all_(rect),
          rest_(all_.cut_top(tall_)) {}

    // In the next row where this one has no room; never wider than a row.
    ui::Rect take(float width) {
        if (width > rest_.w && taken_) {
            all_.cut_top(between_);
            rest_ = all_.cut_top(tall_);
            ++rows_;
        }
        taken_ = true;
        const ui::Rect place = rest_.cut_left(width);
        rest_.cut_left(gap_);
        return place;
    }
    // Of the present row.
    [[nodiscard]] ui::Rect rest() const { return rest_; }
    [[nodiscard]] int rows() const { return rows_; }

  private:
    float gap_, between_, tall_;
    ui::Rect all_, rest_;
    bool taken_ = false;
    int rows_ = 1;
};

float width_of(Frame& frame, const std::vector<std::string_view>& labels) {
    float width = 0;
    for (const auto label : labels) width += ui::Canvas(frame.ui).measure(label, {}) + frame.px(24);
    return width;
}

// Buttons in a row: the index of the clicked one, or -1.
int buttons(Frame& frame, Flow& flow, const std::string& name,
            const std::vector<std::string_view>& labels, int selected, std::string_view tip = {}) {
    const ui::Rect place = flow.take(width_of(frame, labels));
    if (!tip.empty() && place.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(std::string(tip));
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

// A list that opens: the index of the one that was clicked, or -1.
int drop_down(Frame& frame, Flow& flow, const DropDown& list) {
    float width = 0;
    const auto widen = [&](std::string_view label) {
        width = std::max(width, width_of(frame, {label}) + frame.px(16));
    };
    if (list.words.empty())
        std::ranges::for_each(list.options, widen);
    else
        std::ranges::for_each(list.words, widen);
    const ui::Rect place = flow.take(width);
    if (!list.tip.empty() && place.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(std::string(list.tip));
    return ui::choice(frame.ui, list.name, place, list.options, list.selected, list.words);
}

void order_choice(Frame& frame, Flow& flow) {
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
    const int chosen = drop_down(frame, flow, list);
    if (chosen >= 0)
        frame.set("heads_order", std::string(name_of(orders[static_cast<std::size_t>(chosen)])));
}

// How much of each map is shown.
void mass_choice(Frame& frame, Flow& flow) {
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
    const int chosen = drop_down(frame, flow, list);
    if (chosen >= 0 && chosen < static_cast<int>(kParts.size()))
        frame.set("heads_mass", std::to_string(kParts[static_cast<std::size_t>(chosen)]));
}

// Only where rows and columns are layers and heads.
void combined_choice(Frame& frame, Flow& flow) {
    if (frame.state.look.heads_order != HeadOrder::layer) return;
    const int chosen =
        drop_down(frame, flow,
                  {.name = "heads.combined",
                   .options = {"each head", "and the mean", "and the largest", "and the smallest",
                               "heads in hues"},
                   .selected = static_cast<int>(frame.state.look.heads_combined),
                   .words = {"each head", "+ mean", "+ largest", "+ smallest", "+ in hues"},
                   .tip = "Beside each layer's maps, below each head's, all of them as one.\nIn "
                          "hues: beside each layer's maps one picture, in which each patch has "
                          "the hue of the head that looks there most."});
    if (chosen >= 0)
        frame.set("heads_combined", std::string(name_of(static_cast<Combined>(chosen))));
}

// Whose map it is, where it is none of the picture's.
void special_tokens(Frame& frame, Flow& flow, const HeadsView& view) {
    const TokenLayout& layout = frame.trace.layout;
    const auto count = static_cast<int>(layout.prefix());
    if (count == 0) return;
    std::vector<std::string> names;
    for (int t = 0; t < count; ++t) names.push_back(token_name(layout, t));
    const std::vector<std::string_view> labels(names.begin(), names.end());
    const int chosen = buttons(frame, flow, "heads.token", labels,
                               view.token < count ? static_cast<int>(view.token) : -1);
    if (chosen < 0) return;
    frame.say(ImGui::GetIO().KeyShift ? "query" : "focus", std::to_string(chosen));
}

// How there come to be several queries, and those that there are.
void queries(Frame& frame, Flow& flow, const HeadsView& view, HeadsMemory& memory) {
    std::string names;
    for (std::size_t q = 0; q < view.tokens.size(); ++q) {
        names += (q == 0 ? "" : ", ") + token_name(frame.trace.layout, view.tokens[q]);
        if (view.tokens.size() > 1)
            query_chip(frame, flow.take(query_chip_width(frame, view, q)), view, memory, q);
    }
    frame.ui.report("heads.queries", names);
}

void query_hint(Frame& frame, const Flow& flow) {
    ui::Canvas canvas(frame.ui);
    const std::string words = "Shift-click a patch: another query";
    const ui::TextStyle style{.size = ui::Size::small, .color = frame.colors().dim};
    const ui::Rect place = flow.rest();
    if (canvas.measure(words, style) > place.w) return;
    canvas.label(place, words, style);
    if (place.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(
            "Shift and a click on a patch of any map, or Q over it, asks for it too: then each map "
            "shows every query in a hue of its own. On the class token or a register likewise; "
            "once more, and it is asked for no longer.");
}

// A bar while every head is tried, and a way to stop.
template <class Finder>
void measuring(Frame& frame, Flow& flow, Finder& finder, const char* words) {
    if (!finder.busy()) return;
    ui::Rect place = flow.take(ui::button_width(frame.ui, "Stop") + frame.px(180));
    const bool stop = ui::button(frame.ui, "heads.stop",
                                 place.cut_right(ui::button_width(frame.ui, "Stop")), "Stop");
    place.cut_right(frame.px(8));
    ui::progress_bar(frame.ui, {place.x, place.center().y - frame.px(3), place.w, frame.px(6)},
                     finder.progress());
    if (place.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(words);
    if (!stop) return;
    finder.cancel();
    frame.set("heads_order", "layer");
}

}  // namespace

float heads_tools_height(const Frame& frame, const HeadsMemory& memory) {
    const auto rows = static_cast<float>(memory.tool_rows);
    return rows * (frame.line() + frame.px(8)) + (rows - 1) * frame.px(6) + frame.px(16);
}

void heads_tools(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory) {
    Flow flow(frame, {rect.x, rect.y, rect.w, 1e6F});
    const std::string token = token_name(frame.trace.layout, view.token);
    const bool several = view.tokens.size() > 1;
    const std::string reads = several ? "read from" : token + " reads from",
                      is_read = several ? "are read by" : token + " is read by";
    const bool by = frame.state.look.reading == Reading::by;
    queries(frame, flow, view, memory);
    int chosen = buttons(frame, flow, "heads.reading", {reads, is_read}, by ? 1 : 0);
    if (chosen >= 0) frame.set("reading", chosen == 0 ? "from" : "by");
    special_tokens(frame, flow, view);
    const bool shared = frame.state.look.range == RangeMode::shared;
    chosen = buttons(frame, flow, "heads.range", {"shared range", "own"}, shared ? 0 : 1);
    if (chosen >= 0) frame.set("range", chosen == 0 ? "shared" : "own");
    const auto scale = static_cast<int>(frame.state.look.attention_scale);
    chosen = buttons(frame, flow, "heads.scale", {"linear", "√", "log", "× even share"}, scale,
                     find_field("attention_scale")->help);
    if (chosen >= 0)
        frame.set("attention_scale", std::string(name_of(static_cast<AttentionScale>(chosen))));
    order_choice(frame, flow);
    mass_choice(frame, flow);
    combined_choice(frame, flow);
    measuring(frame, flow, *memory.effects,
              "Each head is switched off in turn, and the model run to its end.");
    measuring(
        frame, flow, *memory.patches,
        "Each head's output is taken from the result kept as before, and the model run to its "
        "end.");
    query_hint(frame, flow);
    if (memory.tool_rows != flow.rows()) frame.ui.ask_for_frame();
    memory.tool_rows = flow.rows();
    frame.ui.report("heads.query", token);
}

}  // namespace headlight::screens
