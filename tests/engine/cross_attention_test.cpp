#include <gtest/gtest.h>

#include "analysis/cost.h"
#include "encoder/reorder.h"
#include "encoder/runner.h"
#include "encoder/score_maps.h"
#include "files/tensor_file.h"
#include "golden.h"
#include "naive.h"
#include "ops/ops.h"
#include "picture.h"
#include "tests/source_path.h"
#include "trace/token_rows.h"

// Cross-attention of a walk: queries that are learned or from a file, keys and values of other
// tokens.
namespace headlight::cross_attention_test {
namespace {

using golden::read;
using naive::Table;

File file_of(const std::string& name) {
    std::ifstream file(source_path("tests/golden/layers/") + name, std::ios::binary);
    if (!file) throw FileMissing(name + ": no such file.");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return Bytes(bytes.begin(), bytes.end());
}

// The tokens of a golden input.
TokenFile tokens_of_golden(const std::string& name) {
    const TensorMap input = read("layers/" + name + ".input.safetensors");
    return {name + ".input.safetensors", input.at("value").shape, true, false, 0,
            input.at("query").shape};
}

Recipe with_queries(int count) {
    Recipe recipe;
    recipe.image = "a.ppm";
    recipe.image_height = recipe.image_width = 32;
    recipe.patches.size = recipe.patches.stride = 8;
    recipe.channels = 12;
    recipe.heads = 3;
    recipe.qkv_bias = true;
    recipe.queries = count;
    return recipe;
}

class CrossAttention : public ::testing::Test {
  protected:
    static File on_disk(const std::string& name) {
        if (name == "a.ppm") return picture(40, 40);
        if (name == "b.ppm") return picture(40, 40, 99);
        return file_of(name);
    }
    std::shared_ptr<const Trace> run(const Recipe& recipe) { return runner_.run(recipe); }
    std::string error(const Recipe& recipe) {
        return naive::sentence_of<std::runtime_error>([&] { run(recipe); });
    }

