#include "cli/head_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <utility>

#include "analysis/error.h"
#include "analysis/prediction.h"
#include "cli/class_option.h"
#include "cli/curves.h"
#include "cli/errors.h"
#include "cli/images.h"
#include "cli/query_option.h"
#include "cli/source.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "encoder/runner.h"
#include "gradient/map_curves.h"
#include "kernels/in_a_row.h"
#include "measures/measure_heads.h"
#include "patches/token_words.h"
#include "program/values.h"
#include "trace/same_place.h"

namespace headlight::cli {

namespace {

constexpr std::string_view kLens = "lens", kDeletion = "deletion", kInsertion = "insertion";

std::string plots() {
    std::string names;
    for (const HeadMeasureInfo& measure : all_head_measures())
        if (measure.is_of_image()) names += std::string(name_of(measure.id)) + ", ";
    return names + std::string(kLens) + ", " + std::string(kDeletion) + ", " +
           std::string(kInsertion);
}

struct Asked {
    std::vector<HeadMeasure> measures;
    bool lens = false, deletion = false, insertion = false;

    [[nodiscard]] bool curves() const { return deletion || insertion; }
};
Asked asked_of(const std::string& what) {
    Asked asked;
    for (const std::string& word : words_of_list(what)) {
        const auto measure = value_named<HeadMeasure>(word);
        if (word == kLens)
            asked.lens = true;
        else if (word == kDeletion)
            asked.deletion = true;
        else if (word == kInsertion)
            asked.insertion = true;
        else if (measure && info(*measure).is_of_image())
            asked.measures.push_back(*measure);
        else
            throw UsageError("--plot: expected " + plots() + ", found " + in_quotes(word) + ".");
    }
    if (!asked.lens && !asked.curves() && asked.measures.empty())
        throw UsageError("--plot: expected " + plots() + ", found none.");
    return asked;
}

double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool is_about_a_class(HeadMeasure measure) { return info(measure).of_class; }

std::string plots_of_a_class() {
    std::vector<std::string> names;
    for (const HeadMeasureInfo& measure : all_head_measures())
        if (measure.is_of_image() && measure.of_class) names.emplace_back(name_of(measure.id));
    names.insert(names.end(), {std::string(kDeletion), std::string(kInsertion)});
    return in_a_row(names, "or");
}

HeadPlot plot_of(HeadMeasure measure, const MeasuredHeads& measured, const Model& model,
                 std::optional<int> of_class) {
    const HeadMeasureInfo& row = info(measure);
    const bool in_points = (measure == HeadMeasure::importance) && has_classes(model);
    HeadPlot plot;
    plot.title = row.noun();
    if (is_about_a_class(measure) && measured.answer)
        plot.of_class = class_name(model, of_class ? *of_class : measured.answer->index);
    if (measure == HeadMeasure::importance && !in_points)
        plot.title += " (1 − cosine)";
    else if (in_points)
        plot.title += " (percentage points)";
    else if (!row.unit.empty())
        plot.title += " (" + std::string(row.unit) + ")";
    HeadPlot::Line mean{"mean of the heads", {}};
    const auto first = static_cast<std::size_t>(model.token_transformers());
    for (std::size_t b = first; b < measured.heads.size(); ++b) {
        std::vector<double>& heads = plot.heads.emplace_back();
        for (const HeadNumbers& head : measured.heads[b])
            heads.push_back(head[measure] * (in_points ? 100 : 1));
        mean.values.push_back(mean_of(heads));
    }
    plot.lines.push_back(std::move(mean));
    return plot;
}

HeadPlot lens_plot(const Source& source, const MapsOptions& maps,
                   const std::function<void(const std::string&)>& progress, const StopFlag& stop) {
    constexpr Index kClasses = 5;
    if (!has_lens(*source.model))
        throw WorkError(source.model->file + ": lens needs a model with a classifier.");
    Beginning beginning = beginning_of(source);
    const Trace done = Runner::run(
        std::move(beginning), [&](const Trace& layer) { progress(layer.model_layer().name); },
        stop);
    std::optional<Index> token;
    if (!maps.query.empty()) token = token_of(maps.query, done.layout);
    const Matrix lens = logit_lens(done, token, stop);
    HeadPlot plot;
    plot.first = 0;
    plot.title =
        "class probability" + (token ? ", at " + token_name(done.layout, *token) : std::string());
    const auto row = [&](Index layer) { return MatrixView(lens).block(layer, 0, 1, lens.cols()); };
    const auto top = top_predictions(row(lens.rows() - 1), kClasses);
    for (const Prediction& one : top)
        plot.lines.push_back({class_name(*source.model, one.index), {}});
    for (Index layer = 0; layer < lens.rows(); ++layer) {
        const std::vector<double> all = class_probabilities(row(layer));
        for (std::size_t i = 0; i < top.size(); ++i)
            plot.lines[i].values.push_back(all[static_cast<std::size_t>(top[i].index)]);
    }
    return plot;
}

std::vector<PatchRanking> methods_of(const HeadPlotsOptions& options) {
    constexpr std::size_t kMost = 6;  // the number of colors of lines
    std::vector<PatchRanking> methods =
        rankings_named("--method", options.methods.empty() ? kCurvesMethods : options.methods);
    if (methods.size() > kMost)
        throw UsageError("--method: expected at most " + std::to_string(kMost) +
                         " methods in one plot, found " + std::to_string(methods.size()) + ".");
    return methods;
}

// "relevance, area 0.027"
HeadPlot::Line line_of(const std::string& method, const ClassCurve& curve) {
    return {fmt::format("{}, area {:.3f}", method, curve.area), curve.probability};
}

std::vector<HeadPlot> curve_plots(const Source& source, const Asked& asked,
                                  const std::vector<PatchRanking>& methods,
                                  std::optional<int> of_class,
                                  const std::function<void(const std::string&)>& progress,
                                  const StopFlag& stop) {
    const Model& model = *source.model;
    expect_curves(model);
    HeadPlot deletion, insertion;
    deletion.title = "deletion (class probability)";
    deletion.below = "hidden patches (%)";
    insertion.title = "insertion (class probability)";
    insertion.below = "shown patches (%)";
    const auto [front, change] = beginning_of(source);
    for (const PatchRanking& method : methods) {
        MapCurvesQuestion question;
        question.ranking = method;
        question.of_class = of_class;
        const std::string title = ranking_title(method);
        const MapCurves found =
            map_curves(front, change, question, stop,
                       [&](const std::string& what, float) { progress(title + ", " + what); });
        if (found.zero) std::cerr << order_is_arbitrary(source.image, ranking_name(method)) << '\n';
        for (HeadPlot* plot : {&deletion, &insertion}) {
            plot->of_class = class_name(model, found.about.index);
            plot->part.clear();
            for (const int taken : found.taken)
                plot->part.push_back(static_cast<double>(taken) / found.taken.back());
        }
        deletion.lines.push_back(line_of(title, found.curves.deletion));
        insertion.lines.push_back(line_of(title, found.curves.insertion));
    }
    std::vector<HeadPlot> plots;
    if (asked.deletion) plots.push_back(std::move(deletion));
    if (asked.insertion) plots.push_back(std::move(insertion));
    return plots;
}

void expect_used(const MapsOptions& maps, const HeadPlotsOptions& options, const Asked& asked) {
    if (options.of_class && !asked.curves() &&
        std::ranges::none_of(asked.measures, is_about_a_class))
        throw UsageError("--class can be used only with --plot " + plots_of_a_class() + ".");
    if (!maps.query.empty() && !asked.lens)
        throw UsageError("--query can be used only with --plot lens.");
    if (!options.methods.empty() && !asked.curves())
        throw UsageError("--method can be used only with --plot deletion or insertion.");
}

std::vector<HeadPlot> measure_plots(const Source& source, const std::vector<HeadMeasure>& measures,
                                    std::optional<int> of_class,
                                    const std::function<void(const std::string&)>& progress,
                                    const StopFlag& stop) {
    HeadMeasuresQuestion question;
    question.what = measures;
    question.of_class = of_class;
    for (const HeadMeasure measure : measures)
        if ((measure == HeadMeasure::importance && !has_importance(*source.model)) ||
            (measure != HeadMeasure::importance && is_about_a_class(measure) &&
             !has_classes(*source.model)))
            throw WorkError(source.model->file + ": " + std::string(name_of(measure)) +
                            " needs a model with a classifier.");
    auto [front, change] = beginning_of(source);
    const MeasuredHeads measured =
        measure_heads(std::move(front), change, question, nullptr, stop, progress);
    std::vector<HeadPlot> plots;
    for (const HeadMeasure measure : measures)
        plots.push_back(plot_of(measure, measured, *source.model, of_class));
    return plots;
}

}  // namespace

std::vector<HeadPlot> read_head_plots(const MapsOptions& maps, const HeadPlotsOptions& options,
                                      const std::function<void(const std::string&)>& progress,
                                      const StopFlag& stop) {
    const Asked asked = asked_of(options.what);
    expect_used(maps, options, asked);
    const std::vector<PatchRanking> methods = methods_of(options);
    SourceOptions from = source_of_maps(maps);
    from.image = maps.image;
    const Source source = read_source(from, std::cerr, stop);
    const std::optional<int> chosen = class_of(*source.model, options.of_class);
    std::vector<HeadPlot> plots;
    if (!asked.measures.empty())
        plots = measure_plots(source, asked.measures, chosen, progress, stop);
    if (asked.lens) plots.push_back(lens_plot(source, maps, progress, stop));
    if (!asked.curves()) return plots;
    try {
        for (HeadPlot& plot : curve_plots(source, asked, methods, chosen, progress, stop))
            plots.push_back(std::move(plot));
    } catch (const AnalysisError& error) {
        throw WorkError(maps.model + ": " + error.what());
    }
    return plots;
}

}  // namespace headlight::cli
