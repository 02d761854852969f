#include "encoder/patching.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/prediction.h"
#include "encoder/runner.h"
#include "model_files.h"
#include "naive.h"
#include "ops/limits.h"
#include "picture.h"
#include "run_layer.h"

// Patching of tokens and layers, compared with separate runs of the rest of the model.
namespace headlight::patching_test {
namespace {

// Two pictures, "a" and "b", through one model.
struct Pair {
    std::shared_ptr<const Trace> now, from;
};

FileReader with_pictures(const FileReader& read) {
    return [read](const std::string& path) -> File {
        if (path == "a") return FileBytes(picture(50, 47));
        if (path == "b") return FileBytes(picture(50, 47, 90));
        return read(path);
    };
}

Pair pair_of(const GoldenModel& model) {
    Runner runner(with_pictures(reader_of(model)));
    Recipe recipe;
    recipe.weights = model.path();
    recipe.image = "b";
    Pair pair;
    pair.from = runner.run(recipe);
    recipe.image = "a";
    pair.now = runner.run(recipe);
    return pair;
}

std::vector<HeadPlace> heads_of(const Trace& trace, int layer) {
    std::vector<HeadPlace> heads;
    const int count = trace.model->layers[static_cast<std::size_t>(layer)].attention.heads;
    for (int h = 0; h < count; ++h) heads.push_back({layer, h});
    return heads;
}

int layers_of(const Trace& trace) { return static_cast<int>(trace.model->layers.size()); }

MatrixView stream_of(const Trace& trace, int step) {
    return trace.stream[static_cast<std::size_t>(step)]->view();
}

// The rest of the model as a model of its own, computed in full from tokens.
Matrix answer_after(const Trace& trace, int step, const Matrix& tokens) {
    auto rest = std::make_shared<Model>(*trace.model);
    rest->layers.erase(rest->layers.begin(), rest->layers.begin() + step);
    if (rest->layers.empty()) {
        Trace end;
        end.model = rest;
        end.shape.batch = 1;
        end.set(Tensor::encoded, make_result(Matrix(tokens)));
        compute_all(end_nodes(*rest), end, {});
        return end.view(Tensor::logits).eigen();
    }
    LayerInput input;
    input.tokens = tokens;
    input.grid = trace.grid;
    return Runner::run({front_of(std::move(input), rest)}).view(Tensor::logits).eigen();
}

void expect_answer(const HeadEffect& found, const Matrix& logits, const Trace& now, Index of_class,
                   const std::string& what) {
    const auto probability = [&](const MatrixView& row) {
        return class_probabilities(row)[static_cast<std::size_t>(of_class)];
    };
    const MatrixView whole = now.view(Tensor::logits);
    // The difference of two float logits, summed in other orders.
    EXPECT_NEAR(found.logit, logits(0, of_class) - whole(0, of_class), 5e-6) << what;
    EXPECT_NEAR(found.probability, probability(logits) - probability(whole), 1e-6) << what;
}

TEST(TokenPatching, is_the_rest_of_the_model_on_tokens_of_which_one_is_the_others) {
    for (const char* name : {"timm", "timm_pooled", "timm_registers"}) {
        const auto [now, from] = pair_of({name});
        const Index of_class = 1;
        const TokenEffects found = patch_tokens({*now, {}}, {*from, {}}, of_class);
        ASSERT_EQ(found.tokens.size(), now->stream.size());
        double largest = 0;
        for (int step = 0; step <= layers_of(*now); ++step) {
            const auto& effects = found.tokens[static_cast<std::size_t>(step)];
            const MatrixView tokens = stream_of(*now, step);
            ASSERT_EQ(effects.size(), static_cast<std::size_t>(tokens.rows));
            for (Index t = 0; t < tokens.rows; ++t) {
                Matrix patched = tokens.eigen();
                patched.row(t) = stream_of(*from, step).eigen().row(t);
                expect_answer(effects[static_cast<std::size_t>(t)],
                              answer_after(*now, step, patched), *now, of_class,
                              std::string(name) + ", step " + std::to_string(step) + ", token " +
                                  std::to_string(t));
                largest =
                    std::max(largest, std::abs(effects[static_cast<std::size_t>(t)].probability));
            }
        }
        EXPECT_GT(largest, 1e-4) << name;
    }
}

TEST(TokenPatching, of_all_tokens_gives_the_other_answer) {
    const auto [now, from] = pair_of({"timm"});
    const TokenEffects found = patch_tokens({*now, {}}, {*from, {}}, 2);
    EXPECT_NEAR(found.from.logit, from->view(Tensor::logits)(0, 2), 0);
    EXPECT_NEAR(found.now.logit, now->view(Tensor::logits)(0, 2), 0);
    ASSERT_GT(std::abs(found.from.logit - found.now.logit), 1e-3);
    for (const HeadEffect& effect : found.all) {
        EXPECT_NEAR(effect.logit, found.from.logit - found.now.logit, 1e-6);
        EXPECT_NEAR(effect.probability, found.from.probability - found.now.probability, 1e-6);
    }
}

// Only the class token is used at the end.
TEST(TokenPatching, after_the_last_layer_only_what_is_pooled_counts) {
    const auto [now, from] = pair_of({"timm"});
    ASSERT_EQ(now->model->pooling, Pooling::class_token);
    const TokenEffects found = patch_tokens({*now, {}}, {*from, {}}, 0);
    const auto& last = found.tokens.back();
    EXPECT_NEAR(last[0].logit, found.from.logit - found.now.logit, 1e-6);
    for (std::size_t t = 1; t < last.size(); ++t) EXPECT_NEAR(last[t].logit, 0, 1e-6);
    // The class token at the input of the first layer is the same for every picture.
    EXPECT_EQ(found.tokens.front()[0], HeadEffect{});
}

// With other changes in the other run, the rest of the model keeps the current ones.
TEST(TokenPatching, leaves_what_was_changed_as_it_is_now) {
    const GoldenModel model{"timm"};
    Runner runner(with_pictures(reader_of(model)));
    Recipe recipe;
    recipe.weights = model.path();
    recipe.image = "a";
    const auto from = runner.run(recipe);
    recipe.switched_off = {{1, 0}};
    const auto now = runner.run(recipe);
    const Counterfactual change = counterfactual_of(recipe, *now->model);
    const TokenEffects found = patch_tokens({*now, change}, {*from, {}}, 1);
    // Before the layer with that head both runs are equal; after it everything is the other's.
    EXPECT_NEAR(found.all[0].logit, 0, 1e-6);
    EXPECT_NEAR(found.all[1].logit, 0, 1e-6);
    for (const HeadEffect& effect : found.tokens[1]) EXPECT_EQ(effect, HeadEffect{});
    EXPECT_NEAR(found.all.back().logit, found.from.logit - found.now.logit, 1e-6);
    EXPECT_GT(std::abs(found.from.logit - found.now.logit), 1e-4);
}

TEST(TokenPatching, says_what_it_knows_from_the_last_layer_on_and_can_be_stopped) {
    const auto [now, from] = pair_of({"timm"});
    std::vector<float> parts;
    std::vector<std::size_t> known;
    patch_tokens(
        {*now, {}}, {*from, {}}, 0,
        [&](const TokenEffects& found) {
            known.push_back(static_cast<std::size_t>(
                std::ranges::count_if(found.tokens, [](const auto& t) { return !t.empty(); })));
            EXPECT_FALSE(found.tokens.back().empty());
        },
        [&](float part) { parts.push_back(part); });
    EXPECT_EQ(known, (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_TRUE(std::ranges::is_sorted(parts));
    EXPECT_NEAR(parts.back(), 1, 1e-6);
    EXPECT_THROW(patch_tokens({*now, {}}, {*from, {}}, 0, {}, {}, [] { return true; }), Stopped);
}

// The outputs of both branches of a layer, compared with the sums that they are added to.
TEST(LayerPatching, adds_what_the_other_runs_branches_give) {
    const GoldenModel model{"timm"};
    const Index of_class = 1;
    for (int b = 0; b < 2; ++b) {
        Runner runner(with_pictures(reader_of(model)));
        Recipe recipe;
        recipe.weights = model.path();
        recipe.layer = b;
        recipe.image = "b";
        const auto from = runner.run(recipe);
        recipe.image = "a";
        const auto now = runner.run(recipe);
        ASSERT_FALSE(now->model_layer().ls1);
        const LayerEffects found = patch_layers({*now, {}}, {*from, {}}, of_class);
        ASSERT_EQ(found.layers.size(), 2U);
        const LayerEffect& layer = found.layers[static_cast<std::size_t>(b)];
        const Matrix before = now->view(Tensor::input).eigen(),
                     attention = from->view(Tensor::projection).eigen(),
                     mlp = from->view(Tensor::mlp).eigen();
        expect_answer(layer.mlp,
                      answer_after(*now, b + 1, now->view(Tensor::residual1).eigen() + mlp), *now,
                      of_class, "MLP");
        expect_answer(layer.both, answer_after(*now, b + 1, before + attention + mlp), *now,
                      of_class, "both");
        expect_answer(layer.attention, patched_answer({*now, {}}, {*from, {}}, heads_of(*now, b)),
                      *now, of_class, "attention");
        EXPECT_GT(std::abs(layer.both.logit), 1e-4);
    }
}

// A layer without an MLP consists of its attention.
TEST(LayerPatching, of_the_same_run_changes_nothing) {
    const auto [now, from] = pair_of({"timm_pooled"});
    for (const LayerEffect& layer : patch_layers({*now, {}}, {*now, {}}, 0).layers)
        for (const HeadEffect& effect : {layer.attention, layer.mlp, layer.both})
            EXPECT_NEAR(effect.logit, 0, 1e-6);
}

TEST(LayerPatching, refuses_other_models_other_tokens_and_no_such_class) {
    const auto [now, from] = pair_of({"timm"});
    const auto other = pair_of({"timm_pooled"}).now;
    EXPECT_THROW(patch_layers({*now, {}}, {*other, {}}, 0), RecipeError);
    EXPECT_THROW(patch_tokens({*now, {}}, {*other, {}}, 0), RecipeError);
    EXPECT_THROW(patch_tokens({*now, {}}, {*from, {}}, 1000), RecipeError);
    EXPECT_THROW(patch_layers({*now, {}}, {*from, {}}, -1), RecipeError);
    Trace shorter = *from;
    shorter.stream.back() =
        make_result(Matrix(stream_of(*from, layers_of(*from)).eigen().topRows(2)));
    const Trace& present = *now;  // clang 14 cannot capture structured bindings
    EXPECT_EQ(naive::sentence_of<RecipeError>([&] {
                  patch_tokens({present, {}}, {shorter, {}}, 0);
              }),
              "Patching can use only a run of the same model with the same number of tokens.");
    EXPECT_THROW(patch_layers(ModelRun{*pair_of({"clip_openai"}).now, {}}, ModelRun{*now, {}}, 0),
                 RecipeError);
}

}  // namespace
}  // namespace headlight::patching_test
