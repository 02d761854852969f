#include "state/feature_study.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/prediction.h"
#include "analysis/principal.h"
#include "encoder/lens.h"

namespace headlight {

namespace {

constexpr Index kColors = 3;

int layers_of(const Trace& trace) { return static_cast<int>(trace.model->layers.size()); }

std::string name_of_layer(const Trace& trace, int layer) {
    return layer < layers_of(trace) ? trace.model->layers[static_cast<std::size_t>(layer)].name
                                    : "final norm";
}

Matrix norms_of(const MatrixView& features) {
    Matrix norms(features.rows, 1);
    for (Index r = 0; r < features.rows; ++r)
        norms(r, 0) = static_cast<float>(features.eigen().row(r).cast<double>().norm());
    return norms;
}

std::vector<Index> all_rows(const Matrix& features) {
    std::vector<Index> rows(static_cast<std::size_t>(features.rows()));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
}

// The patches of each picture that determine the components.
std::vector<std::vector<Index>> patches_for_colors(const FeatureQuestion& question,
                                                   const std::vector<Matrix>& pictures) {
    if (question.foreground) return foreground_rows(*question.foreground, pictures);
    std::vector<std::vector<Index>> patches;
    if (question.region.empty()) {
        for (const Matrix& features : pictures) patches.push_back(all_rows(features));
        return patches;
    }
    const PatchGrid& grid = question.trace->grid;
    const Region region = region_on(question.region, grid.rows, grid.cols);
    if (static_cast<Index>(region.patches.size()) <= kColors)
        throw AnalysisError("Colors need more than three patches. Draw a larger region.");
    patches.emplace_back(region.patches.begin(), region.patches.end());
    patches.resize(pictures.size());
    return patches;
}

// The projections of these patches; the other rows are NaN.
Matrix projected(const PrincipalComponents& components, const Matrix& features,
                 const std::vector<Index>& patches) {
    Matrix all =
        Matrix::Constant(features.rows(), kColors, std::numeric_limits<float>::quiet_NaN());
    if (patches.empty()) return all;
    const Matrix rows = features(patches, Eigen::all);
    all(patches, Eigen::all) = components.project(MatrixView(rows));
    return all;
}

void find_colors(FeatureLayer& made, const FeatureQuestion& question, const MatrixView& features) {
    std::vector<Matrix> pictures{features.eigen()};
    if (question.other)
        if (const MatrixView others = features_after(*question.other, made.layer); !others.empty())
            pictures.emplace_back(others.eigen());
    std::vector<std::vector<Index>> patches = patches_for_colors(question, pictures);
    std::vector<Matrix> parts;
    Index count = 0;
    for (std::size_t i = 0; i < pictures.size(); ++i)
        count += parts.emplace_back(pictures[i](patches[i], Eigen::all)).rows();
    PrincipalComponents components;
    made.deviations = Vector::Zero(kColors);
    if (count > kColors) {
        components = principal_components(parts, kColors);
        for (const Matrix& part : parts)
            made.deviations +=
                components.project(MatrixView(part)).array().square().colwise().sum().matrix();
        made.deviations = (made.deviations / static_cast<float>(count)).cwiseSqrt();
        if (!question.region.empty() && pictures.size() > 1) patches[1] = all_rows(pictures[1]);
    } else {
        patches.assign(pictures.size(), {});
    }
    made.numbers = projected(components, pictures[0], patches[0]);
    if (pictures.size() > 1) made.others = projected(components, pictures[1], patches[1]);
}

// The token's cosines with the patches; the token itself need not be a patch.
Matrix cosines_of(const Trace& trace, int layer, Index token) {
    const MatrixView all = layer < layers_of(trace)
                               ? trace.stream[static_cast<std::size_t>(layer) + 1]->view()
                               : trace.view(Tensor::norm);
    if (token >= all.rows) return {};
    const Vector cosines = cosines_to(all, token);
    const Index prefix = trace.layout.prefix(), patches = trace.grid.count();
    return cosines.segment(prefix, patches).transpose();
}

// The most probable class of every patch after every layer.
void add_answers(FeaturesFound& found, const Trace& trace, const FeatureFinder::Run& run) {
    std::vector<Index> tokens(static_cast<std::size_t>(trace.grid.count()));
    std::iota(tokens.begin(), tokens.end(), trace.layout.prefix());
    const auto take = [&](int after, const MatrixView& logits) {
        run.progress = static_cast<float>(after) / static_cast<float>(layers_of(trace));
        const auto layer = std::ranges::find(found.layers, after - 1, &FeatureLayer::layer);
        if (layer == found.layers.end()) return;
        layer->numbers.resize(logits.rows, 1);
        for (Index patch = 0; patch < logits.rows; ++patch) {
            const Prediction best =
                top_predictions(logits.block(patch, 0, 1, logits.cols), 1).front();
            layer->numbers(patch, 0) = static_cast<float>(best.probability);
            layer->classes.push_back(best.index);
        }
    };
    logit_lens(trace, tokens, take, run.stop);
}

FeaturesFound matches_of(const FeatureQuestion& question) {
    FeaturesFound found;
    const MatrixView a = features_after(*question.trace, question.layer),
                     b = features_after(*question.other, question.layer);
    if (a.empty() || b.empty() || a.cols != b.cols)
        throw AnalysisError(
            "Matches need two pictures whose features have the same width after this layer.");
    found.pairs = mutual_nearest(cosines_between(a, b));
    std::ranges::stable_sort(found.pairs, std::ranges::greater{}, &PatchPair::cosine);
    return found;
}

FeaturesFound find_features(const FeatureQuestion& question, const FeatureFinder::Run& run) {
    if (question.view == FeatureView::matches) return matches_of(question);
    const Trace& trace = *question.trace;
    const bool answers = question.view == FeatureView::answers;
    FeaturesFound found;
    const int end = layers_of(trace);
    // The lens starts later than the layers in a model that merges patches.
    const int first =
        std::max(trace.model->token_transformers(), answers ? trace.model->alike_from() - 1 : 0);
    for (int layer = first; layer <= end; ++layer) {
        throw_if_stopped(run.stop);
        const MatrixView features = features_after(trace, layer);
        if (features.empty() || (answers && layer == end)) continue;
        FeatureLayer& made = found.layers.emplace_back();
        made.name = name_of_layer(trace, layer);
        made.layer = layer;
        if (question.view == FeatureView::pca) find_colors(made, question, features);
        if (question.view == FeatureView::norms) made.numbers = norms_of(features);
        if (question.view == FeatureView::likeness)
            made.numbers = cosines_of(trace, layer, question.token);
        if (!answers) run.progress = static_cast<float>(layer + 1) / static_cast<float>(end + 1);
    }
    if (answers) add_answers(found, trace, run);
    return found;
}

}  // namespace

MatrixView features_after(const Trace& trace, int layer) {
    const Index prefix = trace.layout.prefix(), patches = trace.grid.count();
    MatrixView tokens;
    if (layer < layers_of(trace)) {
        const auto at = static_cast<std::size_t>(layer) + 1;
        if (at < trace.stream.size() && trace.stream[at]) tokens = trace.stream[at]->view();
    } else if (trace.has(Tensor::norm)) {
        tokens = trace.view(Tensor::norm);
    }
    if (tokens.rows != prefix + patches) return {};
    return tokens.block(prefix, 0, patches, tokens.cols);
}

std::string why_no_features(const Trace& trace, FeatureView view) {
    if (!trace.model || trace.model->is_maps() || trace.stream.empty())
        return "Features need a whole model, and this result has none.";
    if (!trace.image || trace.grid.count() == 0) return "Features need a picture.";
    const auto end = static_cast<Index>(trace.grid.count());
    if (view == FeatureView::pca && end <= kColors) return "Colors need more than three patches.";
    if (view == FeatureView::answers && !has_lens(*trace.model))
        return "Answers need a model with a classifier.";
    return "";
}

// Patience: colors keep coming while the bound of the foreground is dragged.
const FeatureFinder kFeatures{
    .compute = find_features, .takes_long = true, .patience = std::chrono::seconds(1)};

}  // namespace headlight