    Runner runner_{on_disk};
};

// The layer's weights and both kinds of tokens, in plain loops.
struct Naive {
    Table query, key, value;
    std::vector<Table> attention;  // for each head
    Table output;
};
Naive computed_slowly(const Trace& trace) {
    const Layer& layer = trace.model_layer();
    const auto bias = [](const Linear& linear) { return Vector(linear.bias->view().eigen()); };
    const Index c = trace.config.channels, heads = trace.config.heads, width = c / heads;
    const MatrixView x = trace.view(Tensor::tokens), read = trace.view(Tensor::value_tokens);
    const Vector all = bias(layer.qkv);
    const MatrixView w = layer.qkv.weight->view();
    const auto part = [&](const MatrixView& tokens, Index which) {
        return naive::linear(tokens, w.block(which * c, 0, c, w.cols),
                             Vector(all.segment(which * c, c)));
    };
    Naive slow{part(x, 0), part(read, 1), part(read, 2), {}, Table(x.rows, c)};
    Matrix mixed(x.rows, c);
    for (Index h = 0; h < heads; ++h) {
        Table attention(x.rows, read.rows);
        for (Index i = 0; i < x.rows; ++i) {
            std::vector<double> scores;
            for (Index j = 0; j < read.rows; ++j) {
                double sum = 0;
                for (Index k = 0; k < width; ++k)
                    sum += slow.query(i, h * width + k) * slow.key(j, h * width + k);
                scores.push_back(sum / std::sqrt(static_cast<double>(width)));
            }
            const std::vector<double> shares = naive::softmax(scores);
            for (Index j = 0; j < read.rows; ++j)
                attention(i, j) = shares[static_cast<std::size_t>(j)];
            for (Index k = 0; k < width; ++k) {
                double sum = 0;
                for (Index j = 0; j < read.rows; ++j)
                    sum += attention(i, j) * slow.value(j, h * width + k);
                mixed(i, h * width + k) = static_cast<float>(sum);
            }
        }
        slow.attention.push_back(std::move(attention));
    }
    slow.output = naive::linear(mixed, layer.projection.weight->view(), bias(layer.projection));
    return slow;
}

TEST_F(CrossAttention, learned_queries_read_the_patches_of_a_picture) {
    const auto trace = run(with_queries(5));
    EXPECT_TRUE(is_cross(*trace));
    EXPECT_EQ(trace->shape.queries, 5);
    EXPECT_EQ(trace->shape.keys, 16);
    EXPECT_EQ(trace->view(Tensor::tokens).cols, 192);
    EXPECT_EQ(trace->config.skip, Skip::none);
    const Naive slow = computed_slowly(*trace);
    for (Index h = 0; h < 3; ++h)
        EXPECT_TRUE(naive::close(trace->view(Tensor::attention, 0, h),
                                 slow.attention[static_cast<std::size_t>(h)], 1e-6, 1e-4))
            << h;
    EXPECT_TRUE(naive::close(trace->view(Tensor::output), slow.output, 1e-5, 1e-4));
    // The key tokens are the patches with their positions.
    const MatrixView read = trace->view(Tensor::value_tokens),
                     patches = trace->view(Tensor::patches), pe = trace->view(Tensor::positions);
    EXPECT_EQ(read(3, 7), patches(3, 7) + pe(3, 7));
}

TEST_F(CrossAttention, queries_are_drawn_normally_and_from_their_seed) {
    Recipe recipe = with_queries(100);
    const Matrix first = run(recipe)->view(Tensor::tokens).eigen();
    EXPECT_NEAR(first.mean(), 0, 0.03);
    EXPECT_NEAR(std::sqrt((first.array() - first.mean()).square().mean()), 1, 0.03);
    // The standard normal distribution has a fourth moment of 3, a uniform one 1.8.
    EXPECT_NEAR(first.array().pow(4).mean(), 3, 0.3);
    recipe.query_seed = 7;
    const Matrix other = run(recipe)->view(Tensor::tokens).eigen();
    EXPECT_GT((first - other).cwiseAbs().maxCoeff(), 1);
    recipe.query_seed = 0;
    recipe.queries = 40;  // the first of them stay the same
    EXPECT_TRUE(naive::identical(run(recipe)->view(Tensor::tokens),
                                 MatrixView(first).block(0, 0, 40, first.cols())));
}

// A result is recomputed exactly if something that it depends on has changed.
TEST_F(CrossAttention, recomputes_what_depends_on_what_was_changed) {
    Recipe recipe = with_queries(5);
    const auto before = run(recipe);
    const auto made_anew = [&](const Trace& now, Tensor tensor) {
        return now.version(tensor) != before->version(tensor);
    };
    recipe.query_seed = 3;
    const auto other_queries = run(recipe);
    EXPECT_FALSE(made_anew(*other_queries, Tensor::value_tokens));
    EXPECT_FALSE(made_anew(*other_queries, Tensor::key_value));
    EXPECT_TRUE(made_anew(*other_queries, Tensor::query_only));
    EXPECT_TRUE(made_anew(*other_queries, Tensor::attention));
    EXPECT_TRUE(made_anew(*other_queries, Tensor::encoded));
    recipe.query_seed = 0;
    recipe.image = "b.ppm";
    const auto other_picture = run(recipe);
    EXPECT_TRUE(made_anew(*other_picture, Tensor::key_value));
    EXPECT_TRUE(naive::identical(other_picture->view(Tensor::query_only),
                                 before->view(Tensor::query_only)));
    EXPECT_TRUE(naive::identical(other_picture->view(Tensor::encoded),
                                 Runner(on_disk).run(recipe)->view(Tensor::encoded)));
    recipe.temperature = 0.5;
    const auto warmer = run(recipe);
    EXPECT_EQ(warmer->version(Tensor::query_only), other_picture->version(Tensor::query_only));
    EXPECT_EQ(warmer->version(Tensor::key_value), other_picture->version(Tensor::key_value));
}

TEST_F(CrossAttention, comes_and_goes_with_its_queries) {
    Recipe recipe = with_queries(5);
    recipe.queries.reset();
    const Matrix alone = run(recipe)->view(Tensor::output).eigen();
    recipe.queries = 5;
    EXPECT_EQ(run(recipe)->view(Tensor::output).rows, 5);
    recipe.queries.reset();
    const auto trace = run(recipe);
    EXPECT_FALSE(is_cross(*trace));
    EXPECT_FALSE(trace->has(Step::queries));
    EXPECT_FALSE(trace->has(Tensor::query_only));
    EXPECT_TRUE(naive::identical(trace->view(Tensor::output), alone));
}

// Compared with PyTorch: both kinds of tokens and their results are in files.
TEST_F(CrossAttention, of_a_file_agrees_with_pytorch_sample_by_sample) {
    for (const std::string name : {"keras_cross", "kqvl_cross"})
        for (const int sample : {0, 1}) {
            const TensorMap expected = read("layers/" + name + ".safetensors");
            Recipe recipe;
            TokenFile tokens = tokens_of_golden(name);
            tokens.sample = sample;
            recipe.tokens = tokens;
            recipe.weights = name + ".model.safetensors";
            recipe.heads = 2;
            const auto trace = run(recipe);
            const Matrix attention = golden::stacked(expected.at("layer.0.attention")),
                         output = golden::stacked(expected.at("layer.0.output"));
            const Index n = trace->shape.queries, h = trace->shape.heads;
            const MatrixView found = trace->all(Tensor::attention);
            const auto error = [](const Matrix& a, const Matrix& b) {
                return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
            };
            EXPECT_LT(error(found.eigen(), attention.middleRows(sample * h * n, h * n)), 1e-5)
                << name;
            EXPECT_LT(error(trace->view(Tensor::output).eigen(), output.middleRows(sample * n, n)),
                      1e-5)
                << name;
        }
}

TEST_F(CrossAttention, of_a_file_goes_through_a_layer_that_is_drawn_for_both_widths) {
    const TokenFile tokens = tokens_of_golden("keras_cross");
    Recipe recipe;
    recipe.tokens = tokens;
    recipe.channels = 12;
    recipe.qkv_bias = true;
    const auto trace = run(recipe);
    const Index of_query = tokens.queries().width, of_value = tokens.array().width;
    ASSERT_NE(of_query, of_value);
    EXPECT_EQ(trace->view(Tensor::query_weight).cols, of_query);
    EXPECT_EQ(trace->view(Tensor::key_value_weight).cols, of_value);
    EXPECT_EQ(trace->view(Tensor::key_value_weight).rows, 24);
    EXPECT_EQ(trace->node(Step::given)->result(), Tensor::value_tokens);
    EXPECT_EQ(trace->node(Step::queries)->result(), Tensor::tokens);
    // Each cell of both products is explained.
    for (const Step step : {Step::qkv, Step::key_value, Step::products, Step::mix, Step::project}) {
        const Node& node = *trace->node(step);
        const Arithmetic a = explain_cell(*trace, node, 0, 1, 2);
        EXPECT_TRUE(a.agrees) << info(step).name;
        EXPECT_FALSE(a.terms.empty()) << info(step).name;
    }
    recipe.variant.projections = Projections::none;
    EXPECT_EQ(error(recipe),
              "Without projections queries and keys are the tokens themselves. Expected the same "
              "width for both, found " +
                  std::to_string(of_query) + " and " + std::to_string(of_value) + " numbers.");
}

TEST_F(CrossAttention, without_projections_queries_meet_the_patches_themselves) {
    Recipe recipe = with_queries(3);
    recipe.variant.projections = Projections::none;
    const auto trace = run(recipe);
    EXPECT_EQ(trace->node(Step::heads)->title, "Q, K = V");
    EXPECT_TRUE(naive::identical(trace->view(Tensor::query), trace->view(Tensor::tokens)));
    EXPECT_TRUE(naive::identical(trace->view(Tensor::key), trace->view(Tensor::value_tokens)));
    EXPECT_EQ(trace->view(Tensor::output).rows, 3);
}

TEST_F(CrossAttention, every_score_is_made_of_both_kinds_of_tokens) {
    for (const ScoreInfo& score : all_scores()) {
        Recipe recipe = with_queries(5);
        recipe.variant.score = score.id;
        const auto trace = run(recipe);
        EXPECT_EQ(trace->rows(Tensor::products), 5) << name_of(score.id);
        EXPECT_EQ(trace->cols(Tensor::products), 16) << name_of(score.id);
    }
    const Recipe recipe = with_queries(5);
    for (const ScoreMap& map : maps_of_scores(*run(recipe), recipe, {})) {
        ASSERT_EQ(map.why_not, "");
        EXPECT_EQ(map.weights->view().rows, 3 * 5);
        EXPECT_EQ(map.weights->view().cols, 16);
    }
}

TEST_F(CrossAttention, what_needs_one_kind_of_tokens_is_refused_in_one_sentence) {
    const auto said = [&](const auto& change) {
        Recipe recipe = with_queries(5);
        change(recipe);
        return error(recipe);
    };
    EXPECT_EQ(said([](Recipe& r) { r.mask = {{MaskKind::causal}}; }),
              "The mask causal compares places in one list of tokens, but cross-attention has two "
              "lists. Choose another mask.");
    EXPECT_NE(said([](Recipe& r) {
                  r.mask = {{MaskKind::local, {1}}};
              }).find("The mask local"),
              std::string::npos);
    EXPECT_EQ(said([](Recipe& r) { r.position.kind = PositionKind::rotary; }),
              "Rotary positions rotate queries and keys by the place of their patches, but these "
              "queries are not patches. Choose other positions.");
    EXPECT_EQ(said([](Recipe& r) { r.skip = Skip::value; }),
              "The skip from V adds a token's own value, but these queries have no values. Choose "
              "X or no skip.");
    EXPECT_EQ(said([](Recipe& r) { r.variant.sum_over = SumOver::queries; }),
              "A sum over the queries gives one row per key, but here queries and keys are "
              "different tokens. Sum over the keys.");
    EXPECT_EQ(said([](Recipe& r) { r.layers = 2; }),
              "Only a decoder or a single attention layer takes separate queries, but this model "
              "has several layers.");
    EXPECT_EQ(said([](Recipe& r) {
                  r.tokens = VectorSet{{{"", {1, 2}}, {"", {2, 1}}}};
              }),
              "Learned queries attend to the patches of a picture, but these tokens come from "
              "elsewhere. Open a picture first.");
    Recipe of_file;
    of_file.tokens = tokens_of_golden("keras_cross");
    of_file.position.kind = PositionKind::sinusoidal;
    EXPECT_EQ(
        error(of_file),
        "Positions cannot be added, because queries and keys come from different tokens here. "
        "Choose \"none\".");
    const auto trace = run(with_queries(5));
    EXPECT_EQ(naive::sentence_of<RecipeError>([&] { (void)tokens_to_order(*trace); }),
              "Here learned queries attend to the patches, so the outputs are not in the order of "
              "the patches.");
}

TEST_F(CrossAttention, hides_keys_and_painted_cells) {
    Recipe recipe = with_queries(5);
    recipe.mask = {{MaskKind::keys, {0, 15}}};
    const auto trace = run(recipe);
    for (Index i = 0; i < 5; ++i) {
        EXPECT_EQ(trace->view(Tensor::attention, 0, 1)(i, 0), 0);
        EXPECT_EQ(trace->view(Tensor::attention, 0, 1)(i, 15), 0);
        EXPECT_GT(trace->view(Tensor::attention, 0, 1)(i, 7), 0);
    }
}

TEST_F(CrossAttention, rows_are_of_those_that_ask_or_of_those_that_are_read) {
    const auto trace = run(with_queries(5));
    for (const Tensor asks : {Tensor::tokens, Tensor::query_only, Tensor::query, Tensor::products,
                              Tensor::attention, Tensor::head_output, Tensor::output})
        EXPECT_EQ(side_of(*trace, asks), Side::query) << info(asks).name;
    for (const Tensor is_read : {Tensor::patches, Tensor::positions, Tensor::value_tokens,
                                 Tensor::key_value, Tensor::key, Tensor::value, Tensor::values})
        EXPECT_EQ(side_of(*trace, is_read), Side::key) << info(is_read).name;
    EXPECT_EQ(name_of_token(*trace, Side::query, 3), "query 3");
    EXPECT_EQ(name_of_token(*trace, Side::key, 3), "token 3");
    EXPECT_EQ(trace->layout.count(), 16);
    EXPECT_FALSE(token_grid_of(*trace).are_known());
}

TEST_F(CrossAttention, two_products_cost_what_they_compute) {
    const auto trace = run(with_queries(5));
    // 5 queries of 192 numbers become 12, 16 patches become 24; a sum and a bias each.
    EXPECT_EQ(cost_of(*trace, *trace->node(Step::qkv)).operations, 5 * 12 * (2 * 192 + 1));
    EXPECT_EQ(cost_of(*trace, *trace->node(Step::key_value)).operations, 16 * 24 * (2 * 192 + 1));
}

}  // namespace
}  // namespace headlight::cross_attention_test
