#include "analysis/kept_attention.h"

#include <gtest/gtest.h>

#include <map>

#include "analysis/summary.h"
#include "encoder/runner.h"
#include "model_files.h"
#include "naive.h"
#include "picture.h"

namespace headlight::kept_attention_test {
namespace {

using naive::identical;

FileReader with_picture(const FileReader& read) {
    return [read](const std::string& path) -> File {
        return path == "a" ? FileBytes(picture(50, 47)) : read(path);
    };
}

// All attention of a model, layer by layer, and what is kept of it.
struct Heard {
    std::map<int, Matrix> attention;
    KeptLayers kept;

    void operator()(const Trace& layer) {
        attention[layer.layer] = layer.all(Tensor::attention).eigen();
        keep_attention(kept, layer);
    }
};

Heard hear(const GoldenModel& model, Recipe recipe) {
    Heard heard;
    recipe.image = "a";
    recipe.weights = model.path();
    Runner(with_picture(reader_of(model)), std::ref(heard)).run(recipe);
    return heard;
}

// All rows, block by block of queries, each once and in order.
Matrix all_of(const KeptAttention& kept) {
    const Index heads = kept.heads(), tokens = kept.layout().count();
    Matrix all(heads * tokens, tokens);
    Index next = 0;
    kept.for_queries([&](Index first, const MatrixView& rows) {
        EXPECT_EQ(first, next);
        const Index count = rows.rows / heads;
        for (Index h = 0; h < heads; ++h)
            all.middleRows(h * tokens + first, count) = rows.eigen().middleRows(h * count, count);
        next = first + count;
    });
    EXPECT_EQ(next, tokens);
    return all;
}

void expect_same(const Heard& heard) {
    ASSERT_FALSE(heard.attention.empty());
    for (const auto& [block, attention] : heard.attention) {
        const KeptAttention& kept = *heard.kept.at(static_cast<std::size_t>(block));
        const Index tokens = attention.cols(), heads = kept.heads();
        ASSERT_EQ(attention.rows(), heads * tokens);
        EXPECT_TRUE(identical(all_of(kept), attention));
        for (Index token = 0; token < tokens; token += 1 + tokens / 6) {
            const Matrix row = kept.of_query(token), column = kept.of_key(token);
            for (Index h = 0; h < heads; ++h) {
                EXPECT_TRUE(
                    identical(Matrix(row.row(h)), Matrix(attention.row(h * tokens + token))));
                EXPECT_TRUE(identical(
                    Matrix(column.row(h)),
                    Matrix(attention.col(token).segment(h * tokens, tokens).transpose())));
            }
        }
    }
}

class KeptAttentionOf : public ::testing::TestWithParam<GoldenModel> {};

TEST_P(KeptAttentionOf, every_layer_gives_back_every_row_and_column_bit_for_bit) {
    expect_same(hear(GetParam(), {}));
}

TEST_P(KeptAttentionOf, a_changed_layer_knows_scale_temperature_and_mask) {
    Recipe recipe;
    recipe.temperature = 0.3F;
    recipe.mask = {{MaskKind::causal}};
    expect_same(hear(GetParam(), recipe));
}

INSTANTIATE_TEST_SUITE_P(Golden, KeptAttentionOf,
                         ::testing::Values(GoldenModel{"timm"}, GoldenModel{"dinov2"},
                                           GoldenModel{"clip_openai"}, GoldenModel{"t2t"},
                                           GoldenModel{"t2t_performer"}, GoldenModel{"dinov3"},
                                           GoldenModel{"beit"}, GoldenModel{"maps"}),
                         [](const auto& test) { return test.param.name; });

// Where queries and keys take less memory than the attention.
TEST(KeptAttention, holds_queries_and_keys_where_tokens_are_many) {
    Trace layer;
    const Index tokens = 40, heads = 2, head_dim = 4;
    auto model = std::make_shared<Model>();
    model->embedding.weight = make_result(Matrix::Ones(1, 1));  // no bare layer
    layer.model = model;
    layer.shape = {1, tokens, tokens, heads, head_dim};
    layer.layout.patches = tokens;
    const Matrix query = naive::random_matrix(tokens, heads * head_dim, 1),
                 key = naive::random_matrix(tokens, heads * head_dim, 2);
    layer.set(Tensor::query, make_result(query));
    layer.set(Tensor::key, make_result(key));
    layer.set(Tensor::attention, make_result(attention_of(query, key, 1, nullptr, layer.shape)));
    const KeptAttention kept(layer);
    EXPECT_EQ(kept.bytes(), sizeof(float) * (2 * tokens * heads * head_dim + 2 * tokens * heads));
    for (const Index token : {Index{0}, Index{17}, Index{39}}) {
        const Matrix row = kept.of_query(token), column = kept.of_key(token);
        for (Index h = 0; h < heads; ++h) {
            const auto all = layer.view(Tensor::attention, 0, h).eigen();
            EXPECT_TRUE(identical(Matrix(row.row(h)), Matrix(all.row(token))));
            EXPECT_TRUE(identical(Matrix(column.row(h)), Matrix(all.col(token).transpose())));
            // Compared with a naive computation.
            std::vector<double> scores;
            for (Index m = 0; m < tokens; ++m) {
                double sum = 0;
                for (Index i = 0; i < head_dim; ++i)
                    sum += static_cast<double>(query(token, h * head_dim + i)) *
                           key(m, h * head_dim + i);
                scores.push_back(sum);
            }
            const auto expected = naive::softmax(scores);
            for (Index m = 0; m < tokens; ++m)
                EXPECT_NEAR(row(h, m), expected[static_cast<std::size_t>(m)], 1e-6);
        }
    }
}

// A single column for as many tokens as in a large model: columns are computed a few at a time,
// with a remainder. Includes blocked keys and fully masked rows.
TEST(KeptAttention, columns_by_themselves_are_those_of_all_rows) {
    const AttentionShape shape{1, 1370, 1370, 2, 64};
    const Matrix query = naive::random_matrix(shape.queries, 128, 3),
                 key = naive::random_matrix(shape.keys, 128, 4);
    Mask mask{1, shape.queries, shape.keys, {}};
    mask.blocked.resize(static_cast<std::size_t>(shape.queries * shape.keys));
    for (Index n = 0; n < shape.queries; ++n)
        for (Index m = 0; m < shape.keys; ++m)
            mask.blocked[static_cast<std::size_t>(n * shape.keys + m)] = n == 7 || m > n + 900;
    for (const Mask* each : {static_cast<const Mask*>(nullptr), static_cast<const Mask*>(&mask)}) {
        std::vector<RowScale> rows;
        const Matrix all = attention_of(query, key, 0.125F, each, shape, {}, &rows);
        // On some processors the remaining columns are summed in another order.
        const float rounding = key_products_agree(query, key, shape) ? 0 : 1e-6F;
        for (const Index token : {0, 7, 15, 16, 700, 1359, 1360, 1369}) {
            const Matrix column = attention_of_key(query, key, 0.125F, each, shape, rows, token);
            for (Index h = 0; h < 2; ++h) {
                const Matrix expected = all.col(token).segment(h * 1370, 1370).transpose();
                EXPECT_LE((column.row(h) - expected).cwiseAbs().maxCoeff(), rounding) << token;
            }
        }
    }
}

TEST(KeptAttention, refuses_what_is_no_layer_and_tokens_that_there_are_not) {
    EXPECT_THROW(KeptAttention(Trace{}), AnalysisError);
    Trace layer;
    layer.shape = {1, 3, 3, 1, 2};
    layer.layout.patches = 3;
    layer.set(Tensor::attention, make_result(Matrix::Constant(3, 3, 1.0F / 3)));
    const KeptAttention kept(layer);
    EXPECT_EQ(kept.of_query(2).cols(), 3);
    EXPECT_THROW(static_cast<void>(kept.of_query(3)), AnalysisError);
    EXPECT_THROW(static_cast<void>(kept.of_key(-1)), AnalysisError);
}

}  // namespace
}  // namespace headlight::kept_attention_test
