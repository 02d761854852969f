#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "heads/view.h"

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
            const std::vector<std::string_view>& labels, int selected) {
    const float width = width_of(frame, labels);
    if (width > rest.w) return -1;
    const ui::Rect place = rest.cut_left(width);
    rest.cut_left(frame.px(10));
    return ui::segmented(frame.ui, name, place, labels, selected);
}

constexpr std::array<std::string_view, 9> kOrders{
    "by layer",       "by entropy",        "by distance",
    "by class token", "by reading itself", "like the chosen one",
    "alike together", "by importance",     "by contribution"};

void order_choice(Frame& frame, ui::Rect& rest) {
    std::vector<std::string_view> labels(kOrders.begin(), kOrders.end());
    // Without a classifier nothing says what a head is important for, or adds to.
    if (frame.summary.top.empty()) labels.resize(static_cast<std::size_t>(HeadOrder::importance));
    float widest = 0;
    for (const auto label : labels) widest = std::max(widest, width_of(frame, {label}));
    widest += frame.px(16);
    if (widest > rest.w) return;
    const int chosen = ui::choice(frame.ui, "heads.order", rest.cut_left(widest), labels,
                                  static_cast<int>(frame.state.look.heads_order));
    rest.cut_left(frame.px(10));
    if (chosen >= 0)
        frame.set("heads_order",
                  std::string(name_of(static_cast<HeadOrder>(static_cast<std::size_t>(chosen)))));
}

// How much of each map is shown.
void mass_choice(Frame& frame, ui::Rect& rest) {
    constexpr std::array kParts{100, 90, 60, 30};
    const float mass = frame.state.look.heads_mass;
    std::vector<std::string> words;
    int selected = -1;
    for (const int part : kParts) {
        if (static_cast<float>(part) == mass) selected = static_cast<int>(words.size());
        words.push_back(part == 100 ? "whole maps" : "mass " + std::to_string(part) + " %");
    }
    if (selected < 0) {
        selected = static_cast<int>(words.size());
        words.push_back("mass " + ui::number(mass, 3) + " %");
    }
    const std::vector<std::string_view> labels(words.begin(), words.end());
    const float width = width_of(frame, {labels.front()}) + frame.px(16);
    if (width > rest.w) return;
    const ui::Rect place = rest.cut_left(width);
    rest.cut_left(frame.px(10));
    if (place.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(
            "Of each map only the fewest patches that hold so much of what goes to patches; "
            "the others are black.");
    const int chosen = ui::choice(frame.ui, "heads.mass", place, labels, selected);
    if (chosen >= 0 && chosen < static_cast<int>(kParts.size()))
        frame.set("heads_mass", std::to_string(kParts[static_cast<std::size_t>(chosen)]));
}

// Only where rows and columns are layers and heads.
void combined_choice(Frame& frame, ui::Rect& rest) {
    if (frame.state.look.heads_order != HeadOrder::layer) return;
    const std::vector<std::string_view> labels{"each head", "and the mean", "and the largest",
                                               "and the smallest"};
    const float width = width_of(frame, {labels[3]}) + frame.px(16);
    if (width > rest.w) return;
    const int chosen = ui::choice(frame.ui, "heads.combined", rest.cut_left(width), labels,
                                  static_cast<int>(frame.state.look.heads_combined));
    rest.cut_left(frame.px(10));
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

void measuring(Frame& frame, ui::Rect& rest, HeadsMemory& memory) {
    if (!memory.effects->busy()) return;
    const float width = ui::button_width(frame.ui, "Stop") + frame.px(180);
    if (width > rest.w) return;
    ui::Rect place = rest.cut_left(width);
    const bool stop = ui::button(frame.ui, "heads.stop",
                                 place.cut_right(ui::button_width(frame.ui, "Stop")), "Stop");
    place.cut_right(frame.px(8));
    ui::Canvas canvas(frame.ui);
    const ui::Rect bar{place.x, place.center().y - frame.px(3), place.w, frame.px(6)};
    canvas.fill(bar, frame.colors().border, frame.px(3));
    canvas.fill({bar.x, bar.y, bar.w * memory.effects->progress(), bar.h}, frame.colors().accent,
                frame.px(3));
    if (place.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip("Each head is switched off in turn, and the model run to its end.");
    if (!stop) return;
    memory.effects->cancel();
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
    chosen = buttons(frame, rect, "heads.scale", {"linear", "√", "log", "× even"}, scale);
    if (chosen >= 0)
        frame.set("attention_scale", std::string(name_of(static_cast<AttentionScale>(chosen))));
    order_choice(frame, rect);
    mass_choice(frame, rect);
    combined_choice(frame, rect);
    measuring(frame, rect, memory);
    frame.ui.report("heads.query", token);
}

}  // namespace headlight::screens
