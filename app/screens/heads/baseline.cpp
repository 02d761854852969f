#include "heads/baseline.h"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/statistics.h"
#include "disk/names.h"
#include "frame/attention_scale.h"
#include "frame/baseline_changes.h"
#include "frame/capitals.h"
#include "frame/traced.h"
#include "heads/export.h"
#include "heads/lines.h"
#include "trace/same_place.h"
#include "ui/color_bar.h"

namespace headlight::screens {

namespace {

// The map that is shown large for both results: a head, or several combined.
struct What {
    std::string name;
    const MapPair* pair = nullptr;
    MatrixView here, there;  // of the visible and the other result; empty: it has none
    std::uint64_t here_version = 0, there_version = 0;
    SharedResult here_mass;  // what is shown of it; null: all
    int layer = 0;           // whose patch grid applies
    bool is_class_map = false;
    std::optional<int> other_layer{};
};

What head_of(const Frame& frame, const HeadsView& view) {
    const HeadPlace& place = view.shown;
    const std::size_t q = view.query();
    What what{name_of_head(frame, place),
              pair_of(frame, view, place),
              patches_of(frame, view, place),
              {},
              0,
              0,
              nullptr};
    what.here_version = view.all().of(q)[static_cast<std::size_t>(place.layer)]->version();
    if (view.masses != nullptr) what.here_mass = (*view.masses)[q].at(place);
    what.layer = place.layer;
    if (!view.other) return what;
    const auto other = same_head(frame.trace, *view.other->question.trace, place);
    if (other) what.there = patches_in(*view.other, *other, q);
    if (other) what.other_layer = other->layer;
    if (!what.there.empty())
        what.there_version =
            view.other->answer.of(q)[static_cast<std::size_t>(other->layer)]->version();
    return what;
}

What combination_of(const Frame& frame, const HeadsView& view, const Combination& of) {
    const SharedResult& here = of.cells[view.query()];
    What what{name_of_combination(frame, view, of),
              pair_of(view, of),
              here->view(),
              {},
              here->version(),
              0,
              of.mass.empty() ? nullptr : of.mass[view.query()]};
    what.layer = of.layer.value_or(frame.trace.layer);
    what.is_class_map = of.class_map.has_value();
    const auto at = static_cast<std::size_t>(&of - view.combinations.data());
    if (at >= view.combined_pairs.size() || !view.combined_pairs[at].other) return what;
    const Trace& other = *view.other->question.trace;
    const auto place = same_head(frame.trace, other, {what.layer, 0});
    what.other_layer = of.layer && place ? place->layer : other.layer;
    what.there = view.combined_pairs[at].other->view();
    what.there_version = view.combined_pairs[at].other->version();
    return what;
}

What what_of(const Frame& frame, const HeadsView& view) {
    const Combination* under = view.hovered_combination;
    return under != nullptr && !under->in_hues() ? combination_of(frame, view, *under)
                                                 : head_of(frame, view);
}

// The patches that hold the mass of the other result's large map.
struct OtherMass {
    MatrixView of;
    std::uint64_t version = 0;
    float part = 100;
    SharedResult cells;
};
SharedResult mass_there(Frame& frame, const What& what) {
    const float part = frame.state.look.heads_mass;
    if (part >= 100 || what.there.empty()) return nullptr;
    auto& kept = frame.memory.own<OtherMass>();
    if (!(kept.of == what.there) || kept.version != what.there_version || kept.part != part)
        kept = {what.there, what.there_version, part, mass_of(what.there, part / 100.0)};
    note_whole(frame, kept.cells, what.there);
    return kept.cells;
}

// Both maps share one scale. Multiples of uniform attention refer to each result's own number of
// tokens.
ui::ColorScale scale_of(const Frame& frame, const HeadsView& view, const What& what,
                        const MatrixView& map) {
    if (what.is_class_map) return class_map_scale(frame, {what.here, what.there});
    Magnitudes own;
    const bool shared = frame.state.look.range == RangeMode::shared;
    if (!shared)
        for (const MatrixView& one : {what.here, what.there})
            if (!one.empty()) own.add(one);
    const Index here = frame.trace.layout.prefix() + what.here.rows * what.here.cols;
    ui::ColorScale scale = attention_scale(frame.state.look, shared ? *view.sizes : own, here);
    const Index tokens = map.empty() || map == what.here
                             ? here
                             : view.other->question.trace->layout.prefix() + map.rows * map.cols;
    if (frame.state.look.attention_scale != AttentionScale::even || tokens == here) return scale;
    const float factor = static_cast<float>(here) / static_cast<float>(tokens);
    scale.low *= factor;
    scale.high *= factor;
    scale.unit *= factor;
    return scale;
}

Shown shown_of(const MatrixView& cells, std::uint64_t version, const SharedResult& mass,
               const ui::ColorScale& scale) {
    Shown map;
    map.scale = scale;
    if (cells.empty()) return map;
    map.set_cells(cells, version);
    if (mass) show_part(map, *mass);
    return map;
}

// The other result's grid, and the query token in its layer.
const PatchGrid& other_grid(const HeadsView& view, const What& what) {
    const TokenQuestion& asked = view.other->question;
    return what.other_layer ? grid_in_layer(*asked.trace, asked.summary->kept, *what.other_layer)
                            : asked.trace->grid;
}
Index other_token(const HeadsView& view) {
    const TokenQuestion& asked = view.other->question;
    return view.query() == 0 ? asked.token : asked.also[view.query() - 1];
}
int other_token_there(const HeadsView& view, const What& what) {
    const Index token = other_token(view);
    const auto there = what.other_layer
                           ? token_in_layer(view.other->question, *what.other_layer, token)
                           : std::nullopt;
    return static_cast<int>(there.value_or(token));
}

// Contour lines of the two maps, traced once.
struct LargeLines {
    struct Of {
        MatrixView cells;
        std::uint64_t version = 0;
        ui::ColorScale scale;
        ui::Contours lines;
    };
    Of here, there;
};
const ui::Contours* lines_on(const Frame& frame, LargeLines::Of& kept, const ui::Rect& rect,
                             const Shown& map) {
    const ui::Cells& cells = map.cells;
    if (!frame.state.look.heads_contours || cells.empty() ||
        !ui::has_room_for_contours(frame.ui, rect.w / static_cast<float>(cells.cols)))
        return nullptr;
    const MatrixView shown{cells.data, cells.rows, cells.cols, cells.stride};
    if (!(kept.cells == shown) || kept.version != cells.version || !(kept.scale == map.scale))
        kept = {shown, cells.version, map.scale, traced(shown, map.scale)};
    return &kept.lines;
}

// The patch under the pointer becomes the query, at the same position in the visible result.
void take_mouse(Frame& frame, Frame& of, const ui::Rect& rect, const PictureSpec& spec) {
    const auto mouse = ui::interact(frame.ui, spec.name, rect);
    const PatchGrid& grid = of.trace.grid;
    frame.ui.name(spec.name, {rect, map_place(grid).cells});
    const auto patch = mouse.hovered ? patch_at(of, rect, ImGui::GetIO().MousePos) : std::nullopt;
    if (!patch) return;
    const int there = static_cast<int>(of.trace.layout.prefix()) + *patch;
    const int token = token_at_same_place(places_of(of.trace), places_of(frame.trace), there);
    const Side side = side_of_patches(frame.trace);
    hover_token(frame, side, token);
    if (mouse.clicked && ImGui::GetIO().KeyShift)
        frame.say("query", std::to_string(token));
    else if (mouse.clicked)
        pin_token(frame, side, token);
    const auto its_own = patch_at(of, *spec.patches, rect, ImGui::GetIO().MousePos);
    if (its_own && spec.overlay != nullptr && !spec.overlay->view.empty()) {
        const int cols = spec.patches->cols;
        frame.ui.tooltip(row_and_column(*its_own, cols) + ": " +
                         ui::number(spec.overlay->view(*its_own / cols, *its_own % cols), 4));
    }
}

// The name of its source, if that is what differs.
std::string source_words(const Frame& frame, const Recipe& recipe) {
    const Recipe &a = *frame.state.pinned, &b = frame.work.trace_recipe();
    std::string words;
    const auto add = [&](const std::string& part) { words += (words.empty() ? "" : " · ") + part; };
    if (a.weights != b.weights)
        add(recipe.weights.empty() ? "random layer" : model_name(recipe.weights));
    const auto picture = [](const Recipe& of) {
        return of.scene ? "scene" : std::filesystem::path(of.image).filename().string();
    };
    if (picture(a) != picture(b)) add(picture(recipe));
    return words;
}

// One of the two results, in a column.
struct Column {
    Frame& frame;  // with this result visible
    const char* when;
    Index token = 0;  // the query in it
    Shown map;
    const PatchGrid& patches;  // the grid of the map
    int token_there = 0;       // the same token in that grid
    LargeLines::Of& lines;
    bool in_view = false;
};

void draw_column(Frame& frame, ui::Layout rect, const HeadsView& view, const Column& column) {
    const Trace& trace = column.frame.trace;
    std::string caption = capitals(column.when);
    const std::string token = token_name(trace.layout, column.token);
    if (token != token_name(frame.trace.layout, view.token)) caption += " · " + capitals(token);
    if (const std::string of = source_words(frame, column.frame.recipe); !of.empty())
        caption += " · " + of;
    ui::Canvas(frame.ui).caption(rect.row(), caption);
    const ui::Rect place = rect.fit(aspect_of(*trace.image));
    PictureSpec spec{.name = column.in_view ? "heads.large" : "heads.other",
                     .token = column.token_there,
                     .interactive = column.in_view,
                     .smooth = frame.state.look.heads_smooth,
                     .asks = true,
                     .patches = &column.patches};
    if (!column.map.cells.empty()) spec.overlay = &column.map;
    spec.contours = lines_on(frame, column.lines, place, column.map);
    draw_picture(column.frame, place, spec);
    if (!column.in_view) take_mouse(frame, column.frame, place, spec);
    if (column.in_view) nearest_marks(frame, place, view);
    if (column.map.cells.empty())
        ui::Canvas(frame.ui).label(
            place, "no such head",
            {.size = ui::Size::small, .color = IM_COL32_WHITE, .align = ui::Align::center});
}

// Replaces a missing difference.
void say_why(Frame& frame, const ui::Rect& rect, const HeadsView& view, const What& what) {
    if (!view.pairs && view.apart.empty()) return;  // being computed
    std::string why = view.apart;
    if (why.empty() && what.there.empty()) why = "Only one of the two results has this map.";
    if (why.empty())
        why = "There is no difference, because the two results have different patches.";
    ui::Canvas(frame.ui).wrapped(rect, why, frame.small_dim());
}

void report(Frame& frame, const MapPair& pair) {
    frame.ui.report("heads.correlation", fmt::format("{:.6f}", pair.correlation));
    if (pair.of_attention())
        frame.ui.report("heads.variation", fmt::format("{:.6f}", pair.variation));
}

std::string alike_words(const MapPair& pair) {
    std::string words = fmt::format("correlation {:.2f}", pair.correlation);
    if (pair.of_attention()) words += fmt::format(" · total variation {:.3f}", pair.variation);
    return words;
}

// Names the maps and their similarity; the tooltip lists what differs between the results.
void title(Frame& frame, ui::Layout row, const HeadsView& view, const What& what) {
    const bool hovered = row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered();
    if (what.pair != nullptr) {
        const std::string words = alike_words(*what.pair);
        const ui::TextStyle style{
            .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
        row.words_right(words, style, 8);
        report(frame, *what.pair);
    }
    const std::string query = " · " + token_name(frame.trace.layout, view.token);
    ui::Canvas(frame.ui).caption(row, capitals(what.name + (what.is_class_map ? "" : query)));
    if (!hovered) return;
    std::string tip =
        "Correlation of the two maps over the patches. Total variation: half the sum of the "
        "absolute differences. The sum covers all tokens for one head, and the patches "
        "for several heads.";
    for (const std::string& line : changes_since_baseline(frame)) tip += "\n" + line;
    frame.ui.tooltip(tip);
}

// With its own range and color bar, independent of the other maps.
Shown large_of(Frame& frame, const HeadsView& view, const MapPair& pair) {
    Shown map = shown_difference(frame, view, pair);
    const Statistics own = statistics(map.view);
    map.scale = signed_scale(frame, own.min, own.max);
    return map;
}

void draw_between(Frame& frame, ui::Layout rect, const Column& now, const HeadsView& view,
                  const What& what, ui::Rect bar) {
    ui::Canvas(frame.ui).caption(rect.row(), "AFTER − BEFORE");
    if (what.pair == nullptr || !what.pair->difference) return say_why(frame, rect, view, what);
    const Shown map = large_of(frame, view, *what.pair);
    const ui::Rect place = rect.fit(aspect_of(*now.frame.trace.image));
    const PictureSpec spec{.name = "heads.difference",
                           .token = now.token_there,
                           .overlay = &map,
                           .interactive = false,
                           .smooth = frame.state.look.heads_smooth,
                           .patches = &now.patches};
    draw_picture(now.frame, place, spec);
    take_mouse(frame, now.frame, place, spec);
    ui::color_bar(frame.ui, bar, map.scale, "");
}

// Why there is no difference, or which heads are in only one result.
std::string comparison_words(const HeadsView& view) {
    if (!view.comparing) return "";
    return view.apart.empty() && view.pairs ? view.pairs->answer.unpaired : view.apart;
}
constexpr float kKeptGap = 6;  // below them
}  // namespace

const MapPair* pair_of(const HeadsView& view, const Combination& of) {
    const auto at = static_cast<std::size_t>(&of - view.combinations.data());
    if (at >= view.combined_pairs.size() || !view.combined_pairs[at].maps.difference)
        return nullptr;
    return &view.combined_pairs[at].maps;
}

void draw_difference(Frame& frame, const ui::Rect& rect, const HeadsView& view, int layer,
                     const MapPair* pair, PictureSpec spec) {
    spec.patches = &grid_of(frame, layer);
    spec.token = token_there(frame, layer, view.token);
    spec.smooth = frame.state.look.heads_smooth;
    if (pair != nullptr) {
        const Shown map = shown_difference(frame, view, *pair);
        spec.overlay = &map;
        draw_picture(frame, rect, spec);
        return;
    }
    draw_picture(frame, rect, spec);
    if (!view.pairs) return;  // being computed
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, IM_COL32(0, 0, 0, 170));
    const ui::TextStyle style{
        .size = ui::Size::small, .color = IM_COL32_WHITE, .align = ui::Align::center};
    const std::string words = "only after";
    if (canvas.measure(words, style) < rect.w) canvas.label(rect, words, style);
}

bool shows_both(const HeadsView& view) {
    const Combination* under = view.hovered_combination;
    return view.comparing && view.other && !view.together() &&
           !(under != nullptr && under->in_hues());
}

void both_results(Frame& frame, ui::Layout rect, const HeadsView& view) {
    const What what = what_of(frame, view);
    title(frame, rect.row(), view, what);
    const float gap = frame.px(10), wide = (rect.w - 2 * gap) / 3;
    ui::Layout bars = rect.bottom(frame.line() * 2);
    const OtherResult other = other_result(frame);
    Frame other_frame = with_result(frame, *other.trace, *other.summary, other.recipe);
    auto& lines = frame.memory.own<LargeLines>();
    const bool first = frame.before();  // the visible result is on the left
    const Column here{frame,
                      first ? "before" : "after",
                      view.token,
                      shown_of(what.here, what.here_version, what.here_mass,
                               scale_of(frame, view, what, what.here)),
                      grid_of(frame, what.layer),
                      token_there(frame, what.layer, view.token),
                      lines.here,
                      true};
    const Column there{other_frame,
                       first ? "after" : "before",
                       other_token(view),
                       shown_of(what.there, what.there_version, mass_there(frame, what),
                                scale_of(frame, view, what, what.there)),
                       other_grid(view, what),
                       other_token_there(view, what),
                       lines.there,
                       false};
    draw_column(frame, rect.left(wide), view, first ? here : there);
    rect.left(gap);
    draw_column(frame, rect.left(wide), view, first ? there : here);
    rect.left(gap);
    const ui::Rect bar = bars.left(wide * 2 + gap);
    if (bar.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip("How it is drawn: " + drawing_words(frame.state.look, here.map.scale) +
                         ".");
    ui::color_bar(frame.ui, bar, here.map.scale, "");
    bars.left(gap);
    draw_between(frame, rect, first ? there : here, view, what, bars);
}

void large_difference(Frame& frame, ui::Layout rect, const HeadsView& view) {
    ui::Canvas canvas(frame.ui);
    const What what = what_of(frame, view);
    const ui::TextStyle bold{.face = ui::Face::bold, .size = ui::Size::body};
    canvas.label(rect.row(ui::Size::body), what.name + ", after − before", bold);
    if (what.pair == nullptr) return say_why(frame, rect, view, what);
    const std::string words = alike_words(*what.pair);
    canvas.wrapped(rect.bottom(canvas.measure_wrapped(words, {.size = bold.size}, rect.w).y), words,
                   {.size = bold.size});
    report(frame, *what.pair);
    const ui::Rect bar = rect.last_row(ui::Size::body);
    const Shown map = large_of(frame, view, *what.pair);
    draw_picture(frame, rect.inset(0, frame.px(6)).fit(aspect_of(*frame.trace.image)),
                 {.name = "heads.large",
                  .token = token_there(frame, what.layer, view.token),
                  .overlay = &map,
                  .smooth = frame.state.look.heads_smooth,
                  .asks = true,
                  .patches = &grid_of(frame, what.layer)});
    ui::color_line(frame.ui, bar, map.scale);
}

void baseline_line(Frame& frame, ui::Layout& rect, const HeadsView& view) {
    const std::string words = comparison_words(view);
    if (words.empty()) return;
    ui::Layout row = rect.top(baseline_line_height(frame, view, rect.w));
    row.skip_bottom(kKeptGap);
    ui::Canvas(frame.ui).wrapped(row, words, frame.small_dim());
    frame.ui.report("heads.apart", words);
}

float baseline_line_height(Frame& frame, const HeadsView& view, float width) {
    const std::string words = comparison_words(view);
    if (words.empty()) return 0;
    return ui::Canvas(frame.ui).measure_wrapped(words, frame.small_dim(), width).y +
           frame.px(kKeptGap);
}

}  // namespace headlight::screens
