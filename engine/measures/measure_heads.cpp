#include "measures/measure_heads.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "analysis/head_numbers.h"
#include "analysis/region_share.h"
#include "analysis/similarity.h"
#include "encoder/ablation.h"
#include "encoder/contributions.h"
#include "encoder/lens.h"
#include "encoder/token_maps.h"
#include "measures/computed_measures.h"
#include "ops/limits.h"

namespace headlight {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool asks_of_run(const HeadMeasuresQuestion& question) {
    return std::ranges::any_of(question.what, [](HeadMeasure measure) {
        return static_cast<std::size_t>(measure) < kRunMeasures;
    });
}

bool compares_maps(const HeadMeasuresQuestion& question) {
    return question.asks(HeadMeasure::alike) || question.asks(HeadMeasure::change);
}

// The query's row of each head: [H, N].
Matrix rows_of(const Trace& layer, Index query) {
    Matrix rows(layer.shape.heads, layer.layout.count());
    for (Index h = 0; h < rows.rows(); ++h)
        rows.row(h) = layer.view(Tensor::attention, 0, h).eigen().row(query);
    return rows;
}

MatrixView row(const Matrix& rows, Index head, Index first = 0) {
    return MatrixView(rows).block(head, first, 1, rows.cols() - first);
}

template <class Of>
void fill(LayerNumbers& heads, HeadMeasure measure, const Of& number_of) {
    for (std::size_t b = 0; b < heads.size(); ++b)
        for (std::size_t h = 0; h < heads[b].size(); ++h) heads[b][h][measure] = number_of(b, h);
}

// measured: by block, then by head; blocks without numbers stay NaN.
template <class Measured, class Number>
void take(LayerNumbers& heads, HeadMeasure measure, const Measured& measured,
          const Number& number) {
    fill(heads, measure, [&](std::size_t b, std::size_t h) -> double {
        return b < measured.size() && h < measured[b].size() ? number(measured[b][h]) : kNone;
    });
}

double probability_of(const HeadEffect& effect) { return effect.probability; }
double logit_of(const HeadEffect& effect) { return static_cast<double>(effect.logit); }

class Measuring {
  public:
    Measuring(const HeadMeasuresQuestion& question, const ComparedRun* before, const StopFlag& stop,
              const std::function<void(const std::string&)>& progress)
        : question_(question), before_(before), stop_(stop), progress_(progress) {}

    MeasuredHeads run(Trace front, const Counterfactual& change) {
        if (question_.asks(&HeadMeasureInfo::of_query)) expect_alike_layers(*front.model);
        const Trace trace = Runner::run(
            {std::move(front), change}, [this](const Trace& layer) { look(layer); }, stop_);
        found_.layout = trace.layout;
        if (has_classes(*trace.model) && trace.has(Tensor::logits))
            found_.answer = top_predictions(trace.view(Tensor::logits), 1).front();
        if (question_.asks(HeadMeasure::alike)) correlate();
        if (question_.asks(HeadMeasure::change)) compare(trace);
        intervene(trace, change);
        return found_;
    }

  private:
    void look(const Trace& layer) {
        const auto b = static_cast<std::size_t>(layer.layer);
        found_.heads.resize(std::max(found_.heads.size(), b + 1));
        if (asks_of_run(question_))
            found_.heads[b] = head_numbers(layer.all(Tensor::attention), layer.shape.heads,
                                           layer.layout, layer.grid, stop_);
        else
            found_.heads[b].resize(static_cast<std::size_t>(layer.shape.heads));
        if (compares_maps(question_) && layer.layer >= layer.model->token_transformers()) {
            rows_.resize(b + 1);
            rows_[b] = rows_of(layer, question_.query(places_of(layer)));
        }
        if (layer.layer >= layer.model->token_transformers()) look_at_region(layer, b);
        if (progress_) progress_(layer.model_layer().name);
    }

    void look_at_region(const Trace& layer, std::size_t b) {
        const bool of_query = question_.asks(HeadMeasure::region),
                   within = question_.asks(HeadMeasure::within_region);
        if (!of_query && !within) return;
        if (!region_) region_ = question_.region(layer);
        const Region here = region_on(*region_, layer.grid.rows, layer.grid.cols);
        found_.region_patches.resize(b + 1);
        found_.region_patches[b] = std::ssize(here.patches);
        const auto set = [&](HeadMeasure measure, const auto& number) {
            for (std::size_t h = 0; h < found_.heads[b].size(); ++h)
                found_.heads[b][h][measure] = number(h);
        };
        if (of_query) {
            const Matrix rows = rows_of(layer, question_.query(places_of(layer)));
            const Index prefix = layer.layout.prefix();
            set(HeadMeasure::region, [&](std::size_t h) {
                return share_on_region(row(rows, static_cast<Index>(h), prefix), here);
            });
        }
        if (!within) return;
        const std::vector<double> shares = shares_within_region(layer, here);
        set(HeadMeasure::within_region, [&](std::size_t h) { return shares[h]; });
    }

