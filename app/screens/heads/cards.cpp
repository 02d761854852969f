#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "analysis/similarity.h"
#include "analysis/statistics.h"
#include "frame/capitals.h"
#include "frame/lecture_head.h"
#include "heads/baseline.h"
#include "heads/curves_card.h"
#include "heads/hues.h"
#include "heads/lines.h"
#include "heads/patch_share.h"
#include "heads/region.h"
#include "heads/side_card.h"
#include "ui/color_bar.h"

// The hovered or selected head: large, compared with another one, and in numbers.
namespace headlight::screens {

namespace {

constexpr float kCardGap = 10;  // units

// The difference between the current map and another one, in the layout of the grid.
struct Beside {
    Shown map;
    double correlation = 0, variation = 0;
    bool of_tokens = false;  // the variation is over all tokens, not only patches
};

// A map with its name; the index distinguishes maps that share a version.
struct Named {
    std::string name;
    Shown map;
    int row = 0;
    MatrixView tokens;  // of all tokens [1, N]; empty for combined heads
};

struct LastDifference {
    std::uint64_t of = 0, less = 0;
    int row = 0, other = 0;
    Beside found;
    SharedResult cells;
};

Named named(Frame& frame, const HeadsView& view, const HeadPlace& place) {
    return {name_of_head(frame, place), shown_map(frame, view, place, view.query()), place.head,
            tokens_in(*view.said, place, view.query())};
}

// The combined map under the pointer; null if there is none, or if it is in hues.
const Combination* combined_of(const HeadsView& view) {
    const Combination* under = view.hovered_combination;
    return under != nullptr && !under->in_hues() ? under : nullptr;
}

// What is under the pointer, or else the selected head.
Named present_of(Frame& frame, const HeadsView& view) {
    if (const Combination* combined = combined_of(view))
        return {name_of_combination(frame, view, *combined),
                shown_map(frame, view, *combined, view.query()),
                -1,
                {}};
    return named(frame, view, view.shown);
}

// The corresponding combined map for the selected layer or head; null if `of` is that one.
const Combination* chosen_like(const HeadsView& view, const Combination& of) {
    const auto found = std::ranges::find_if(view.combinations, [&](const Combination& other) {
        return of.layer ? other.layer == view.chosen.layer
                        : of.head && other.head == view.chosen.head;
    });
    return found == view.combinations.end() || &*found == &of ? nullptr : &*found;
}

// What it is compared with. For a combined map, the one for the selected layer or head. Otherwise
// the selected head if another one is hovered, or else the most similar one.
std::optional<Named> other_of(Frame& frame, const HeadsView& view) {
    const Combination* combined = combined_of(view);
    if (const auto* like = combined == nullptr ? nullptr : chosen_like(view, *combined))
        return Named{name_of_combination(frame, view, *like),
                     shown_map(frame, view, *like, view.query()),
                     -1,
                     {}};
    if (combined != nullptr || !(view.shown == view.chosen)) return named(frame, view, view.chosen);
    if (!view.most_alike) return std::nullopt;
    return named(frame, view, *view.most_alike);
}

// The same map for one of several queries.
Named of_query(Frame& frame, const HeadsView& view, std::size_t query) {
    const std::string name = token_name(frame.trace.layout, view.tokens[query]);
    if (const Combination* combined = combined_of(view))
        return {name, shown_map(frame, view, *combined, query), -1, {}};
    return {name, shown_map(frame, view, view.shown, query), view.shown.head,
            tokens_in(*view.said, view.shown, query)};
}

// Two maps to compare; with several queries, those of the first two.
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
        // Heads in hues cannot be subtracted, so this is the selected head's map.
        const bool beside_hues = view.hovered_combination && !combined_of(view);
        if (pair.other)
            pair.caption =
                capitals((beside_hues ? pair.now.name + " minus " : "minus ") + pair.other->name);
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
    last.found.of_tokens = now.tokens.cols == old.tokens.cols && !now.tokens.empty();
    last.found.variation = last.found.of_tokens ? total_variation(now.tokens, old.tokens)
                                                : total_variation(now.map.view, old.map.view);
    return last.found;
}

// Draws what is under the pointer, or else the selected head, large.
template <class What>
void large(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory,
           const What& what, const std::string& name) {
    const float aspect = aspect_of(*frame.trace.image);
    ui::Layout caption = rect.row();
    ui::Layout bar = rect.bottom(frame.line() * 2);
    const ui::Rect place = rect.fit(aspect);
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle bold{.face = ui::Face::bold, .size = ui::Size::small};
    draw_share_words(frame, caption, canvas.measure(capitals(name), bold), view, what);
    canvas.caption(caption, capitals(name));
    const bool paints = draws_region(frame);
    const ui::ColorScale scale =
        draw_map(frame, place, view, memory, what,
                 {.name = "heads.large", .interactive = !paints, .asks = true});
    if (paints) draw_region_with_mouse(frame, "heads.large", place);
    nearest_marks(frame, place, view);
    draw_shares(frame, place, view, what);
    if (!is_hued(view, what)) {
        if (bar.contains(ImGui::GetIO().MousePos))
            frame.ui.tooltip("How it is drawn: " + drawing_words(frame.state.look, scale) + ".");
        return ui::color_bar(frame.ui, bar, scale, "");
    }
    const Combination* combined = nullptr;
    if constexpr (std::is_same_v<What, Combination>) combined = &what;
    draw_legend(frame, bar, legend_of(frame, view, combined), scale);
}

// Names the two maps and their similarity, away from the middle of the color bar.
void head_of_difference(Frame& frame, ui::Layout row, std::string_view caption,
                        const Beside& beside) {
    ui::Canvas canvas(frame.ui);
    if (row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(fmt::format(
            "Correlation of the two maps over the patches: {:.3f}.\nTotal variation {:.3f}: half "
            "the sum of the absolute differences over {}.",
            beside.correlation, beside.variation, beside.of_tokens ? "all tokens" : "the patches"));
    const std::string words = fmt::format("correlation {:.2f}", beside.correlation);
    const ui::TextStyle style = frame.mono_dim(ui::Align::right);
    const float wide = canvas.measure(words, style) + 1;
    if (wide < row.w * 0.5F) {
        canvas.label(row.right(wide, 8), words, style);
    }
    constexpr std::string_view minus = "MINUS ";
    const std::string whole(caption);
    const std::string brief = whole.starts_with(minus) ? "− " + whole.substr(minus.size()) : whole;
    caption_that_fits(frame.ui, row, {whole, brief});
}

void pictures(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory) {
    if (shows_both(view)) return both_results(frame, rect, view);
    const float gap = frame.px(12), half = (rect.w - gap) / 2;
    const float aspect = aspect_of(*frame.trace.image);
    const ui::Layout left = rect.left(half);
    rect.left(gap);
    if (const Combination* combined = view.hovered_combination)
        large(frame, left, view, memory, *combined, name_of_combination(frame, view, *combined));
    else
        large(frame, left, view, memory, view.shown, name_of_head(frame, view.shown));
    const Pair pair = pair_of(frame, view);
    const auto& map = pair.now.map.view;
    if (!pair.other || pair.other->map.view.rows != map.rows) return;
    const Beside beside = difference_of(frame, pair.now, *pair.other);
    head_of_difference(frame, rect.row(), pair.caption, beside);
    const ui::Rect bar = rect.bottom(frame.line() * 2);
    PictureSpec spec{.name = "heads.difference", .overlay = &beside.map, .interactive = false};
    spec.patches = &grid_of(frame, view.shown.layer);
    spec.smooth = frame.state.look.heads_smooth;
    const std::vector<TokenMark> marks = marks_of(frame, view, view.shown.layer);
    if (marks.empty()) spec.token = token_there(frame, view.shown.layer, view.token);
    spec.marks = marks;
    frame.ui.name("heads.difference", {draw_picture(frame, rect.fit(aspect), spec), {}});
    ui::color_bar(frame.ui, bar, beside.map.scale, {}, "heads.difference");
    frame.ui.report("heads.correlation", fmt::format("{:.6f}", beside.correlation));
    frame.ui.report("heads.variation", fmt::format("{:.6f}", beside.variation));
}

}  // namespace

ui::Layout card(Frame& frame, const ui::Rect& rect, std::string_view caption, float taken) {
    ui::Canvas canvas(frame.ui);
    canvas.card(rect, frame.colors().card);
    ui::Layout inside(frame.ui, rect, 14, 10);
    ui::Layout head = inside.row(0, 4);
    head.right(taken);
    canvas.caption(head, caption);
    return inside;
}

ui::Layout card(Frame& frame, const ui::Rect& rect, std::initializer_list<std::string> captions,
                float taken) {
    const float width = rect.w - frame.px(28) - taken;
    return card(frame, rect, fitting_caption(ui::Canvas(frame.ui), captions, width), taken);
}

std::string last_layers(const Model& model) {
    const auto [first, end] = model.stages().back();
    return (first + 1 == end ? "layer " : "layers ") + std::to_string(first + 1) +
           (first + 1 == end ? "" : " to " + std::to_string(end));
}

namespace {

// Replaces the curves over the layers.
void other_tokens_card(Frame& frame, ui::Layout rect, const HeadsView&) {
    const ui::Rect inside = card(frame, rect, "LAYER BY LAYER");
    const std::string words = "Later layers merge the tokens of this layer. Only tokens of " +
                              last_layers(*frame.trace.model) + " can be followed to the end.";
    ui::Canvas(frame.ui).wrapped(inside, words, frame.small_dim());
    frame.ui.report("heads.merged_later", words);
}

// The layout of a card below the pictures: the height that it needs, and its part of the remaining
// space.
struct CardPlace {
    float least = 0, share = 0;
    void (*draw)(Frame& frame, ui::Layout rect, const HeadsView& view) = nullptr;
};

std::vector<CardPlace> layer_cards(const Frame& frame, const HeadsView& view) {
    std::vector<CardPlace> cards;
    const TokenInStream& found = view.stream();
    const float line = frame.line(), frills = frame.px(24);
    if (found.nearest.size() > 0)
        cards.push_back({line * 7 + frills, 0.55F, nearest_card});
    else if (found.lens.size() > 0)
        cards.push_back({line * 5.4F + frills, 0.55F, lens_card});
    if (found.likeness) cards.push_back({line * 2 + frame.px(84) + frills, 0.45F, likeness_card});
    if (!has_last_tokens(frame.trace))
        cards.push_back({line * 4 + frills, 0.1F, other_tokens_card});
    return cards;
}

void first_row(Frame& frame, ui::Layout row, const HeadsView& view, HeadsMemory& memory) {
    numbers_card(frame, row.left(row.column(0, 2, kCardGap).w, kCardGap), view);
    if (view.order == order_by(HeadMeasure::contribution))
        contributions_card(frame, row, view);
    else
        side_card(frame, row, view, memory);
}

// Each has the height that it needs; extra space is distributed.
void all_cards(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory,
               float spare) {
    if (frame.state.look.heads_curves)
        curves_card(frame, rect.top(curves_card_height(frame), kCardGap), view);
    const std::vector<CardPlace> cards = layer_cards(frame, view);
    float first = numbers_card_height(frame, view), shares = 0;
    for (const CardPlace& card : cards) shares += card.share;
    if (cards.empty()) first += spare;
    // What a lesson points to comes first, because the lowest cards may be out of sight.
    const bool lens_first = is_spoken_of(frame, "heads.lens");
    if (!lens_first) first_row(frame, rect.top(first, kCardGap), view, memory);
    for (const CardPlace& card : cards)
        card.draw(frame, rect.top(card.least + spare * card.share / shares, kCardGap), view);
    if (lens_first) first_row(frame, rect.top(first), view, memory);
}

float least_height(Frame& frame, const HeadsView& view) {
    float height = numbers_card_height(frame, view);
    if (frame.state.look.heads_curves) height += curves_card_height(frame) + frame.px(kCardGap);
    for (const CardPlace& card : layer_cards(frame, view))
        height += card.least + frame.px(kCardGap);
    return height;
}

}  // namespace

// The pictures are fixed; the cards below scroll if they do not fit.
void heads_cards(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory) {
    const bool both = shows_both(view);
    const float across = both ? (rect.w - frame.px(20)) / 3 : (rect.w - frame.px(12)) / 2;
    const float wanted = across / aspect_of(*frame.trace.image) + frame.line() * (both ? 4 : 3);
    const float least = least_height(frame, view);
    const float room = rect.h - least - frame.px(kCardGap);
    // In small windows, rather scroll than show it as small as a tile of the grid.
    const float floor = std::max(rect.h * 0.34F, std::min(rect.h * 0.42F, frame.px(232)));
    pictures(frame, rect.top(std::max(std::min(wanted, room), floor), kCardGap), view, memory);
    const bool scrolls = least > rect.h + 1;
    ui::begin_child("heads.cards", rect, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const ui::Rect inside{top.x, top.y, rect.w - (scrolls ? frame.px(12) : 0),
                          scrolls ? least : rect.h};
    all_cards(frame, {frame.ui, inside}, view, memory, scrolls ? 0 : rect.h - least);
    ImGui::SetCursorScreenPos({top.x, top.y + (scrolls ? least - 1 : 0)});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
    frame.ui.report("heads.cards", scrolls ? "scroll" : "all");
}

}  // namespace headlight::screens
