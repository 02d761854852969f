#include "heads/side_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/head_table.h"
#include "frame/capitals.h"
#include "heads/export.h"
#include "heads/plot.h"
#include "kernels/counted.h"

namespace headlight::screens {

namespace {

// In the order of HeadsSide.
constexpr std::array<std::string_view, names_of<HeadsSide>().size()> kTips{
    "The mean attention distance of each head of each layer",
    "How far from a patch this head attends",
    "How large each layer's output is compared with the residual stream"};

constexpr float kDot = 16;  // units

bool has_dots(const Frame& frame) {
    const Look usual;
    return frame.state.look.heads_tools || frame.state.look.heads_side != usual.heads_side;
}

template <class Number>
Number last_of(const std::vector<Number>& numbers) {
    return numbers.empty() ? Number{} : numbers.back();
}

// ---- what is asked

std::shared_ptr<const KeptAttention> kept_of(const Frame& frame, const HeadsView& view) {
    const auto b = static_cast<std::size_t>(view.shown.layer);
    return b < frame.summary.kept.size() ? frame.summary.kept[b] : nullptr;
}

BranchQuestion branch_question(const Frame& frame) {
    return {frame.shared(frame.trace), counterfactual_of(frame.recipe, *frame.trace.model)};
}

// For the displayed head's layer; null: not known yet.
std::shared_ptr<const RingFinder::Said> rings_there(Frame& frame, const HeadsView& view) {
    const RingQuestion question{kept_of(frame, view)};
    if (!question.layer) return nullptr;
    auto said = studies_of(frame).ask(kRings, question);
    return said && said->question == question ? said : nullptr;
}

std::shared_ptr<const BranchFinder::Said> branches_there(Frame& frame) {
    const BranchQuestion question = branch_question(frame);
    auto said = studies_of(frame).ask(kBranches, question);
    return said && said->question == question ? said : nullptr;
}

// ---- drawing

void words_instead(Frame& frame, const ui::Rect& rect, const std::string& words) {
    ui::Canvas(frame.ui).wrapped(rect, words, frame.small_dim());
}

struct Curve {
    std::vector<double> values;
    ImU32 color = 0;
    float thickness = 2;
};

double most_of(const std::vector<Curve>& curves) {
    double most = 0;
    for (const Curve& curve : curves)
        for (const double value : curve.values)
            if (std::isfinite(value)) most = std::max(most, value);
    return most;
}

void draw_curve(Frame& frame, const ui::Plot& plot, const Curve& curve) {
    ui::lines(
        frame.ui, plot, [&](int step) { return curve.values[static_cast<std::size_t>(step)]; },
        curve.color, curve.thickness);
    if (plot.last == 0 && std::isfinite(last_of(curve.values)))
        ui::Canvas(frame.ui).circle(plot.at(0, curve.values[0]), frame.px(3), curve.color);
}

// The labels at both ends of the axis, and the description of the curves between them.
struct UnderPlot {
    std::string left, right;
    std::vector<std::pair<std::string, ImU32>> names;
};

void draw_under(Frame& frame, ui::Layout row, const UnderPlot& under) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle end = frame.small_dim();
    row.words_left(under.left, end, 10);
    const ui::Rect right = row.right(canvas.measure(under.right, end) + 1);
    canvas.label(right, under.right, end);
    for (const auto& [name, color] : under.names) {
        const ui::TextStyle style{.size = ui::Size::small, .color = color};
        row.words_left(name, style, 10);
    }
}

// Returns the step under the pointer; -1 if there is none.
int draw_plot(Frame& frame, ui::Layout inside, const std::vector<Curve>& curves,
              const std::string& top, const UnderPlot& under) {
    const double most = most_of(curves);
    if (!(most > 0)) {
        words_instead(frame, inside, "There is no number to show.");
        return -1;
    }
    draw_under(frame, inside.last_row(), under);
    const ui::Plot plot{with_ends(frame, inside, top),
                        static_cast<int>(curves.front().values.size()) - 1, 0, most};
    ui::grid(frame.ui, plot);
    for (const Curve& curve : curves) draw_curve(frame, plot, curve);
    return plot.step_under(ImGui::GetIO().MousePos, kBesidePlot);
}

std::string percent(double part) {
    return fmt::format("{:.{}f} %", part * 100, part < 0.1 ? 2 : 1);
}

void rings_card(Frame& frame, const ui::Rect& rect, const HeadsView& view) {
    ui::Rect inside = card(frame, rect, {"MASS BY DISTANCE", "MASS"}, side_dots_width(frame));
    const auto said = rings_there(frame, view);
    if (!said) return words_instead(frame, inside, "Computing…");
    const auto h = static_cast<std::size_t>(view.shown.head);
    if (!said->error.empty()) return words_instead(frame, inside, said->error);
    if (h >= said->answer.size()) return;
    const RingProfile& profile = said->answer[h];
    const std::vector<Curve> curves{{profile.even, frame.colors().dim, 1},
                                    {profile.mass, frame.colors().accent, 2}};
    const int ring =
        draw_plot(frame, {frame.ui, inside}, curves, percent(most_of(curves)),
                  {"itself",
                   counted(std::ssize(profile.mass) - 1, "patch") + " away",
                   {{fmt::format("head {}", view.shown.head + 1), frame.colors().accent},
                    {"even", frame.colors().dim}}});
    for (std::size_t r = 0; r < profile.mass.size(); ++r)
        frame.ui.report(fmt::format("heads.rings.{}", r), fmt::format("{:.6f}", profile.mass[r]));
    if (ring < 0) return;
    const auto r = static_cast<std::size_t>(ring);
    frame.ui.tooltip(
        fmt::format("{}\n{}: {} of the attention, over all patches as queries.\nEven weights would "
                    "give {} there; this head gives {} times as much.",
                    name_of_head(frame, view.shown),
                    ring == 0 ? "The patch itself" : counted(ring, "patch") + " away, rounded",
                    percent(profile.mass[r]), percent(profile.even[r]),
                    ui::number(profile.mass[r] / profile.even[r], 3)));
}

// By layer: the mean over the tokens, and one token's value.
struct BranchCurves {
    std::vector<int> layers;  // block indices
    std::vector<double> attention, mlp, token_attention, token_mlp;
};

double of_token(const std::vector<double>& sizes, Index token) {
    return token >= 0 && token < static_cast<Index>(sizes.size())
               ? sizes[static_cast<std::size_t>(token)]
               : std::numeric_limits<double>::quiet_NaN();
}

BranchCurves curves_of(const Frame& frame, const HeadsView& view,
                       const std::vector<BranchSizes>& all) {
    BranchCurves curves;
    for (auto b = static_cast<std::size_t>(frame.trace.model->token_transformers()); b < all.size();
         ++b) {
        curves.layers.push_back(static_cast<int>(b));
        curves.attention.push_back(mean_of(all[b].attention));
        curves.mlp.push_back(mean_of(all[b].mlp));
        curves.token_attention.push_back(of_token(all[b].attention, view.token));
        curves.token_mlp.push_back(of_token(all[b].mlp, view.token));
    }
    return curves;
}

void branches_tip(Frame& frame, const HeadsView& view, const BranchCurves& curves, int step) {
    const auto i = static_cast<std::size_t>(step);
    const std::string token = token_name(frame.trace.layout, view.token);
    frame.ui.tooltip(fmt::format(
        "{}: the size of its output compared with the residual stream, ‖branch‖ / ‖residual "
        "stream‖\nattention: {} on average, {} for {}\nMLP: {} on average, {} for {}",
        layer_name(frame, curves.layers[i]), ui::number(curves.attention[i], 3),
        ui::number(curves.token_attention[i], 3), with_article(token), ui::number(curves.mlp[i], 3),
        ui::number(curves.token_mlp[i], 3), with_article(token)));
}

void branches_card(Frame& frame, const ui::Rect& rect, const HeadsView& view) {
    ui::Rect inside = card(frame, rect, {"BRANCH / RESIDUAL STREAM", "BRANCH / STREAM", "BRANCHES"},
                           side_dots_width(frame));
    const auto said = branches_there(frame);
    if (!said) return words_instead(frame, inside, "Computing…");
    if (!said->error.empty()) return words_instead(frame, inside, said->error);
    const BranchCurves found = curves_of(frame, view, said->answer);
    if (found.layers.empty()) return;
    const ImU32 attention = frame.colors().accent, mlp = frame.colors().hue(ui::Hue::weight);
    const std::vector<Curve> curves{{found.attention, attention, 2},
                                    {found.mlp, mlp, 2},
                                    {found.token_attention, ui::with_alpha(attention, 0.6F), 1},
                                    {found.token_mlp, ui::with_alpha(mlp, 0.6F), 1}};
    if (!(most_of(curves) > 0))
        return words_instead(frame, inside, "There is no residual stream here.");
    const std::string token = token_name(frame.trace.layout, view.token);
    const int step = draw_plot(
        frame, {frame.ui, inside}, curves, ui::number(most_of(curves), 2),
        {"layer 1",
         std::to_string(found.layers.size()),
         {{"attention", attention}, {"MLP", mlp}, {"thin: " + token, frame.colors().dim}}});
    for (std::size_t i = 0; i < found.layers.size(); ++i)
        frame.ui.report(fmt::format("heads.branches.{}", found.layers[i] + 1),
                        fmt::format("{:.6f} {:.6f}", found.attention[i], found.mlp[i]));
    if (step >= 0) branches_tip(frame, view, found, step);
}

// A dot for each plot, at the upper right of the card.
void dots(Frame& frame, const ui::Rect& rect) {
    ui::Layout row(frame.ui, rect, 14, 10);
    row = row.row();
    for (int i = static_cast<int>(kTips.size()) - 1; i >= 0; --i) {
        const ui::Rect place = row.right(frame.px(kDot));
        const bool shown = i == static_cast<int>(frame.state.look.heads_side);
        const auto mouse = ui::interact(frame.ui, fmt::format("heads.side.{}", i + 1), place);
        if (mouse.hovered) {
            ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            frame.ui.tooltip(std::string(kTips.at(static_cast<std::size_t>(i))));
        }
        ui::Canvas(frame.ui).circle(place.center(), frame.px(shown ? 4.5F : 3.5F),
                                    shown           ? frame.colors().accent
                                    : mouse.hovered ? frame.colors().text
                                                    : frame.colors().dim);
        if (!mouse.clicked) continue;
        frame.set("heads_side", std::string(name_of(static_cast<HeadsSide>(i))));
        frame.memory.gesture_ended = true;  // each is a separate undo step
    }
}

}  // namespace

