#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/bias_table.h"
#include "encoder/runner.h"
#include "model_files.h"
#include "naive.h"
#include "ops/ops.h"
#include "ops/scores.h"
#include "picture.h"
#include "positions/relative.h"
#include "tokens/vector_set.h"

// A learned bias for every offset, together with a mask, and without kept products.
namespace headlight::relative_bias_test {
namespace {

FileReader with_picture(const GoldenModel& model) {
    return [read = reader_of(model)](const std::string& path) -> File {
        return path == "picture" ? FileBytes(picture(50, 47)) : read(path);
    };
}

std::shared_ptr<const Trace> run_beit(const MaskRules& mask) {
    const GoldenModel model{"beit"};
    Recipe recipe;
    recipe.image = "picture";
    recipe.weights = model.path();
    recipe.mask = mask;
    return Runner(with_picture(model)).run(recipe);
}

TEST(RelativeBias, is_added_before_the_mask) {
    const auto plain = run_beit({}), masked = run_beit({{MaskKind::causal}});
    EXPECT_FALSE(plain->has(Tensor::biased));
    for (Index head = 0; head < 3; ++head) {
        const MatrixView scaled = plain->view(Tensor::scaled, 0, head),
                         bias = plain->view(Tensor::relative_bias, 0, head),
                         scores = plain->view(Tensor::scores, 0, head),
                         biased = masked->view(Tensor::biased, 0, head),
                         blocked = masked->view(Tensor::scores, 0, head);
        ASSERT_EQ(scores.rows, 10);
        for (Index row = 0; row < 10; ++row)
            for (Index col = 0; col < 10; ++col) {
                EXPECT_EQ(scores(row, col), scaled(row, col) + bias(row, col));
                EXPECT_EQ(biased(row, col), scores(row, col));
                EXPECT_EQ(blocked(row, col),
                          col > row ? -std::numeric_limits<float>::infinity() : scores(row, col));
            }
    }
}

// The same numbers if one head is computed on demand.
TEST(RelativeBias, is_there_where_squares_are_not_kept) {
    for (const MaskRules& rules : {MaskRules{}, MaskRules{{MaskKind::no_self}}}) {
        const auto kept = run_beit(rules);
        Trace lean = *kept;
        lean.keeps_squares = false;
        std::vector<Node> layer;
        for (const Node& node : kept->nodes)
            if (node.place == Place::layer) layer.push_back(node);
        compute_all(layer, lean, {});
        EXPECT_TRUE(lean.on_demand(Tensor::scores));
        for (Index head = 0; head < 3; ++head) {
            EXPECT_TRUE(naive::identical(lean.view(Tensor::attention, 0, head),
                                         kept->view(Tensor::attention, 0, head)));
            for (const Tensor square :
                 {Tensor::products, Tensor::scaled, Tensor::biased, Tensor::scores}) {
                if (!kept->has(square)) continue;
                const Matrix found = compute_for_head(lean, square, 0, head);
                const MatrixView expected = kept->view(square, 0, head);
                for (Index row = 0; row < 10; ++row)
                    for (Index col = 0; col < 10; ++col) {
                        const float want = expected(row, col);
                        if (std::isinf(want))
                            EXPECT_EQ(found(row, col), want);
                        else
                            EXPECT_NEAR(found(row, col), want, 1e-5) << info(square).name;
                    }
            }
        }
    }
}

TEST(RelativeBias, fits_no_other_grid) {
    const GoldenModel model{"beit"};
    Recipe recipe;
    recipe.image = "picture";
    recipe.weights = model.path();
    recipe.image_height = recipe.image_width = 20;
    try {
        (void)Runner(with_picture(model)).run(recipe);
        FAIL() << "expected a refusal";
    } catch (const std::exception& error) {
        EXPECT_EQ(
            std::string(error.what()),
            "This model's relative position bias fits 3 × 3 patches only. The grid here is 5 × 5.");
    }
}

// ---- as a kind of positions, for any layer

Recipe with_bias(const BiasChoice& bias) {
    Recipe recipe;
    recipe.image = "picture";
    recipe.image_height = 48;
    recipe.image_width = 32;
    recipe.patches.size = 8;
    recipe.position = {PositionKind::relative, kUsualBase, bias};
    return recipe;
}

std::shared_ptr<const Trace> run_bare(const Recipe& recipe) {
    return Runner([](const std::string&) -> File { return FileBytes(picture(50, 47)); })
        .run(recipe);
}

double slope(Index head, Index heads) {
    return std::pow(2.0, -8.0 * double(head + 1) / double(heads));
}

TEST(MadeBias, falls_with_the_distance_by_each_heads_slope) {
    const TokenGrid places{0, 3, 4};
    const Matrix table = made_bias_table({BiasStart::distance, 2.5F}, 7, places, 12, 4);
    ASSERT_EQ(table.rows(), 5 * 7);
    const Matrix bias = relative_bias(table, 3, 4, places, 12);
    for (Index head = 0; head < 4; ++head)
        for (Index query = 0; query < 12; ++query)
            for (Index key = 0; key < 12; ++key) {
                const double down = double(query / 4 - key / 4),
                             right = double(query % 4 - key % 4);
                EXPECT_NEAR(bias(head * 12 + query, key),
                            -2.5 * slope(head, 4) * std::sqrt(down * down + right * right), 1e-6);
            }
    EXPECT_DOUBLE_EQ(distance_slope(7, 8), 1.0 / 256);
    const Matrix with_class = made_bias_table({BiasStart::distance, 1}, 0, {2, 3, 4}, 14, 4);
    EXPECT_EQ(with_class.rows(), 5 * 7 + 3);
    EXPECT_TRUE(with_class.bottomRows(3).isZero(0));
}

TEST(MadeBias, is_drawn_with_other_numbers_for_each_layer_and_seed) {
    const TokenGrid places{1, 14, 14};
    const auto drawn = [&](std::uint64_t seed, int layer, float strength) {
        return made_bias_table({BiasStart::drawn, strength, seed}, layer, places, 197, 12);
    };
    const Matrix first = drawn(1, 0, 1);
    EXPECT_EQ(first, drawn(1, 0, 1));
    EXPECT_EQ(Matrix(first * 3), drawn(1, 0, 3));
    EXPECT_NE(first, drawn(2, 0, 1));
    EXPECT_NE(first, drawn(1, 1, 1));
    ASSERT_EQ(first.rows(), 27 * 27 + 3);
    EXPECT_NEAR(first.mean(), 0, 0.05);
    EXPECT_NEAR(first.array().square().mean(), 1, 0.05);
}

TEST(MadeBias, refusals) {
    const auto said = [](const BiasChoice& choice, const TokenGrid& places) {
        return naive::sentence_of<PositionError>(
            [&] { (void)made_bias_table(choice, 0, places, 6, 2); });
    };
    EXPECT_EQ(said({}, {}),
              "A relative position bias needs tokens in a grid of patches, but these 6 tokens have "
              "no known grid.");
    EXPECT_NE(said({}, {1, 2, 3}).find("these 6 tokens have no known grid"), std::string::npos);
    EXPECT_EQ(said({BiasStart::drawn, HUGE_VALF}, {0, 2, 3}),
              "The strength of a relative position bias must be a finite number.");
}

// Softmax of scaled products plus the table's bias for every offset, in double and by loops.
TEST(MadeBias, is_a_term_of_a_bare_layers_scores_and_of_nothing_else) {
    for (const BiasChoice& bias : {BiasChoice{BiasStart::drawn, 1, 4}, {BiasStart::distance, 3}}) {
        const auto trace = run_bare(with_bias(bias));
        ASSERT_TRUE(trace->has(Step::relative_bias));
        EXPECT_FALSE(trace->has(Tensor::positions));
        EXPECT_TRUE(naive::identical(trace->view(Tensor::tokens), trace->view(Tensor::patches)));
        const MatrixView table = trace->view(Tensor::relative_table);
        ASSERT_EQ(table.rows, 11 * 7);
        ASSERT_EQ(table.cols, 4);
        for (Index head = 0; head < 4; ++head) {
            const MatrixView products = trace->view(Tensor::products, 0, head),
                             attention = trace->view(Tensor::attention, 0, head);
            for (Index q = 0; q < 24; ++q) {
                std::vector<double> scores;
                for (Index k = 0; k < 24; ++k) {
                    const Index down = q / 4 - k / 4 + 5, right = q % 4 - k % 4 + 3;
                    scores.push_back(double(products(q, k)) / 4 + table(down * 7 + right, head));
                }
                const std::vector<double> expected = naive::softmax(scores);
                for (Index k = 0; k < 24; ++k)
                    ASSERT_NEAR(attention(q, k), expected[static_cast<std::size_t>(k)], 1e-6)
                        << head << " " << q << " " << k;
            }
        }
    }
}

// Equals the layer's own result without a bias, also with a mask.
TEST(MadeBias, without_it_a_query_reads_what_a_layer_without_positions_reads) {
    for (const MaskRules& rules : {MaskRules{}, MaskRules{{MaskKind::no_self}}}) {
        Recipe with = with_bias({BiasStart::drawn, 2, 1}), without = with;
        with.mask = without.mask = rules;
        without.position.kind = PositionKind::none;
        const auto biased = run_bare(with), plain = run_bare(without);
        for (Index head = 0; head < 4; ++head)
            for (const Index query : {0, 13, 23}) {
                const Matrix found = attention_without_bias(*biased, head, query);
                ASSERT_EQ(found.cols(), 24);
                const MatrixView expected = plain->view(Tensor::attention, 0, head);
                for (Index key = 0; key < 24; ++key)
                    EXPECT_NEAR(found(0, key), expected(query, key), 1e-6) << query << " " << key;
            }
        EXPECT_EQ(attention_without_bias(*plain, 0, 0).size(), 0);
    }
}

TEST(MadeBias, of_strength_zero_is_none_at_all) {
    Recipe without = with_bias({});
    without.position.kind = PositionKind::none;
    const auto zero = run_bare(with_bias({BiasStart::drawn, 0})), none = run_bare(without);
    EXPECT_TRUE(naive::identical(zero->view(Tensor::output), none->view(Tensor::output)));
    const auto some = run_bare(with_bias({BiasStart::drawn, 1}));
    EXPECT_FALSE(naive::identical(some->view(Tensor::output), none->view(Tensor::output)));
}

// Prefix tokens have three biases: to patches, from patches, and among themselves.
TEST(MadeBias, replaces_a_whole_models_positions_in_every_layer) {
    const GoldenModel model{"timm_registers"};
    Recipe recipe;
    recipe.image = "picture";
    recipe.weights = model.path();
    Runner runner(with_picture(model));
    const auto own = runner.run(recipe);
    recipe.position.kind = PositionKind::relative;
    const auto trace = runner.run(recipe);
    EXPECT_TRUE(own->has(Tensor::positions));
    EXPECT_FALSE(trace->has(Tensor::positions));
    const TokenGrid places = token_grid_of(*trace);
    ASSERT_GT(places.prefix, 1);
    const MatrixView table = trace->view(Tensor::relative_table);
    const Index offsets = relative_offsets(places.rows, places.cols);
    ASSERT_EQ(table.rows, offsets + 3);
    for (Index head = 0; head < trace->shape.heads; ++head) {
        const MatrixView bias = trace->view(Tensor::relative_bias, 0, head);
        const Index patch = places.prefix + 3;
        EXPECT_EQ(bias(0, patch), table(offsets, head));
        EXPECT_EQ(bias(1, patch), table(offsets, head));
        EXPECT_EQ(bias(patch, 0), table(offsets + 1, head));
        EXPECT_EQ(bias(1, 0), table(offsets + 2, head));
        EXPECT_EQ(bias(patch, patch), table(offsets / 2, head));
    }
    EXPECT_NE(trace->node(Step::relative_bias)->meaning.find("was not trained this way"),
              std::string::npos);
    EXPECT_NE(trace->node(Step::position)->meaning.find("Nothing is added to the tokens"),
              std::string::npos);
    EXPECT_NE(trace->node(Step::position)->meaning.find("was not trained this way"),
              std::string::npos);
    const Matrix first = table.eigen();
    recipe.layer = 1;
    EXPECT_NE(first, Matrix(runner.run(recipe)->view(Tensor::relative_table).eigen()));
    recipe.position = {};
    recipe.layer = 0;
    const auto back = runner.run(recipe);
    EXPECT_FALSE(back->has(Tensor::relative_table));
    EXPECT_TRUE(naive::identical(back->view(Tensor::output), own->view(Tensor::output)));
}

// Works for every grid, unlike a model's own table, which it replaces.
TEST(MadeBias, is_made_for_whatever_grid_there_is) {
    const GoldenModel model{"beit"};
    Recipe recipe;
    recipe.image = "picture";
    recipe.weights = model.path();
    recipe.image_height = recipe.image_width = 20;
    recipe.position = {PositionKind::relative, kUsualBase, {BiasStart::distance, 1}};
    const auto trace = Runner(with_picture(model)).run(recipe);
    EXPECT_EQ(trace->view(Tensor::relative_table).rows, 9 * 9 + 3);
    EXPECT_NEAR(trace->view(Tensor::relative_bias, 0, 0)(1, 2), -slope(0, 3), 1e-6);
}

TEST(MadeBias, is_refused_where_it_cannot_be) {
    Recipe words;
    words.tokens = VectorSet{{{"", {1, 2}}, {"", {2, 1}}}};
    words.position.kind = PositionKind::relative;
    EXPECT_EQ(naive::sentence_of<PositionError>([&] { (void)run_bare(words); }),
              "A relative position bias needs tokens in a grid of patches, but these 2 tokens have "
              "no known grid.");
    Recipe crossed = with_bias({});
    crossed.queries = 3;
    EXPECT_EQ(naive::sentence_of<RecipeError>([&] { (void)run_bare(crossed); }),
              "A relative position bias is a number for the offset from one patch to another, but "
              "these queries are not patches. Choose other positions.");
}

}  // namespace
}  // namespace headlight::relative_bias_test
