#include "heads/curves_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "frame/capitals.h"
#include "frame/classes.h"
#include "heads/export.h"
#include "heads/order.h"
#include "heads/plot.h"

namespace headlight::screens {

namespace {

// One of the two plots.
struct CurvesPlot {
    const char* name;  // of the widget
    ClassCurve DeletionCurves::*curve;
    const char *title, *brief;
    const char* taken;  // what happens to the patches
};
constexpr std::array<CurvesPlot, 2> kCurvesPlots{
    {{"heads.curves.deletion", &DeletionCurves::deletion, "deletion: lower is better", "deletion",
      "hidden"},
     {"heads.curves.insertion", &DeletionCurves::insertion, "insertion: higher is better",
      "insertion", "shown"}}};

// Empty if there are curves, or they are being computed.
std::string why_no_curves(const Frame& frame) {
    if (!class_asked(frame)) return "Deletion and insertion need a model with a classifier.";
    const std::optional<MapMethod> method = frame.state.look.heads_class_map;
    if (!method ||
        !is_possible(*method, frame.trace, counterfactual_of(frame.recipe, *frame.trace.model)))
        return "Choose a class map under Tools… to see its deletion and insertion curves.";
    return "";
}

// The first ranking is that of the chosen class map.
ImU32 color_of_ranking(const Frame& frame, const MapCurvesAsked& asked, std::size_t i) {
    const PatchRanking& ranking = asked.rankings[i];
    if (i == 0) return frame.colors().accent;
    if (!ranking) return frame.colors().dim;
    return frame.colors().head(*ranking == MapMethod::last_attention ? 5 : 10);
}

double highest_probability(const std::vector<MapCurves>& all) {
    double most = 0;
    for (const MapCurves& one : all)
        for (const CurvesPlot& of : kCurvesPlots)
            for (const double p : (one.curves.*of.curve).probability)
                if (std::isfinite(p)) most = std::max(most, p);
    return most;
}

// Marks the step nearest to the pointer, and gives its numbers.
void explain_step(Frame& frame, const ui::Plot& plot, const MapCurvesFinder::Said& said,
                  const CurvesPlot& of) {
    if (!ImGui::IsWindowHovered()) return;
    const int patches = plot.step_under(ImGui::GetIO().MousePos, kBesidePlot);
    if (patches < 0) return;
    const std::vector<int>& taken = said.answer.front().taken;
    const auto nearest =
        std::ranges::min_element(taken, {}, [&](int t) { return std::abs(t - patches); });
    const auto step = static_cast<std::size_t>(nearest - taken.begin());
    ui::Canvas(frame.ui).line(plot.at(*nearest, plot.low), plot.at(*nearest, plot.high),
                              frame.colors().dim);
    std::string words = fmt::format("Probability of {} with {} of {} patches {}:",
                                    class_name(*frame.trace.model, said.question.of_class),
                                    *nearest, taken.back(), of.taken);
    for (std::size_t i = 0; i < said.answer.size(); ++i)
        words += fmt::format("\n{}  {}",
                             percent_text((said.answer[i].curves.*of.curve).probability[step]),
                             ranking_title(said.question.rankings[i]));
    frame.ui.tooltip(words);
}

void draw_class_curves(Frame& frame, ui::Layout rect, const MapCurvesFinder::Said& said,
                       const CurvesPlot& of) {
    frame.ui.name(of.name, {rect, {}});
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim = frame.small_dim();
    label_that_fits(canvas, rect.row(), {of.title, of.brief}, {.size = ui::Size::small});
    ui::Layout axis = rect.last_row();
    const double most = highest_probability(said.answer);
    const ui::Plot plot{
        with_ends(frame, rect, fmt::format("{:.{}f} %", most * 100, most < 0.1 ? 1 : 0)),
        said.answer.front().taken.back(), 0, most};
    axis.left(plot.rect.x - axis.x);
    const std::string all = fmt::format("all {}", of.taken);
    axis.words_right(all, dim);
    label_that_fits(canvas, axis, {fmt::format("none {}", of.taken), "none"}, dim);
    ui::grid(frame.ui, plot);
    // The chosen map's curve is drawn last, over the others. Steps need not be evenly spaced.
    for (std::size_t i = said.answer.size(); i-- > 0;)
        ui::curve(frame.ui, plot.axes(), {said.answer[i].taken.begin(), said.answer[i].taken.end()},
                  (said.answer[i].curves.*of.curve).probability,
                  color_of_ranking(frame, said.question, i), i == 0 ? 2.5F : 1.5F);
    explain_step(frame, plot, said, of);
}

std::string name_in_legend(const MapCurvesFinder::Said& said, std::size_t i) {
    return ranking_title(said.question.rankings[i]) +
           (said.answer[i].zero ? " (zero everywhere)" : "");
}

// Whether a name has no room beside two columns with their names.
bool is_narrow(const Frame& frame, float width, const MapCurvesFinder::Said& said) {
    const ui::Canvas canvas(frame.ui);
    const ui::TextStyle small{.size = ui::Size::small};
    float names = 0;
    for (std::size_t i = 0; i < said.answer.size(); ++i)
        names = std::max(names, canvas.measure(name_in_legend(said, i), small));
    return width < names + 2 * canvas.measure("insertion", small) + frame.px(14 * 3);
}

// A row for each order, with the areas under its two curves.
void draw_areas(Frame& frame, ui::Layout rect, const MapCurvesFinder::Said& said) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim = frame.small_dim(), right = frame.small_dim(ui::Align::right);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const bool narrow = is_narrow(frame, rect.w, said);
    const float column = narrow ? canvas.measure("0.000", mono) + frame.px(10)
                                : canvas.measure("insertion", dim) + frame.px(14);
    ui::Layout head = rect.row();
    if (!narrow) {
        canvas.label(head.right(column), "insertion", right);
        canvas.label(head.right(column), "deletion", right);
    }
    if (narrow)
        label_that_fits(canvas, head, {"areas, in this order", "areas"}, dim);
    else
        label_that_fits(canvas, head,
                        {"area under the curve · hidden patches have the model's mean color",
                         "area under the curve", "area"},
                        dim);
    for (std::size_t i = 0; i < said.answer.size(); ++i) {
        const auto& [deletion, insertion] = said.answer[i].curves;
        ui::Layout row = rect.row();
        canvas.label(row.right(column), fmt::format("{:.3f}", insertion.area), mono);
        canvas.label(row.right(column), fmt::format("{:.3f}", deletion.area), mono);
        const bool brief = narrow && !said.question.rankings[i];
        legend_name(frame, row, brief ? std::string(kRandomOrder) : name_in_legend(said, i),
                    color_of_ranking(frame, said.question, i));
        frame.ui.report("heads.curves." + ranking_name(said.question.rankings[i]),
                        fmt::format("{} {}", deletion.area, insertion.area));
    }
    if (!said.whole) canvas.label(rect.row(), "Computing the others…", dim);
}

void draw_curves(Frame& frame, ui::Layout inside, const MapCurvesFinder::Said& said) {
    const bool tall = inside.h > inside.w;
    const auto rows = static_cast<float>(said.question.rankings.size() + 1);
    draw_areas(frame, inside.bottom(rows * frame.line(), 4), said);
    const float gap = frame.px(14);
    const ui::Rect first =
        tall ? inside.top((inside.h - gap) / 2) : inside.left((inside.w - gap) / 2);
    draw_class_curves(frame, {frame.ui, first}, said, kCurvesPlots[0]);
    if (tall)
        inside.top(gap);
    else
        inside.left(gap);
    draw_class_curves(frame, inside, said, kCurvesPlots[1]);
}

}  // namespace

