#include <gtest/gtest.h>

#include "analysis/prediction.h"
#include "encoder/ablation.h"
#include "encoder/contributions.h"
#include "encoder/lens.h"
#include "encoder/runner.h"
#include "model_files.h"
#include "naive.h"
#include "ops/limits.h"
#include "picture.h"
#include "tests/source_path.h"

// Analyses of a whole model: logit lens, ablation of each head, activation patching, and
// contributions to the logit.
namespace headlight::all_heads_test {
namespace {

FileReader with_picture(const FileReader& read) {
    return [read](const std::string& path) -> File {
        return path == "a" ? FileBytes(picture(50, 47)) : read(path);
    };
}

std::shared_ptr<const Trace> run(const GoldenModel& model, Recipe recipe = {}) {
    recipe.image = "a";
    recipe.weights = model.path();
    return Runner(with_picture(reader_of(model))).run(recipe);
}

// Layer norm and product in double: the end of a model that pools its class token.
std::vector<double> answer_of(const Model& model, const MatrixView& tokens, Index row) {
    const Index width = tokens.cols;
    double mean = 0, variance = 0;
    for (Index c = 0; c < width; ++c) mean += tokens(row, c) / static_cast<double>(width);
    for (Index c = 0; c < width; ++c)
        variance += (tokens(row, c) - mean) * (tokens(row, c) - mean) / static_cast<double>(width);
    const MatrixView gamma = model.norm.gamma->view(), beta = model.norm.beta->view(),
                     weight = model.classifier.weight->view(), bias = model.classifier.bias->view();
    std::vector<double> logits;
    for (Index k = 0; k < weight.rows; ++k) {
        double sum = bias(0, k);
        for (Index c = 0; c < width; ++c)
            sum += ((tokens(row, c) - mean) / std::sqrt(variance + model.norm.eps) * gamma(0, c) +
                    beta(0, c)) *
                   weight(k, c);
        logits.push_back(sum);
    }
    return logits;
}

TEST(LogitLens, reads_every_layer_by_the_models_own_end) {
    const auto trace = run({"timm"});
    ASSERT_EQ(trace->model->pooling, Pooling::class_token);
    for (const std::optional<Index> token : {std::optional<Index>(), std::optional<Index>(3)}) {
        const Matrix lens = logit_lens(*trace, token);
        ASSERT_EQ(lens.rows(), static_cast<Index>(trace->model->layers.size()) + 1);
        for (Index l = 0; l < lens.rows(); ++l) {
            const auto expected =
                answer_of(*trace->model, trace->stream[static_cast<std::size_t>(l)]->view(),
                          token.value_or(0));
            for (Index k = 0; k < lens.cols(); ++k)
                EXPECT_NEAR(lens(l, k), expected[static_cast<std::size_t>(k)], 1e-5);
        }
    }
}

TEST(LogitLens, ends_in_the_models_answer) {
    for (const char* name : {"timm", "deit_distilled", "timm_pooled", "dinov2", "t2t"}) {
        const auto trace = run({name});
        if (!has_lens(*trace->model)) continue;
        const Matrix lens = logit_lens(*trace, std::nullopt);
        EXPECT_TRUE(naive::identical(Matrix(lens.bottomRows(1)), trace->view(Tensor::logits)))
            << name;
    }
}

TEST(LogitLens, of_many_tokens_is_that_of_each) {
    for (const char* name : {"timm", "deit_distilled", "timm_pooled", "beit", "dinov2", "t2t"}) {
        const auto trace = run({name});
        if (!has_lens(*trace->model)) continue;
        const std::vector<Index> tokens{3, 0, 1};
        std::vector<Matrix> alone;
        for (const Index token : tokens) alone.push_back(logit_lens(*trace, token));
        float largest = 0;
        for (const Matrix& lens : alone) largest = std::max(largest, lens.cwiseAbs().maxCoeff());
        const int first = trace->model->alike_from();
        int next = first;
        logit_lens(*trace, tokens, [&](int layer, const MatrixView& logits) {
            EXPECT_EQ(layer, next++);
            ASSERT_EQ(logits.rows, std::ssize(tokens));
            for (Index i = 0; i < logits.rows; ++i)
                for (Index k = 0; k < logits.cols; ++k)
                    EXPECT_NEAR(logits(i, k), alone[static_cast<std::size_t>(i)](layer - first, k),
                                2e-6F * largest)
                        << name;
        });
        EXPECT_EQ(next, static_cast<int>(trace->stream.size())) << name;
        const std::vector<Index> none_such{0, 1000};
        EXPECT_THROW(logit_lens(*trace, none_such, [](int, const MatrixView&) {}), RecipeError);
    }
}

TEST(LogitLens, refuses_models_without_classes_and_tokens_that_there_are_not) {
    EXPECT_THROW(static_cast<void>(logit_lens(*run({"clip_openai"}), std::nullopt)), RecipeError);
    EXPECT_THROW(static_cast<void>(logit_lens(*run({"timm"}), 1000)), RecipeError);
}

// The shipped T2T layer has a classifier, but its input is narrower than the classifier's.
TEST(LogitLens, is_not_made_of_what_the_end_cannot_read) {
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = source_path("assets/models/t2t-layer/model.safetensors");
    const auto trace = Runner(with_picture(read_disk)).run(recipe);
    ASSERT_TRUE(has_classes(*trace->model));
    ASSERT_NE(trace->stream.front()->view().cols, trace->stream.back()->view().cols);
    EXPECT_FALSE(has_lens(*trace->model));
    EXPECT_THROW(logit_lens(*trace, std::nullopt), RecipeError);
    EXPECT_EQ(ablate_heads(*trace, counterfactual_of(recipe, *trace->model), 0).size(), 1U);
}

TEST(HeadEffects, are_those_of_runs_with_each_head_switched_off) {
    const GoldenModel model{"timm"};
    Recipe recipe;
    recipe.switched_off = {{0, 1}};
    const auto whole = run(model, recipe);
    const Index of_class = top_predictions(whole->view(Tensor::logits), 1).front().index;
    const HeadEffects effects =
        ablate_heads(*whole, counterfactual_of(recipe, *whole->model), of_class);
    ASSERT_EQ(effects.size(), whole->model->layers.size());
    const auto probability = [&](const Trace& trace) {
        return class_probabilities(trace.view(Tensor::logits))[static_cast<std::size_t>(of_class)];
    };
    for (int b = 0; b < static_cast<int>(effects.size()); ++b)
        for (int h = 0; h < static_cast<int>(effects[static_cast<std::size_t>(b)].size()); ++h) {
            const HeadEffect& found =
                effects[static_cast<std::size_t>(b)][static_cast<std::size_t>(h)];
            if (HeadPlace{b, h} == recipe.switched_off.front()) {
                EXPECT_EQ(found, HeadEffect{});
                continue;
            }
            Recipe without = recipe;
            without.switched_off.push_back({b, h});
            std::ranges::sort(without.switched_off);
            const auto off = run(model, without);
            EXPECT_NEAR(
                found.logit,
                off->view(Tensor::logits)(0, of_class) - whole->view(Tensor::logits)(0, of_class),
                1e-6);
            EXPECT_NEAR(found.probability, probability(*off) - probability(*whole), 1e-6);
        }
}

// For a model without a classifier: compared with runs in which each head is switched off.
TEST(HeadTurns, are_one_less_the_cosine_of_the_output_with_and_without_a_head) {
    const GoldenModel model{"dino"};
    Recipe recipe;
    recipe.switched_off = {{0, 1}};
    const auto whole = run(model, recipe);
    ASSERT_FALSE(has_classes(*whole->model));
    ASSERT_TRUE(has_output_row(*whole));
    const auto row_of = [](const Trace& trace) {
        return Eigen::RowVectorXd(trace.view(Tensor::norm).eigen().row(0).cast<double>());
    };
    const Counterfactual change = counterfactual_of(recipe, *whole->model);
    const HeadTurns turns = turns_without_heads(*whole, change);
    const HeadTurns level = turns_of_level_heads(*whole, change);
    ASSERT_EQ(turns.size(), whole->model->layers.size());
    for (int b = 0; b < static_cast<int>(turns.size()); ++b)
        for (int h = 0; h < static_cast<int>(turns[static_cast<std::size_t>(b)].size()); ++h) {
            const double found = turns[static_cast<std::size_t>(b)][static_cast<std::size_t>(h)];
            if (HeadPlace{b, h} == recipe.switched_off.front()) {
                EXPECT_EQ(found, 0);
                continue;
            }
            Recipe without = recipe;
            without.switched_off.push_back({b, h});
            std::ranges::sort(without.switched_off);
            const auto a = row_of(*run(model, without)), c = row_of(*whole);
            EXPECT_NEAR(found, 1 - a.dot(c) / std::sqrt(a.squaredNorm() * c.squaredNorm()), 1e-6);
            EXPECT_GT(found, 0);
            EXPECT_TRUE(
                std::isfinite(level[static_cast<std::size_t>(b)][static_cast<std::size_t>(h)]));
        }
    EXPECT_THROW(turns_without_heads(*whole, change, {}, [] { return true; }), Stopped);
}

TEST(HeadEffects, say_how_far_they_are_and_can_be_stopped) {
    const auto trace = run({"timm"});
    std::vector<float> parts;
    ablate_heads(*trace, {}, 0, [&](float part) { parts.push_back(part); });
    EXPECT_TRUE(std::ranges::is_sorted(parts));
    EXPECT_EQ(parts.back(), 1);
    EXPECT_THROW(ablate_heads(*trace, {}, 0, {}, [] { return true; }), Stopped);
    EXPECT_THROW(ablate_heads(*trace, {}, 100000), RecipeError);
}

// ---- patching

bool is_head_of(const Trace& trace, const HeadPlace& head) {
    return head.head < trace.model->layers[static_cast<std::size_t>(head.layer)].attention.heads;
}

std::vector<HeadPlace> heads_of(const Trace& trace) {
    std::vector<HeadPlace> heads;
    for (int b = 0; b < static_cast<int>(trace.model->layers.size()); ++b)
        for (int h = 0; is_head_of(trace, {b, h}); ++h) heads.push_back({b, h});
    return heads;
}

// Changes in these heads follow them: with all of them the output is the other run's.
TEST(Patching, of_all_that_differs_gives_the_other_answer) {
    const GoldenModel model{"timm"};
    Recipe changed;
    changed.switched_off = {{0, 1}, {1, 0}};
    const auto now = run(model, changed), before = run(model);
    const Counterfactual change = counterfactual_of(changed, *now->model), none;
    const Trace same_model = [&] {
        Trace trace = *before;
        trace.model = now->model;
        return trace;
    }();
    const ModelRun from{same_model, none};
    EXPECT_TRUE(naive::identical(patched_answer({*now, change}, from, changed.switched_off),
                                 before->view(Tensor::logits)));
    EXPECT_TRUE(naive::identical(patched_answer({*now, change}, from, heads_of(*now)),
                                 before->view(Tensor::logits)));
    EXPECT_TRUE(
        naive::identical(patched_answer({*now, change}, from, {}), now->view(Tensor::logits)));
    EXPECT_FALSE(naive::identical(patched_answer({*now, change}, from, {{0, 1}}),
                                  before->view(Tensor::logits)));
}

// Patching from a run with all heads off equals switching heads off.
TEST(Patching, from_heads_that_are_off_is_switching_off) {
    const GoldenModel model{"timm"};
    const auto now = run(model);
    Counterfactual silent;
    silent.switched_off = heads_of(*now);
    const HeadEffects patched = patch_heads({*now, {}}, {*now, silent}, 1);
    EXPECT_EQ(patched, ablate_heads(*now, {}, 1));
}

// If all queries of a head attend uniformly, its outputs equal their mean, so setting them to the
// mean changes nothing. (Infinite temperature.)
TEST(HeadEffects, of_what_says_the_same_to_all_are_nothing_when_it_is_levelled) {
    Recipe recipe;
    recipe.temperature = 20;
    recipe.scale = 1e-6F;
    const auto even = run({"timm"}, recipe), usual = run({"timm"});
    const HeadEffects none = level_heads(*even, counterfactual_of(recipe, *even->model), 0);
    for (const auto& layer : none)
        for (const HeadEffect& effect : layer) EXPECT_NEAR(effect.logit, 0, 1e-5);
    double most = 0;
    for (const auto& layer : level_heads(*usual, {}, 0))
        for (const HeadEffect& effect : layer)
            most = std::max(most, std::abs(static_cast<double>(effect.logit)));
    EXPECT_GT(most, 1e-4);
}

TEST(Patching, refuses_runs_of_other_models) {
    const auto now = run({"timm"}), other = run({"timm_pooled"});
    EXPECT_THROW(patch_heads({*now, {}}, {*other, {}}, 0), RecipeError);
}

// ---- contributions

TEST(Contributions, add_up_to_the_logit) {
    int models = 0;
    for (const char* name :
         {"timm", "timm_pooled", "timm_registers", "timm_swiglu", "deit_distilled", "dinov2", "t2t",
          "torchvision", "hf_vit", "hf_deit", "hf_dinov2", "beit", "eva02"}) {
        const auto trace = run({name});
        if (!has_lens(*trace->model) || trace->model->pooler.exists()) continue;
        ++models;
        const MatrixView logits = trace->view(Tensor::logits);
        for (Index k = 0; k < logits.cols; ++k) {
            const Contributions found = contributions_to(*trace, {}, k);
            double largest = std::abs(found.input) + std::abs(found.end);
            for (std::size_t b = 0; b < found.mlp.size(); ++b)
                largest = std::max({largest, std::abs(found.attention(b)), std::abs(found.mlp[b])});
            EXPECT_NEAR(found.sum(), logits(0, k), 1e-5 * largest) << name << ", class " << k;
        }
    }
    EXPECT_GE(models, 5);
}

// For the last layer of a model with a class token: A·V in plain loops, and the head's part of it
// through the projection, the norm with this token's standard deviation, and the class's row.
TEST(Contributions, of_a_head_are_what_it_writes_through_the_end) {
    Recipe recipe;
    recipe.layer = 1;
    const auto trace = run({"timm"}, recipe);
    const Model& model = *trace->model;
    const Layer& layer = model.layers[1];
    const Index width = model.width(), part = trace->config.head_dim();
    const MatrixView weight = layer.projection.weight->view(), gamma = model.norm.gamma->view(),
                     row = model.classifier.weight->view();
    const double deviation = trace->view(Tensor::norm_rows)(0, 1);
    const Contributions found = contributions_to(*trace, {}, 2);
    // The norm is frozen at the class token's row before it.
    ASSERT_EQ(found.frozen.size(), 1U);
    EXPECT_EQ(found.frozen[0].token, 0);
    const MatrixView encoded = trace->view(Tensor::encoded);
    const auto count = static_cast<double>(width);
    double middle = 0, squares = 0;
    for (Index d = 0; d < width; ++d) middle += encoded(0, d) / count;
    for (Index d = 0; d < width; ++d) squares += std::pow(encoded(0, d) - middle, 2);
    EXPECT_NEAR(found.frozen[0].mean, middle, 1e-6);
    EXPECT_NEAR(found.frozen[0].deviation, std::sqrt(squares / count + model.norm.eps), 1e-6);
    for (Index h = 0; h < trace->config.heads; ++h) {
        const MatrixView attention = trace->view(Tensor::attention, 0, h),
                         value = trace->view(Tensor::value, 0, h);
        std::vector<double> written(static_cast<std::size_t>(width), 0);
        double mean = 0;
        for (Index d = 0; d < width; ++d) {
            double& sum = written[static_cast<std::size_t>(d)];
            for (Index c = 0; c < part; ++c)
                for (Index j = 0; j < attention.cols; ++j)
                    sum += static_cast<double>(attention(0, j)) * value(j, c) *
                           weight(d, h * part + c);
            mean += sum / static_cast<double>(width);
        }
        double expected = 0;
        for (Index d = 0; d < width; ++d)
            expected +=
                (written[static_cast<std::size_t>(d)] - mean) / deviation * gamma(0, d) * row(2, d);
        EXPECT_NEAR(found.heads[1][static_cast<std::size_t>(h)], expected, 1e-5);
    }
}

TEST(Contributions, of_a_head_that_is_off_are_nothing) {
    const GoldenModel model{"timm"};
    Recipe recipe;
    recipe.switched_off = {{0, 1}};
    const auto trace = run(model, recipe);
    const Contributions found =
        contributions_to(*trace, counterfactual_of(recipe, *trace->model), 0);
    EXPECT_EQ(found.heads[0][1], 0);
    EXPECT_NE(found.heads[0][0], 0);
    EXPECT_NEAR(found.sum(), trace->view(Tensor::logits)(0, 0), 1e-5);
}

TEST(Contributions, refuse_what_is_no_sum) {
    const auto refused = [](const Trace& trace, Index of_class) {
        return naive::sentence_of<RecipeError>([&] { contributions_to(trace, {}, of_class); });
    };
    EXPECT_NE(refused(*run({"clip_openai"}), 0).find("with a classifier"), std::string::npos);
    const auto trace = run({"timm"});
    EXPECT_NE(refused(*trace, 1000).find("Class 1000: this model has"), std::string::npos);
    auto post_norm = std::make_shared<Model>(*trace->model);
    post_norm->layers[1].norm_first = false;
    Trace other = *trace;
    other.model = post_norm;
    EXPECT_EQ(refused(other, 0),
              "Layer 2 does more than add to the residual stream, so the logit is not a sum of "
              "contributions.");
    EXPECT_THROW(contributions_to(*trace, {}, 0, {}, [] { return true; }), Stopped);
}

}  // namespace
}  // namespace headlight::all_heads_test