    // Over the patches, as the maps are shown.
    void correlate() {
        const auto b = static_cast<std::size_t>(question_.chosen.layer);
        if (b >= rows_.size() || question_.chosen.head >= rows_[b].rows())
            throw AnalysisError(
                "The model does not have the layer and head that the others are compared with.");
        const Index prefix = found_.layout.prefix();
        const MatrixView chosen = row(rows_[b], question_.chosen.head, prefix);
        fill(found_.heads, HeadMeasure::alike, [&](std::size_t layer, std::size_t h) {
            if (layer >= rows_.size() || rows_[layer].size() == 0) return kNone;
            return correlation(chosen, row(rows_[layer], static_cast<Index>(h), prefix));
        });
    }

    // Over all tokens; if the prefix tokens differ between the runs, only over the patches.
    void compare(const Trace& trace) {
        const Trace& other = before_->trace;
        if (trace.grid.rows != other.grid.rows || trace.grid.cols != other.grid.cols)
            throw AnalysisError(why_no_difference(trace.grid, other.grid));
        const auto heads = [](const Matrix& rows) { return rows.rows(); };
        if (!std::ranges::equal(rows_, before_->rows, {}, heads, heads))
            throw AnalysisError(
                "The other model has a different number of layers or heads, so its heads cannot be "
                "compared.");
        const bool same = trace.layout == other.layout;
        fill(found_.heads, HeadMeasure::change, [&](std::size_t b, std::size_t h) {
            if (b >= rows_.size() || rows_[b].size() == 0) return kNone;
            const auto head = static_cast<Index>(h);
            return total_variation(row(rows_[b], head, same ? 0 : trace.layout.prefix()),
                                   row(before_->rows[b], head, same ? 0 : other.layout.prefix()));
        });
    }

    // Measures that change heads and run the model to its end again.
    void intervene(const Trace& trace, const Counterfactual& change) {
        const AblationProgress tell = [this](float part) {
            if (progress_)
                progress_(std::to_string(static_cast<int>(100 * part)) + " % of the heads");
        };
        const Index of_class =
            question_.of_class.value_or(found_.answer ? found_.answer->index : 0);
        const bool of_probability = question_.asks(HeadMeasure::importance),
                   of_logit = question_.asks(HeadMeasure::importance_logit);
        if (has_classes(*trace.model) && (of_probability || of_logit)) {
            const HeadEffects effects = ablate_heads(trace, change, of_class, tell, stop_);
            if (of_probability)
                take(found_.heads, HeadMeasure::importance, effects, probability_of);
            if (of_logit) take(found_.heads, HeadMeasure::importance_logit, effects, logit_of);
        } else if (of_probability) {
            take(found_.heads, HeadMeasure::importance,
                 turns_without_heads(trace, change, tell, stop_), std::identity());
        }
        for (const ComputedMeasure& measure : computed_measures())
            if (question_.asks(measure.id))
                take(found_.heads, measure.id,
                     measure.compute({trace, change, of_class, tell, stop_}), std::identity());
        if (question_.asks(HeadMeasure::contribution))
            take(found_.heads, HeadMeasure::contribution,
                 contributions_to(trace, change, of_class, tell, stop_).heads, std::identity());
        if (question_.asks(HeadMeasure::patching))
            take(found_.heads, HeadMeasure::patching,
                 patch_heads({trace, change}, {before_->trace, before_->change}, of_class, tell,
                             stop_),
                 probability_of);
    }

    const HeadMeasuresQuestion& question_;
    const ComparedRun* before_;
    const StopFlag& stop_;
    const std::function<void(const std::string&)>& progress_;
    MeasuredHeads found_;
    std::vector<Matrix> rows_;      // by block
    std::optional<Region> region_;  // on the grid of the first layer
};

}  // namespace

bool has_importance(const Model& model) {
    return has_classes(model) || (!model.is_bare_layer() && !model.is_maps());
}

bool has_measure(HeadMeasure measure, const Model& model, const Counterfactual& change) {
    if (measure == HeadMeasure::importance) return has_importance(model);
    if (info(measure).of_class && !has_classes(model)) return false;
    if (measure == HeadMeasure::contribution) return why_no_contributions(model).empty();
    const ComputedMeasure* row = computed_measure(measure);
    return row == nullptr || row->possible(model, change);
}

bool HeadMeasuresQuestion::asks(HeadMeasure measure) const {
    return std::ranges::find(what, measure) != what.end();
}

bool HeadMeasuresQuestion::asks(bool HeadMeasureInfo::*kind) const {
    return std::ranges::any_of(what, [=](HeadMeasure measure) { return info(measure).*kind; });
}

ComparedRun compared_run(Trace front, const Counterfactual& change,
                         const HeadMeasuresQuestion& question, const StopFlag& stop) {
    ComparedRun run;
    run.change = change;
    const auto look = [&](const Trace& layer) {
        if (!compares_maps(question) || layer.layer < layer.model->token_transformers()) return;
        run.rows.resize(static_cast<std::size_t>(layer.layer) + 1);
        run.rows.back() = rows_of(layer, question.query(places_of(layer)));
    };
    run.trace = Runner::run({std::move(front), change}, look, stop);
    return run;
}

MeasuredHeads measure_heads(Trace front, const Counterfactual& change,
                            const HeadMeasuresQuestion& question, const ComparedRun* before,
                            const StopFlag& stop,
                            const std::function<void(const std::string&)>& progress) {
    return Measuring(question, before, stop, progress).run(std::move(front), change);
}

}  // namespace headlight
