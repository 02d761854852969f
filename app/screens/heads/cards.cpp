#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "analysis/similarity.h"
#include "analysis/statistics.h"
#include "frame/capitals.h"
#include "heads/hues.h"
#include "ui/color_bar.h"

// The head that is hovered or chosen: large, against another one, and in numbers.
namespace headlight::screens {

namespace {

// The present map less another one, laid out as the patches.
struct Beside {
    Shown map;
    double correlation = 0, variation = 0;
};

// A map with its name; of the maps that share a version, which.
struct Named {
    std::string name;
    Shown map;
    int row = 0;
};

struct LastDifference {
    std::uint64_t of = 0, less = 0;
    int row = 0, other = 0;
    Beside found;
    SharedResult cells;
};

Named named(Frame& frame, const HeadsView& view, const HeadPlace& place) {
    return {name_of_head(frame, place), shown_map(frame, view, place, view.query()), place.head};
}

// A map that heads combine to; null where there is none of numbers under the pointer.
const Combination* combined_of(const HeadsView& view) {
    const Combination* under = view.hovered_combination;
    return under != nullptr && !under->in_hues() ? under : nullptr;
}

// What is under the pointer, else the chosen head.
Named present_of(Frame& frame, const HeadsView& view) {
    if (const Combination* combined = combined_of(view))
        return {name_of_combination(frame, view, *combined),
                shown_map(frame, view, *combined, view.query()), -1};
    return named(frame, view, view.shown);
}

// What it is held against: the chosen head where something else is hovered, else the one most
// alike.
std::optional<Named> other_of(Frame& frame, const HeadsView& view) {
    if (combined_of(view) != nullptr || !(view.shown == view.chosen))
        return named(frame, view, view.chosen);
    if (!view.most_alike) return std::nullopt;
    return named(frame, view, *view.most_alike);
}

// The same map of one of several queries.
Named of_query(Frame& frame, const HeadsView& view, std::size_t query) {
    const std::string name = token_name(frame.trace.layout, view.tokens[query]);
    if (const Combination* combined = combined_of(view))
        return {name, shown_map(frame, view, *combined, query), -1};
    return {name, shown_map(frame, view, view.shown, query), view.shown.head};
}

// Two maps that are held against each other: of several queries the first two's.
struct Pair {
    Named now;
    std::optional<Named> other;
    std::string caption;
};
Pair pair_of(Frame& frame, const HeadsView& view) {
    Pair pair;
    if (view.together()) {
        pair = {of_query(frame, view, 0), of_query(frame, view, 1), ""};
        pair.caption = capitals(pair.now.name + " minus " + pair.other->name);
    } else {
        pair = {present_of(frame, view), other_of(frame, view), ""};
        if (pair.other) pair.caption = "MINUS " + capitals(pair.other->name);
    }
    return pair;
}

Beside difference_of(Frame& frame, const Named& now, const Named& old) {
    auto& last = frame.memory.own<LastDifference>();
    const bool same = last.cells && last.of == now.map.cells.version && last.row == now.row &&
                      last.less == old.map.cells.version && last.other == old.row;
    if (same) return last.found;
    last = {now.map.cells.version, old.map.cells.version, now.row, old.row, {}, nullptr};
    last.cells = make_result(difference(now.map.view, old.map.view));
    last.found.map.set_cells(last.cells);
    const Statistics range = statistics(last.cells->view());
    last.found.map.scale = signed_scale(frame, range.min, range.max);
    last.found.correlation = correlation(now.map.view, old.map.view);
    last.found.variation = total_variation(now.map.view, old.map.view);
    return last.found;
}

// What is under the pointer, else the chosen head, large.
template <class What>
void large(Frame& frame, ui::Rect rect, const HeadsView& view, HeadsMemory& memory,
           const What& what, const std::string& name) {
    const Image& image = *frame.trace.image;
    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    ui::Canvas(frame.ui).caption(rect.cut_top(frame.line()), capitals(name));
    ui::Rect bar = rect.cut_bottom(frame.line() * 2);
    const ui::Rect place = rect.fit(aspect);
    const ui::ColorScale scale =
        draw_map(frame, place, view, memory, what, {.name = "heads.large", .asks = true});
    nearest_marks(frame, place, view);
    if (!is_hued(view, what)) return ui::color_bar(frame.ui, bar, scale, "");
    const Combination* combined = nullptr;
    if constexpr (std::is_same_v<What, Combination>) combined = &what;
    draw_legend(frame, bar, legend_of(frame, view, combined), scale);
}

void pictures(Frame& frame, ui::Rect rect, const HeadsView& view, HeadsMemory& memory) {
    const float gap = frame.px(12), half = (rect.w - gap) / 2;
    const Image& image = *frame.trace.image;
    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    const ui::Rect left = rect.cut_left(half);
    rect.cut_left(gap);
    if (const Combination* combined = view.hovered_combination)
        large(frame, left, view, memory, *combined, name_of_combination(frame, view, *combined));
    else
        large(frame, left, view, memory, view.shown, name_of_head(frame, view.shown));
    const Pair pair = pair_of(frame, view);
    if (!pair.other) return;
    ui::Canvas(frame.ui).caption(rect.cut_top(frame.line()), pair.caption);
    const ui::Rect bar = rect.cut_bottom(frame.line() * 2);
    const Beside beside = difference_of(frame, pair.now, *pair.other);
    const std::vector<TokenMark> marks = marks_of(view);
    PictureSpec spec{.name = "heads.difference", .overlay = &beside.map, .interactive = false};
    if (marks.empty()) spec.token = static_cast<int>(view.token);
    spec.marks = marks;
    draw_picture(frame, rect.fit(aspect), spec);
    ui::color_bar(frame.ui, bar, beside.map.scale,
                  fmt::format("correlation {:.2f}", beside.correlation));
    if (bar.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(fmt::format(
            "Correlation of the two maps over the patches.\nTotal variation {:.3f}: the share "
            "of attention that the one gives to other patches than the other.",
            beside.variation));
    frame.ui.report("heads.correlation", fmt::format("{:.6f}", beside.correlation));
    frame.ui.report("heads.variation", fmt::format("{:.6f}", beside.variation));
}

struct Line {
    std::string label, value, tip;
};

HeadEffect effect_on(const HeadPlace& place, const HeadEffects& effects) {
    return effects[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.head)];
}

// What becomes of the answer, as a line of the card.
Line effect_line(const std::string& label, const HeadEffect& effect, const std::string& how) {
    return {label, fmt::format("{:+.2f} %", effect.probability * 100),
            fmt::format("Change of the probability of the class that the model answers, {}; of its "
                        "logit: {:+.3f}.",
                        how, effect.logit)};
}

const HeadTile* tile_of(const HeadsView& view) {
    const auto found = std::ranges::find(view.tiles, view.shown, &HeadTile::place);
    return found == view.tiles.end() ? nullptr : &*found;
}

// What the order or the share of the maps asks for.
std::vector<Line> asked_lines(const Frame& frame, const HeadsView& view) {
    std::vector<Line> lines;
    const HeadOrder order = frame.state.look.heads_order;
    const auto* important = answer_of(view.effects);
    if (order == HeadOrder::importance && important) {
        lines.push_back(effect_line("switched off", effect_on(view.shown, important->off),
                                    "with this head's output put to zero"));
        lines.push_back(effect_line("put to its mean", effect_on(view.shown, important->level),
                                    "with this head's output the same for all tokens, their mean"));
    }
    if (const auto* patched = answer_of(view.patches);
        order == HeadOrder::patching && patched && frame.state.look.heads_patched == Patched::heads)
        lines.push_back(effect_line("patched from before", effect_on(view.shown, *patched),
                                    "with this head's output of the result kept as before"));
    if (const auto* tile = tile_of(view); order == HeadOrder::contribution && tile && tile->number)
        lines.push_back({"adds to the answer", fmt::format("{:+.3f}", *tile->number),
                         "To the logit of the class that the model answers, on the direct path: "
                         "through no later layer."});
    if (const Index count = view.masses == nullptr ? 0 : patches_shown(view, view.shown); count > 0)
        lines.push_back({fmt::format("{:g} % lies in", frame.state.look.heads_mass),
                         fmt::format("{} patch{}", count, count == 1 ? "" : "es"),
                         "The fewest patches that hold so much of what this token's map gives to "
                         "patches."});
    return lines;
}

std::vector<Line> lines_of(const Frame& frame, const HeadsView& view) {
    const HeadNumbers& n = numbers_of(frame, view.shown);
    const double stride = frame.trace.grid.settings.stride;
    std::vector<Line> lines = asked_lines(frame, view);
    const std::vector<Line> always{
        {"entropy", ui::number(n.entropy, 3) + " bit",
         "Mean over the queries of −Σ a log2 a: 0 where each reads one token."},
        {"distance", ui::number(n.distance / stride, 3) + " patches",
         "How far away a patch reads on average, between the patches' centres: " +
             ui::number(n.distance, 3) + " pixels."}};
    lines.insert(lines.end(), always.begin(), always.end());
    const TokenLayout& layout = frame.trace.layout;
    if (layout.class_tokens > 0)
        lines.push_back({"on the class token", ui::number(n.class_mass, 3), ""});
    if (layout.distillation_tokens > 0)
        lines.push_back({"on the distillation token", ui::number(n.distillation_mass, 3), ""});
    if (layout.registers > 0) lines.push_back({"on registers", ui::number(n.register_mass, 3), ""});
    lines.push_back({"on itself", ui::number(n.self_mass, 3), "The diagonal of its attention."});
    return lines;
}

// Those that were asked for stand first, for there may not be room for all.
void numbers(Frame& frame, const ui::Rect& rect, const HeadsView& view) {
    ui::Rect inside = card(frame, rect, "OVER ALL QUERIES");
    ui::Canvas canvas(frame.ui);
    for (const Line& line : lines_of(frame, view)) {
        frame.ui.report("heads.number." + line.label, line.value);
        const ui::Rect row = inside.cut_top(frame.line());
        if (row.h < frame.line()) continue;
        const ui::TextStyle value{
            .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
        ui::Rect words = row;
        canvas.label(words.cut_right(canvas.measure(line.value, value) + 1), line.value, value);
        canvas.label(words, line.label, {.color = frame.colors().dim});
        if (!line.tip.empty() && row.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(line.tip);
        inside.cut_top(frame.px(2));
    }
}

}  // namespace

ui::Rect card(Frame& frame, const ui::Rect& rect, std::string_view caption) {
    ui::Canvas canvas(frame.ui);
    canvas.card(rect, frame.colors().card);
    ui::Rect inside = rect.inset(frame.px(14), frame.px(10));
    canvas.caption(inside.cut_top(frame.line()), caption);
    inside.cut_top(frame.px(4));
    return inside;
}

void heads_cards(Frame& frame, ui::Rect rect, const HeadsView& view, HeadsMemory& memory) {
    const float gap = frame.px(10);
    const bool stream = view.all().likeness != nullptr, nearest = view.all().nearest.size() > 0,
               lens = nearest || view.all().lens.size() > 0;
    const Image& image = *frame.trace.image;
    const float wanted = (rect.w - frame.px(12)) / 2 * static_cast<float>(image.height) /
                             static_cast<float>(image.width) +
                         frame.line() * 3;
    const float whole = rect.h, below = frame.line() * (lens ? 18 : stream ? 12 : 7);
    pictures(frame, rect.cut_top(std::max(std::min(wanted, whole - below), whole * 0.3F)), view,
             memory);
    rect.cut_top(gap);
    // Of what is left the numbers take the lines that they have.
    const float part = stream ? std::max(rect.h - frame.line() * 8 - gap, rect.h * 0.5F) : 0;
    // Where there is no room for both, the curves stay.
    const bool both = !lens || part > frame.line() * 8;
    if (stream && both) {
        likeness_card(frame, rect.cut_bottom(lens ? part * 0.45F : part), view);
        rect.cut_bottom(gap);
    }
    if (lens) {
        const ui::Rect place = rect.cut_bottom(both ? part * 0.55F : part);
        nearest ? nearest_card(frame, place, view) : lens_card(frame, place, view);
        rect.cut_bottom(gap);
    }
    ui::Rect left = rect.cut_left((rect.w - gap) / 2);
    rect.cut_left(gap);
    numbers(frame, left, view);
    if (frame.state.look.heads_order == HeadOrder::contribution)
        contributions_card(frame, rect, view);
    else
        distance_card(frame, rect, view, memory);
}

}  // namespace headlight::screens