float curves_card_height(Frame& frame) {
    return frame.line() * (why_no_curves(frame).empty() ? 12.5F : 3.0F) + frame.px(28);
}

void curves_card(Frame& frame, const ui::Rect& rect, const HeadsView& view) {
    frame.ui.name("heads.curves", {rect, {}});
    const auto of_class = class_asked(frame);
    const std::string brief = capitals(frame.of_after("deletion and insertion"));
    const std::string whole =
        of_class ? brief + " · " + capitals(class_name(*frame.trace.model, *of_class)) : brief;
    const ui::Rect inside = card(frame, rect, {whole, brief, capitals(frame.of_after("curves"))});
    const auto say = [&](const std::string& words) {
        frame.ui.report("heads.curves", words);
        ui::Canvas(frame.ui).wrapped(inside, words, frame.small_dim());
    };
    if (const std::string why = why_no_curves(frame); !why.empty()) return say(why);
    if (!view.map_curves) return say("Computing…");
    if (!view.map_curves->error.empty()) return say(view.map_curves->error);
    if (!(highest_probability(view.map_curves->answer) > 0))
        return say("There is no number to show.");
    frame.ui.report("heads.curves", view.map_curves->whole ? "all" : "some");
    draw_curves(frame, {frame.ui, inside}, *view.map_curves);
}

std::optional<NumberTable> curves_table(Frame& frame, const HeadsView& view) {
    if (const std::string why = why_no_curves(frame); !why.empty()) {
        frame.memory.own<Export>().refusal = why;
        return std::nullopt;
    }
    const auto said = view.map_curves && view.map_curves->whole ? view.map_curves : nullptr;
    const std::vector<MapCurves>* found = awaited(frame, said);
    if (found == nullptr) return std::nullopt;
    NumberTable table{{"method", "patches"},
                      {},
                      {"part", "deletion", "insertion", "deletion_logit", "insertion_logit"},
                      {}};
    for (std::size_t m = 0; m < found->size(); ++m) {
        const auto& [about, zero, taken, curves] = (*found)[m];
        for (std::size_t i = 0; i < taken.size(); ++i)
            table.add({ranking_name(said->question.rankings[m]), std::to_string(taken[i])},
                      {static_cast<double>(taken[i]) / taken.back(), curves.deletion.probability[i],
                       curves.insertion.probability[i], curves.deletion.logit[i],
                       curves.insertion.logit[i]});
    }
    return table;
}

}  // namespace headlight::screens
