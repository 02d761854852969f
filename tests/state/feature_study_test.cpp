#include "state/feature_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/foreground.h"
#include "analysis/prediction.h"
#include "analysis/principal.h"
#include "encoder/features.h"
#include "encoder/lens.h"
#include "gradient/class_maps.h"
#include "models.h"
#include "support.h"

namespace headlight {
namespace {

using ::headlight::testing::Desk;

FeaturesFound found_of(const FeatureQuestion& question) {
    std::atomic<float> progress = 0;
    const StopFlag stop;
    return kFeatures.compute(question, {progress, stop, {}});
}

// The same numbers as `headlight pca` and `match` compute, bit for bit.
TEST(Features, are_those_of_the_command_line) {
    Desk desk;
    const auto& trace = desk->trace();
    const PatchFeatures of_layer = patch_features(back_to_patches(*trace), {}, 0);
    EXPECT_EQ(Matrix(features_after(*trace, 0).eigen()), of_layer.rows);
}

TEST(Features, colors_are_projections_on_principal_components) {
    Desk desk;
    const auto& trace = desk->trace();
    const FeaturesFound found = found_of({trace, FeatureView::pca});
    ASSERT_FALSE(found.layers.empty());
    for (const FeatureLayer& layer : found.layers) {
        const Matrix rows = features_after(*trace, layer.layer).eigen();
        EXPECT_EQ(layer.numbers, principal_components(std::span(&rows, 1), 3).project(rows));
    }
}

// The rows of these patches; the others are NaN. Equal bits, as EXPECT_EQ fails for NaN.
void expect_rows(const Matrix& found, const std::vector<Index>& patches, const Matrix& expected) {
    Index row = 0;
    for (Index patch = 0; patch < found.rows(); ++patch) {
        const bool inside = std::ranges::find(patches, patch) != patches.end();
        for (Index c = 0; c < found.cols(); ++c) {
            if (inside)
                EXPECT_EQ(found(patch, c), expected(row, c)) << patch;
            else
                EXPECT_TRUE(std::isnan(found(patch, c))) << patch;
        }
        row += inside ? 1 : 0;
    }
    EXPECT_EQ(row, expected.rows());
}

// Other patches are NaN.
TEST(Features, colors_of_a_region_are_of_its_patches) {
    Desk desk;
    const auto& trace = desk->trace();
    FeatureQuestion question{trace, FeatureView::pca};
    question.region = {trace->grid.rows, trace->grid.cols, {0, 1, 2, 5, 6}};
    for (const FeatureLayer& layer : found_of(question).layers) {
        const MatrixView features = features_after(*trace, layer.layer);
        const Matrix rows = features.eigen()(question.region.patches, Eigen::all);
        const PrincipalComponents components = principal_components(std::span(&rows, 1), 3);
        const Matrix inside = components.project(MatrixView(rows));
        expect_rows(layer.numbers, {0, 1, 2, 5, 6}, inside);
        for (Index c = 0; c < 3; ++c)
            EXPECT_NEAR(layer.deviations[c], inside.col(c).norm() / std::sqrt(5.0F),
                        1e-5F * inside.col(c).norm());
    }
    question.region.patches = {0, 1, 2};
    EXPECT_THROW(found_of(question), AnalysisError);
}

// Alone, and with the other picture, whose patches decide about the foreground too.
TEST(Features, colors_of_the_foreground_are_those_of_the_engine) {
    Desk desk;
    const auto before = desk->trace();
    ASSERT_TRUE(desk.does("set temperature 0.5"));
    FeatureQuestion question{desk->trace(), FeatureView::pca};
    for (const auto& other : {std::shared_ptr<const Trace>(), before})
        for (const Foreground foreground : {Foreground{true, 0.3F}, Foreground{false, 0.7F}}) {
            question.other = other;
            question.foreground = foreground;
            for (const FeatureLayer& layer : found_of(question).layers) {
                std::vector<Matrix> pictures{features_after(*question.trace, layer.layer).eigen()};
                if (other) pictures.emplace_back(features_after(*other, layer.layer).eigen());
                const auto inside = foreground_rows(foreground, pictures);
                std::vector<Matrix> parts;
                for (std::size_t i = 0; i < pictures.size(); ++i)
                    parts.emplace_back(pictures[i](inside[i], Eigen::all));
                ASSERT_GT(parts[0].rows(), 3) << layer.name;
                EXPECT_LT(parts[0].rows(), pictures[0].rows()) << layer.name;
                const PrincipalComponents components = principal_components(parts, 3);
                expect_rows(layer.numbers, inside[0], components.project(MatrixView(parts[0])));
                if (other)
                    expect_rows(layer.others, inside[1], components.project(MatrixView(parts[1])));
            }
        }
    question.foreground = Foreground{true, 1};
    question.other = nullptr;
    for (const FeatureLayer& layer : found_of(question).layers)
        EXPECT_TRUE(layer.numbers.array().isNaN().all()) << layer.name;
}

TEST(Features, colors_of_two_pictures_have_the_components_of_both) {
    Desk desk;
    const auto before = desk->trace();
    ASSERT_TRUE(desk.does("set temperature 0.5"));
    const auto& trace = desk->trace();
    ASSERT_NE(before, trace);
    for (const FeatureLayer& layer : found_of({trace, FeatureView::pca, 0, before}).layers) {
        const std::vector<Matrix> both{features_after(*trace, layer.layer).eigen(),
                                       features_after(*before, layer.layer).eigen()};
        const PrincipalComponents components = principal_components(both, 3);
        EXPECT_EQ(layer.numbers, components.project(MatrixView(both[0])));
        EXPECT_EQ(layer.others, components.project(MatrixView(both[1])));
    }
}

TEST(Features, norms_are_lengths) {
    Desk desk;
    const auto& trace = desk->trace();
    for (const FeatureLayer& layer : found_of({trace, FeatureView::norms}).layers) {
        const MatrixView rows = features_after(*trace, layer.layer);
        for (Index r = 0; r < rows.rows; ++r) {
            double sum = 0;
            for (Index c = 0; c < rows.cols; ++c)
                sum += static_cast<double>(rows(r, c)) * static_cast<double>(rows(r, c));
            EXPECT_NEAR(layer.numbers(r, 0), std::sqrt(sum), 1e-5 * std::sqrt(sum));
        }
    }
}

// Also where the lens starts after the first layers: after the token transformers of T2T, and after
// the last merge of Swin, whose patches are those of the layer in view.
TEST(Features, answers_are_those_of_a_lens_of_each_patch) {
    State swin = testing::small_state();
    swin.recipe.image_height = swin.recipe.image_width = 16;
    swin.recipe.weights = "swin/model.safetensors";
    swin.recipe.layer = 2;
    State t2t = testing::small_state();
    t2t.recipe.weights = "t2t/model.safetensors";
    t2t.recipe.layer = 2;
    State timm = testing::small_state();
    timm.recipe.weights = "timm/model.safetensors";
    timm.recipe.image_height = timm.recipe.image_width = 48;
    for (const State& state : {timm, t2t, swin}) {
        Desk desk(state, testing::model_files());
        const auto& trace = desk->trace();
        ASSERT_NE(trace, nullptr) << desk->notice().text;
        ASSERT_TRUE(has_lens(*trace->model));
        const FeaturesFound found = found_of({trace, FeatureView::answers});
        ASSERT_FALSE(found.layers.empty());
        EXPECT_EQ(found.layers.back().layer, static_cast<int>(trace->model->layers.size()) - 1);
        const Index patches = trace->grid.count();
        for (const Index patch : {Index{0}, Index{2}, patches - 1}) {
            const Matrix lens = logit_lens(*trace, trace->layout.prefix() + patch);
            for (const FeatureLayer& layer : found.layers) {
                ASSERT_EQ(layer.numbers.rows(), patches);
                ASSERT_EQ(std::ssize(layer.classes), patches);
                const Index row = layer.layer + 1 - trace->model->alike_from();
                const Prediction best =
                    top_predictions(MatrixView(lens).block(row, 0, 1, lens.cols()), 1).front();
                EXPECT_EQ(layer.classes[static_cast<std::size_t>(patch)], best.index);
                EXPECT_NEAR(layer.numbers(patch, 0), best.probability, 1e-5);
            }
        }
    }
}

TEST(Features, likeness_is_the_cosine_with_the_query) {
    Desk desk;
    const auto& trace = desk->trace();
    for (const FeatureLayer& layer : found_of({trace, FeatureView::likeness, 5}).layers) {
        const Matrix rows = features_after(*trace, layer.layer).eigen();
        for (Index r = 0; r < rows.rows(); ++r)
            EXPECT_NEAR(layer.numbers(r, 0),
                        rows.row(r).dot(rows.row(5)) / rows.row(r).norm() / rows.row(5).norm(),
                        1e-5);
        EXPECT_NEAR(layer.numbers(5, 0), 1, 1e-6);
    }
}

TEST(Features, matches_of_a_picture_with_itself_are_the_same_patches) {
    Desk desk;
    const auto& trace = desk->trace();
    const FeaturesFound found = found_of({trace, FeatureView::matches, 0, trace, 0});
    EXPECT_EQ(found.pairs.size(), static_cast<std::size_t>(trace->grid.count()));
    for (const PatchPair& pair : found.pairs) EXPECT_EQ(pair.a, pair.b);
}

TEST(MutualNearest, are_largest_in_row_and_column) {
    Matrix cosines(3, 3);
    cosines << 0.9F, 0.8F, 0.1F, 0.95F, 0.2F, 0.3F, 0.1F, 0.2F, 0.25F;
    // Row 0's best is column 0, whose best is row 1; row 1's is column 0; row 2's is column 2,
    // whose best is row 1.
    EXPECT_EQ(mutual_nearest(cosines), (std::vector<PatchPair>{{1, 0, 0.95F}}));
}

}  // namespace
}  // namespace headlight