float side_dots_width(const Frame& frame) {
    return has_dots(frame) ? frame.px(kDot) * static_cast<float>(kTips.size()) : 0;
}

void side_card(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory) {
    frame.ui.name("heads.side", {rect, {}});
    switch (frame.state.look.heads_side) {
        case HeadsSide::distance:
            distance_card(frame, {frame.ui, rect}, view, memory);
            break;
        case HeadsSide::rings:
            rings_card(frame, rect, view);
            break;
        case HeadsSide::branches:
            branches_card(frame, rect, view);
    }
    if (has_dots(frame)) dots(frame, rect);
}

std::optional<NumberTable> rings_table(Frame& frame, const HeadsView& view) {
    if (!kept_of(frame, view)) return std::nullopt;
    const auto said = rings_there(frame, view);
    const std::vector<RingProfile>* there = awaited(frame, said);
    if (there == nullptr) return std::nullopt;
    const std::vector<RingProfile>& found = *there;
    NumberTable table{{"layer", "head", "patches away"},
                      {},
                      {"share of the attention", "even weights", "times even"},
                      {}};
    const Layer& layer = frame.trace.model->layers[static_cast<std::size_t>(view.shown.layer)];
    for (std::size_t h = 0; h < found.size(); ++h)
        for (std::size_t r = 0; r < found[h].mass.size(); ++r)
            table.add({layer_in_tables(layer), std::to_string(h + 1), std::to_string(r)},
                      {found[h].mass[r], found[h].even[r], found[h].mass[r] / found[h].even[r]});
    return table;
}

