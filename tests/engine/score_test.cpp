#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "attention/layer.h"
#include "cells.h"
#include "encoder/runner.h"
#include "kernels/softmax.h"
#include "model_files.h"
#include "naive.h"
#include "picture.h"
#include "run_layer.h"
#include "tests/source_path.h"

// Non-default scores, weights and projections of one layer.
namespace headlight::score_test {
namespace {

using naive::kInfinity;
using naive::kNaN;
using naive::random_matrix;

TEST(Scores, have_labels_of_their_own) {
    std::set<std::string_view> labels;
    for (const ScoreInfo& score : all_scores())
        EXPECT_TRUE(labels.insert(score.label).second) << score.label;
}

Recipe small_recipe() {
    Recipe recipe;
    recipe.image = "picture";
    recipe.image_height = 36;
    recipe.image_width = 28;
    recipe.patches.size = 8;
    recipe.channels = 12;
    recipe.heads = 3;
    recipe.qkv_bias = true;
    recipe.temperature = 0.7F;
    return recipe;
}

FileReader read_picture() {
    return [](const std::string&) { return picture(50, 47); };
}

// By definition, from queries, keys and the weights of the trace.
double naive_score(const Trace& trace, Score score, Index head, Index n, Index m) {
    const MatrixView q = trace.view(Tensor::query, 0, head), k = trace.view(Tensor::key, 0, head),
                     w = trace.view(Tensor::score_key_weight, 0, head);
    double dot = 0, q_squares = 0, k_squares = 0, found = 0;
    for (Index i = 0; i < q.cols; ++i) {
        dot += double{q(n, i)} * k(m, i);
        q_squares += double{q(n, i)} * q(n, i);
        k_squares += double{k(m, i)} * k(m, i);
    }
    switch (score) {
        case Score::scaled_dot:
        case Score::dot:
            return dot;
        case Score::cosine:
            return dot / std::sqrt(q_squares * k_squares);
        case Score::general:
            for (Index i = 0; i < q.cols; ++i)
                for (Index j = 0; j < k.cols; ++j) found += double{q(n, i)} * w(i, j) * k(m, j);
            return found;
        case Score::additive: {
            const MatrixView wq = trace.view(Tensor::score_query_weight, 0, head),
                             v = trace.view(Tensor::score_vector, 0, head);
            for (Index a = 0; a < v.cols; ++a) {
                double sum = 0;
                for (Index i = 0; i < q.cols; ++i)
                    sum += double{wq(a, i)} * q(n, i) + double{w(a, i)} * k(m, i);
                found += v(0, a) * std::tanh(sum);
            }
            return found;
        }
        case Score::location:
            for (Index i = 0; i < q.cols; ++i) found += double{w(m, i)} * q(n, i);
            return found;
    }
    return 0;
}

TEST(Scores, are_what_their_formulas_say) {
    Runner runner(read_picture());
    for (const ScoreInfo& score : all_scores())
        for (const int heads : {1, 3, 4}) {
            Recipe recipe = small_recipe();
            recipe.heads = heads;
            recipe.variant.score = score.id;
            const auto trace = runner.run(recipe);
            const bool scaled = score.id == Score::scaled_dot;
            const double factor = (scaled ? 1 / std::sqrt(12.0 / heads) : 1) / 0.7F;
            for (Index h = 0; h < heads; ++h)
                for (Index n = 0; n < trace->shape.queries; ++n)
                    for (Index m = 0; m < trace->shape.keys; ++m) {
                        const double expected = naive_score(*trace, score.id, h, n, m);
                        ASSERT_NEAR(trace->view(Tensor::products, 0, h)(n, m), expected, 2e-5)
                            << score.label << ", " << heads << " heads: " << n << ", " << m;
                        ASSERT_NEAR(trace->view(Tensor::scores, 0, h)(n, m), expected * factor,
                                    4e-5);
                    }
        }
}

std::vector<std::pair<std::string, Recipe>> all_variants() {
    std::vector<std::pair<std::string, Recipe>> variants;
    const auto add = [&](std::string_view name, auto change) {
        variants.emplace_back(name, small_recipe());
        change(variants.back().second);
    };
    for (const ScoreInfo& score : all_scores())
        add(score.label, [&](Recipe& r) { r.variant.score = score.id; });
    add("max", [](Recipe& r) { r.variant.weights_from = Weighting::max; });
    add("summed over queries", [](Recipe& r) { r.variant.sum_over = SumOver::queries; });
    add("relu", [](Recipe& r) { r.variant.activation_after = ActivationAfter::relu; });
    add("narrow values", [](Recipe& r) { r.value_channels = 6; });
    add("other outputs", [](Recipe& r) {
        r.value_channels = 18;
        r.outputs = 7;
        r.skip = Skip::none;
    });
    add("dropout", [](Recipe& r) { r.variant.dropout = {0.3F, 0.2F, 5}; });
    add("plain", [](Recipe& r) {
        r.variant.projections = Projections::none;
        r.heads.reset();
    });
    add("plain, with a skip from X", [](Recipe& r) {
        r.variant.projections = Projections::none;
        r.skip = Skip::input;
    });
    add("all at once", [](Recipe& r) {
        r.variant = {Score::additive,       Weighting::max,   Projections::learned,
                     ActivationAfter::relu, SumOver::queries, {0.1F, 0.4F, 2}};
        r.mask = {{MaskKind::causal}, {MaskKind::local, {1}}};
    });
    return variants;
}

TEST(Variants, every_cell_of_every_step_is_explained) {
    Runner runner(read_picture());
    for (const auto& [name, recipe] : all_variants()) {
        const auto trace = runner.run(recipe);
        for (const Node& node : trace->nodes) {
            const Index heads = info(node.result()).per_head ? trace->shape.heads : 1;
            for (Index h = 0; h < heads; ++h) {
                const MatrixView shown = trace->view(node.result(), 0, h);
                for (Index r = 0; r < shown.rows; ++r)
                    for (Index c = 0; c < shown.cols; ++c) {
                        if (node.op == Op::frame || node.op == Op::gather) continue;
                        const Arithmetic a = explain_cell(*trace, node, h, r, c);
                        ASSERT_TRUE(a.agrees) << name << ", " << node.name() << " [" << r << ", "
                                              << c << "]: " << a.recomputed << " for " << a.shown;
                    }
            }
        }
    }
}

// The row's softmax with a number instead of −∞.
double softmax_with(const MatrixView& scores, Index row, Index col, double instead) {
    double sum = 0;
    const auto value = [&](Index m) {
        const float score = scores(row, m);
        return std::isinf(score) ? std::exp(instead) : std::exp(static_cast<double>(score));
    };
    for (Index m = 0; m < scores.cols; ++m) sum += value(m);
    return value(col) / sum;
}

TEST(Variants, say_what_a_number_instead_of_infinity_would_leave) {
    Runner runner(read_picture());
    Recipe recipe = small_recipe();
    recipe.mask = {{MaskKind::causal}};
    const auto trace = runner.run(recipe);
    const Node& mask = *trace->node(Step::mask);
    const MatrixView scores = trace->view(Tensor::scores, 0, 1);
    int blocked = 0;
    for (Index r = 0; r < scores.rows; ++r)
        for (Index c = 0; c < scores.cols; ++c) {
            const Arithmetic a = explain_cell(*trace, mask, 1, r, c);
            if (!a.blocked) continue;
            ++blocked;
            const double ten = softmax_with(scores, r, c, -10);
            EXPECT_NEAR(a.leak_of_ten, ten, 1e-9 * ten);
            EXPECT_NEAR(a.leak_of_hundred / softmax_with(scores, r, c, -100), 1, 1e-9);
            EXPECT_GT(ten, 0);
        }
    EXPECT_EQ(blocked, scores.rows * (scores.rows - 1) / 2);
}

TEST(Variants, say_how_little_passes_a_maximum_on) {
    Runner runner(read_picture());
    Recipe recipe = small_recipe();
    recipe.variant.weights_from = Weighting::max;
    const auto trace = runner.run(recipe);
    const MatrixView scores = trace->view(Tensor::scores, 0, 2);
    for (Index r = 0; r < scores.rows; ++r) {
        std::vector<float> row(scores.row(r), scores.row(r) + scores.cols);
        std::ranges::sort(row, std::greater{});
        const Arithmetic a = explain_cell(*trace, *trace->node(Step::softmax), 2, r, 0);
        EXPECT_EQ(a.row_max, row[0]);
        EXPECT_EQ(a.runner_up, row[1]);
    }
}

TEST(Variants, cannot_sum_over_queries_where_there_are_fewer_keys) {
    LayerInput input;
    input.tokens = naive::random_matrix(4, 6, 1);
    input.value_tokens = naive::random_matrix(3, 6, 2);
    AttentionConfig config;
    config.dim = config.channels = 6;
    config.heads = 2;
    config.skip = Skip::none;
    config.variant.sum_over = SumOver::queries;
    EXPECT_EQ(naive::sentence_of<AttentionError>([&] {
                  run_layer(std::move(input), config,
                            std::make_shared<AttentionWeights>(draw_weights(config, 1)));
              }),
              "A sum over the queries needs as many queries as keys; found 4 and 3.");
}

// The shipped layer is followed by a classifier of its own width.
TEST(Variants, are_refused_where_what_follows_cannot_read_them) {
    const std::string file = source_path("assets/models/t2t-layer/model.safetensors");
    Runner runner([&](const std::string& name) -> File {
        return name == "picture" ? picture(50, 47) : read_disk(name);
    });
    Recipe recipe;
    recipe.image = "picture";
    recipe.weights = file;
    recipe.variant.projections = Projections::none;
    EXPECT_EQ(naive::sentence_of<RecipeError>([&] { runner.run(recipe); }),
              "The next step takes 64 numbers per token, but with this change the layer gives 49.");
    EXPECT_THROW(linear(naive::random_matrix(2, 3, 1), naive::random_matrix(4, 5, 2), {}),
                 AttentionError);
}

TEST(Variants, have_words_and_a_line_for_every_step) {
    Runner runner(read_picture());
    for (const auto& [name, recipe] : all_variants())
        for (const Node& node : runner.run(recipe)->nodes)
            for (const std::string& text : {node.title, node.equation, node.pytorch, node.meaning})
                EXPECT_FALSE(text.empty()) << name << ", " << node.name();
}

// Whatever was run before, the numbers equal those of a first run.
TEST(Variants, the_numbers_do_not_depend_on_the_way) {
    Runner runner(read_picture());
    for (int round = 0; round < 2; ++round)
        for (auto [name, recipe] : all_variants()) {
            if (round == 1) {
                recipe.patches.size = 6;  // another number of tokens
                recipe.seed = 9;
            }
            runner.run(small_recipe());  // so that only one thing changes
            const auto trace = runner.run(recipe);
            const auto expected = Runner(read_picture()).run(recipe);
            for (const TensorInfo& tensor : all_tensors()) {
                ASSERT_EQ(trace->has(tensor.id), expected->has(tensor.id))
                    << name << ": " << tensor.name;
                for (Index h = 0; h < (tensor.per_head ? trace->shape.heads : 1); ++h)
                    ASSERT_TRUE(naive::identical(trace->view(tensor.id, 0, h),
                                                 expected->view(tensor.id, 0, h)))
                        << name << ": " << tensor.name;
            }
        }
}

TEST(Variants, without_projections_it_is_a_mean_of_tokens_like_each_other) {
    LayerInput input;
    input.batch = 2;
    input.tokens = random_matrix(2 * 5, 3, 4);
    Layer layer = bare_layer({}, std::make_shared<const AttentionWeights>());
    layer.attention.dim = layer.attention.channels = 3;
    layer.attention.skip = Skip::none;
    layer.attention.variant.projections = Projections::none;
    const Matrix x = input.tokens;
    const auto trace = run_layer(std::move(input), layer);
    EXPECT_EQ(trace->steps(),
              (std::vector<Step>{Step::heads, Step::products, Step::scale, Step::softmax, Step::mix,
                                 Step::concat, Step::skip}));
    for (Index b = 0; b < 2; ++b) {
        const Matrix own = x.middleRows(b * 5, 5);
        Eigen::MatrixXd weights = (own.cast<double>() * own.cast<double>().transpose());
        weights = weights.array().exp();
        for (Index n = 0; n < 5; ++n) weights.row(n) /= weights.row(n).sum();
        const Eigen::MatrixXd expected = weights * own.cast<double>();
        EXPECT_LE((trace->view(Tensor::output, b).eigen().cast<double>() - expected)
                      .cwiseAbs()
                      .maxCoeff(),
                  1e-6);
    }
}

TEST(Scores, a_query_of_zeros_is_like_no_key) {
    Matrix x = random_matrix(4, 6, 1);
    x.row(2).setZero();
    x.row(3) *= 1e-30F;
    const Matrix unit = unit_rows(x, 2);
    EXPECT_EQ(unit.row(2), Matrix::Zero(1, 6));
    for (const Index row : {0, 1, 3})
        for (const Index first : {0, 3})
            EXPECT_NEAR(unit.row(row).segment(first, 3).cast<double>().norm(), 1, 1e-6);
}

TEST(Weighting, the_first_of_the_largest_gets_all) {
    const auto weights = [](std::vector<float> row) {
        largest_alone(row.data(), row.data(), static_cast<Index>(row.size()));
        return row;
    };
    using Row = std::vector<float>;
    EXPECT_EQ(weights({1, 3, 2}), (Row{0, 1, 0}));
    EXPECT_EQ(weights({3, 3, 3}), (Row{1, 0, 0}));
    EXPECT_EQ(weights({-kInfinity, -5, -kInfinity}), (Row{0, 1, 0}));
    EXPECT_EQ(weights({-kInfinity, -kInfinity}), (Row{0, 0}));
    EXPECT_EQ(weights({1, kInfinity}), (Row{0, 1}));
    EXPECT_TRUE(std::isnan(weights({1, kNaN, 2})[0]));
}

TEST(Dropout, spares_everything_at_zero_and_is_the_same_on_any_number_of_threads) {
    const Matrix x = random_matrix(40, 30, 2);
    EXPECT_EQ(drop_out(x, 0, 7, 1), x);
    const Matrix half = drop_out(x, 0.5F, 7, 1);
    EXPECT_EQ(drop_out(x, 0.5F, 7, 1), half);
    EXPECT_NE(drop_out(x, 0.5F, 7, 2), half);
    const double share = static_cast<double>((half.array() == 0).count()) / 1200;
    EXPECT_NEAR(share, 0.5, 0.08);
}

}  // namespace
}  // namespace headlight::score_test