std::optional<NumberTable> branches_table(Frame& frame, const HeadsView& view) {
    const auto said = branches_there(frame);
    const std::vector<BranchSizes>* there = awaited(frame, said);
    if (there == nullptr) return std::nullopt;
    const BranchCurves found = curves_of(frame, view, *there);
    const std::string of = " of " + with_article(token_name(frame.trace.layout, view.token));
    NumberTable table{{"layer"},
                      {},
                      {"attention / residual stream, mean over the tokens",
                       "MLP / residual stream, mean over the tokens",
                       "attention / residual stream" + of, "MLP / residual stream" + of},
                      {}};
    for (std::size_t i = 0; i < found.layers.size(); ++i)
        table.add(
            {layer_in_tables(frame.trace.model->layers[static_cast<std::size_t>(found.layers[i])])},
            {found.attention[i], found.mlp[i], found.token_attention[i], found.token_mlp[i]});
    return table;
}

std::optional<NumberTable> side_table(Frame& frame, const HeadsView& view) {
    if (!is_under_pointer(frame, "heads.side")) return std::nullopt;
    const HeadsSide side = frame.state.look.heads_side;
    if (side == HeadsSide::rings) return rings_table(frame, view);
    if (side == HeadsSide::branches) return branches_table(frame, view);
    return std::nullopt;
}

}  // namespace headlight::screens
