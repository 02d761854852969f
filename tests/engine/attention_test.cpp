#include "attention/layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <ostream>

#include "kernels/parallel.h"
#include "kernels/product.h"
#include "naive.h"

namespace headlight {

void PrintTo(const AttentionShape& s, std::ostream* out) {
    *out << "B=" << s.batch << " N=" << s.queries << " M=" << s.keys << " H=" << s.heads
         << " head_dim=" << s.head_dim;
}

namespace {

Matrix scale_scores(const MatrixView& products, float factor, const Mask* mask,
                    const AttentionShape& shape, const StopFlag& stop = {}) {
    return scale_and_softmax(products, factor, mask, shape, stop).scores;
}

Matrix softmax_rows(const MatrixView& scores, const StopFlag& stop = {}) {
    return scale_and_softmax(scores, 1, nullptr, {1, scores.rows, scores.cols, 1, 1}, stop)
        .attention;
}

using naive::close;
using naive::kInfinity;
using naive::kNaN;
using naive::random_matrix;
using naive::Table;

Mask random_mask(Index samples, const AttentionShape& shape, std::uint32_t seed) {
    Mask mask{samples, shape.queries, shape.keys, {}};
    std::mt19937 engine(seed);
    for (Index i = 0; i < samples * shape.queries * shape.keys; ++i)
        mask.blocked.push_back(engine() % 3 == 0 ? 1 : 0);
    return mask;
}

// Random values to add for each head, a fifth of them −inf.
Mask random_additions(Index samples, Index heads, const AttentionShape& shape, std::uint32_t seed) {
    Mask mask = random_mask(samples, shape, seed);
    mask.heads = heads;
    const Matrix numbers =
        random_matrix(samples * mask.heads, shape.queries * shape.keys, seed + 1, 3);
    for (const float number : numbers.reshaped<Eigen::RowMajor>())
        mask.added.push_back(number > 1.8F ? -kInfinity : number);
    return mask;
}

// Calls body(sample, head, query, row in a [B·H·N, M] matrix) for every query of every head.
template <class Body>
void for_queries(const AttentionShape& s, const Body& body) {
    for (Index b = 0; b < s.batch; ++b)
        for (Index h = 0; h < s.heads; ++h)
            for (Index n = 0; n < s.queries; ++n) body(b, h, n, (b * s.heads + h) * s.queries + n);
}

Table naive_products(const MatrixView& query, const MatrixView& key, const AttentionShape& s) {
    Table out(s.batch * s.heads * s.queries, s.keys);
    for_queries(s, [&](Index b, Index h, Index n, Index row) {
        for (Index m = 0; m < s.keys; ++m)
            for (Index i = h * s.head_dim; i < (h + 1) * s.head_dim; ++i)
                out(row, m) +=
                    static_cast<double>(query(b * s.queries + n, i)) * key(b * s.keys + m, i);
    });
    return out;
}

Table naive_scores(const MatrixView& products, float factor, const Mask* mask,
                   const AttentionShape& s) {
    Table out(products.rows, products.cols);
    for_queries(s, [&](Index b, Index h, Index n, Index row) {
        for (Index m = 0; m < s.keys; ++m) {
            out(row, m) = static_cast<double>(products(row, m)) * factor;
            if (mask == nullptr) continue;
            const Index sample = mask->samples > 1 ? b : 0, head = mask->heads > 1 ? h : 0;
            const auto at = [&](Index above) {
                return static_cast<std::size_t>((above * s.queries + n) * s.keys + m);
            };
            if (!mask->added.empty()) out(row, m) += mask->added[at(sample * mask->heads + head)];
            if (mask->blocked[at(sample)] != 0) out(row, m) = -kInfinity;
        }
    });
    return out;
}

Table naive_softmax(const MatrixView& scores) {
    Table out(scores.rows, scores.cols);
    for (Index r = 0; r < scores.rows; ++r) {
        const std::vector<double> shares = naive::softmax(naive::row_of(scores, r));
        for (Index m = 0; m < scores.cols; ++m) out(r, m) = shares[static_cast<std::size_t>(m)];
    }
    return out;
}

Table naive_mix(const MatrixView& attention, const MatrixView& value, const AttentionShape& s) {
    Table out(s.batch * s.queries, s.channels());
    for_queries(s, [&](Index b, Index h, Index n, Index row) {
        for (Index i = h * s.head_dim; i < (h + 1) * s.head_dim; ++i)
            for (Index m = 0; m < s.keys; ++m)
                out(b * s.queries + n, i) +=
                    static_cast<double>(attention(row, m)) * value(b * s.keys + m, i);
    });
    return out;
}

// --- Every step for many shapes. Each step is compared with the naive one on the same operands, so
// the tolerances are the rounding error of a single step's float sum.

class EveryShape : public ::testing::TestWithParam<AttentionShape> {
  protected:
    AttentionShape shape = GetParam();
    Matrix query = random_matrix(shape.batch * shape.queries, shape.channels(), 1, 2);
    Matrix key = random_matrix(shape.batch * shape.keys, shape.channels(), 2, 2);
    Matrix value = random_matrix(shape.batch * shape.keys, shape.channels(), 3, 2);
};
INSTANTIATE_TEST_SUITE_P(Shapes, EveryShape,
                         ::testing::Values(AttentionShape{1, 1, 1, 1, 1},       // the smallest
                                           AttentionShape{1, 1, 9, 2, 3},       // one query
                                           AttentionShape{1, 9, 1, 2, 3},       // one key
                                           AttentionShape{1, 17, 17, 5, 1},     // head_dim 1
                                           AttentionShape{1, 50, 50, 1, 64},    // one head
                                           AttentionShape{3, 31, 31, 4, 16},    // a batch
                                           AttentionShape{2, 40, 23, 3, 7},     // fewer keys
                                           AttentionShape{2, 11, 130, 3, 5},    // more keys
                                           AttentionShape{1, 197, 197, 12, 8},  // as in ViT
                                           AttentionShape{1, 1500, 1500, 1, 4}  // several blocks
                                           ));

TEST_P(EveryShape, products) {
    const Matrix found = query_key_products(query, key, shape);
    EXPECT_TRUE(close(found, naive_products(query, key, shape),
                      1e-6 * 4 * static_cast<double>(shape.head_dim)));
}

TEST_P(EveryShape, scale) {
    const Matrix products = random_matrix(shape.batch * shape.heads * shape.queries, shape.keys, 4);
    EXPECT_TRUE(close(scale_scores(products, 0.37F, nullptr, shape),
                      naive_scores(products, 0.37F, nullptr, shape), 0, 1e-7));
}

TEST_P(EveryShape, scale_with_masks) {
    const Matrix products = random_matrix(shape.batch * shape.heads * shape.queries, shape.keys, 5);
    for (const Index samples : {Index{1}, shape.batch}) {
        const Mask mask = random_mask(samples, shape, 6);
        EXPECT_TRUE(close(scale_scores(products, -3.0F, &mask, shape),
                          naive_scores(products, -3.0F, &mask, shape), 0, 1e-7));
        const Mask added = random_additions(samples, samples == 1 ? 1 : shape.heads, shape, 6);
        EXPECT_TRUE(close(scale_scores(products, -3.0F, &added, shape),
                          naive_scores(products, -3.0F, &added, shape), 1e-6, 1e-7));
    }
}

// Computing one head of one sample alone gives the same as computing all.
TEST_P(EveryShape, scale_of_one_head_alone) {
    const Matrix products = random_matrix(shape.batch * shape.heads * shape.queries, shape.keys, 5);
    const Mask mask = random_additions(shape.batch, shape.heads, shape, 6);
    const Matrix all = scale_scores(products, 0.5F, &mask, shape);
    AttentionShape one = shape;
    one.batch = one.heads = 1;
    for (Index b = 0; b < shape.batch; ++b)
        for (Index h = 0; h < shape.heads; ++h) {
            const Index first = (b * shape.heads + h) * shape.queries;
            const Mask own = mask.of(b, h);
            const Matrix alone = scale_scores(
                MatrixView(products).block(first, 0, shape.queries, shape.keys), 0.5F, &own, one);
            EXPECT_TRUE(naive::identical(
                alone, MatrixView(all).block(first, 0, shape.queries, shape.keys)));
        }
}

TEST_P(EveryShape, softmax) {
    for (const float size : {1.0F, 30.0F, 1e4F}) {
        const Matrix scores =
            random_matrix(shape.batch * shape.heads * shape.queries, shape.keys, 7, size);
        EXPECT_TRUE(close(softmax_rows(scores), naive_softmax(scores), 1e-37, 4e-6)) << size;
    }
}

TEST_P(EveryShape, mix) {
    const Matrix attention =
        softmax_rows(random_matrix(shape.batch * shape.heads * shape.queries, shape.keys, 8, 5));
    EXPECT_TRUE(
        close(mix_values(attention, value, shape), naive_mix(attention, value, shape), 4e-6));
}

TEST_P(EveryShape, attention_alone_is_that_of_the_three_steps) {
    const Mask mask = random_mask(1, shape, 6);
    const Mask added = random_additions(shape.batch, shape.heads, shape, 7);
    for (const ProductBackend backend :
         {ProductBackend::eigen, ProductBackend::onednn, ProductBackend::tiled})
        for (const Mask* chosen : {static_cast<const Mask*>(nullptr), &mask, &added}) {
            if (backend == ProductBackend::onednn && !built_with_onednn()) continue;
            set_product_backend(backend);
            const Matrix products = query_key_products(query, key, shape);
            EXPECT_TRUE(
                naive::identical(attention_of(query, key, 0.37F, chosen, shape),
                                 scale_and_softmax(products, 0.37F, chosen, shape).attention));
        }
    set_product_backend(ProductBackend::automatic);
}

// The keys' rows are columns of a wider matrix, as in the stacked [Q K V].
TEST_P(EveryShape, operands_may_be_columns_of_a_wider_matrix) {
    const Index c = shape.channels();
    Matrix wide = random_matrix(key.rows(), c + 9, 9);
    wide.middleCols(5, c) = key;
    const MatrixView inner = MatrixView(wide).block(0, 5, key.rows(), c);
    EXPECT_TRUE(naive::identical(query_key_products(query, inner, shape),
                                 query_key_products(query, key, shape)));
    const Matrix attention = softmax_rows(query_key_products(query, key, shape));
    EXPECT_TRUE(close(mix_values(attention, inner, shape), naive_mix(attention, key, shape), 4e-6));
}

TEST_P(EveryShape, threads_change_nothing) {
    set_threads(1);
    const Matrix products = query_key_products(query, key, shape);
    const Matrix mixed = mix_values(softmax_rows(products), value, shape);
    set_threads(5);
    const Matrix products5 = query_key_products(query, key, shape);
    const Matrix mixed5 = mix_values(softmax_rows(products5), value, shape);
    set_threads(0);
    EXPECT_TRUE(naive::identical(products, products5));
    EXPECT_TRUE(naive::identical(mixed, mixed5));
}

TEST(Linear, equals_the_naive_one) {
    struct Size {
        Index rows, in, out;
    };
    for (const Size s : {Size{1, 1, 1},
                         {1, 7, 3},
                         {5, 1, 4},
                         {33, 20, 1},
                         {197, 64, 96},
                         {1100, 12, 9},
                         {3, 700, 5}}) {
        const Matrix x = random_matrix(s.rows, s.in, 1), w = random_matrix(s.out, s.in, 2);
        const Vector bias = random_matrix(1, s.out, 3);
        const double tolerance = 1e-6 * static_cast<double>(s.in) + 1e-7;
        EXPECT_TRUE(close(linear(x, w, bias), naive::linear(x, w, bias), tolerance));
        EXPECT_TRUE(close(linear(x, w, Vector()), naive::linear(x, w, Vector()), tolerance));
    }
}

TEST(Linear, of_no_rows_has_no_rows) {
    const Matrix out = linear(Matrix(0, 4), random_matrix(3, 4, 1), Vector());
    EXPECT_EQ(out.rows(), 0);
    EXPECT_EQ(out.cols(), 3);
}

TEST(HeadView, is_the_reshape_and_transpose_of_pytorch) {
    // Each number encodes its place: sample, token, channel.
    Matrix tokens(2 * 3, 8);
    for (Index r = 0; r < 6; ++r)
        for (Index c = 0; c < 8; ++c) tokens(r, c) = static_cast<float>(r * 100 + c);
    const MatrixView head = head_view(tokens, 3, 2, 2, 1, 2);  // columns 2 + 2·2 .. 2 + 2·2 + 1
    ASSERT_EQ(head.rows, 3);
    ASSERT_EQ(head.cols, 2);
    EXPECT_EQ(head(0, 0), 306.0F);
    EXPECT_EQ(head(2, 1), 507.0F);
}

// --- Masks.

TEST(Masks, causal_blocks_every_later_key) {
    const Mask mask = *make_mask({{MaskKind::causal}}, nullptr, {}, 3, 5);
    EXPECT_EQ(mask.blocked,
              (std::vector<std::uint8_t>{0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1}));
}

TEST(Masks, a_causal_query_reads_nothing_later) {
    const AttentionShape shape{1, 6, 6, 2, 4};
    const Mask mask = *make_mask({{MaskKind::causal}}, nullptr, {}, 6, 6);
    const Matrix attention =
        softmax_rows(scale_scores(random_matrix(12, 6, 1, 9), 1, &mask, shape));
    for (Index r = 0; r < 12; ++r)
        for (Index m = r % 6 + 1; m < 6; ++m)
            EXPECT_EQ(attention(r, m), 0.0F) << "cell (" << r << ", " << m << ")";
    EXPECT_EQ(attention(0, 0), 1.0F);  // the first token can only attend to itself
}

TEST(Masks, a_fully_blocked_query_reads_nothing_and_says_nothing) {
    const AttentionShape shape{2, 3, 4, 2, 5};
    Mask mask{1, 3, 4, std::vector<std::uint8_t>(12, 0)};
    std::fill_n(mask.blocked.begin() + 4, 4, std::uint8_t{1});  // query 1
    const Matrix scores = scale_scores(random_matrix(12, 4, 1, 9), 1, &mask, shape);
    const Matrix attention = softmax_rows(scores);
    const Matrix mixed = mix_values(attention, random_matrix(8, 10, 2), shape);
    for_queries(shape, [&](Index b, Index, Index n, Index row) {
        if (n != 1) return;
        EXPECT_TRUE((scores.row(row).array() == -kInfinity).all()) << row;
        EXPECT_TRUE((attention.row(row).array() == 0.0F).all()) << row;
        EXPECT_TRUE((mixed.row(b * 3 + n).array() == 0.0F).all()) << row;
    });
    EXPECT_TRUE((mixed.row(0).array() != 0.0F).any());
}

// --- NaN and infinity stay visible, and only where they belong.

TEST(BadNumbers, flow_into_every_cell_they_touch_and_no_other) {
    const AttentionShape shape{1, 5, 5, 2, 3};
    Matrix query = random_matrix(5, 6, 1);
    const Matrix key = random_matrix(5, 6, 2), value = random_matrix(5, 6, 3);
    for (const float bad : {kNaN, kInfinity}) {
        query(2, 4) = bad;  // token 2, head 1
        const Matrix products = query_key_products(query, key, shape);
        const Matrix attention = softmax_rows(scale_scores(products, 0.5F, nullptr, shape));
        const Matrix mixed = mix_values(attention, value, shape);
        for_queries(shape, [&](Index, Index h, Index n, Index row) {
            const bool touched = h == 1 && n == 2;
            for (Index m = 0; m < 5; ++m) {
                EXPECT_EQ(!std::isfinite(products(row, m)), touched) << row << ", " << m;
                EXPECT_EQ(std::isnan(attention(row, m)), touched) << row << ", " << m;
            }
            for (Index i = 0; i < 3; ++i)
                EXPECT_EQ(std::isnan(mixed(n, h * 3 + i)), touched) << n << ", " << h * 3 + i;
        });
    }
}

TEST(BadNumbers, spoil_their_row_of_a_linear_step) {
    Matrix x = random_matrix(40, 30, 1);
    x(17, 3) = kNaN;
    const Matrix out = linear(x, random_matrix(20, 30, 2), Vector());
    for (Index r = 0; r < 40; ++r)
        for (Index c = 0; c < 20; ++c) EXPECT_EQ(std::isnan(out(r, c)), r == 17) << r << ", " << c;
}

// --- Stopping.

TEST(Stopping, every_step_with_a_flag_listens) {
    const AttentionShape shape{1, 8, 8, 2, 4};
    const Matrix tokens = random_matrix(8, 8, 1), square = random_matrix(16, 8, 2);
    const StopFlag stop = [] { return true; };
    EXPECT_THROW(query_key_products(tokens, tokens, shape, stop), Stopped);
    EXPECT_THROW(scale_scores(square, 1, nullptr, shape, stop), Stopped);
    EXPECT_THROW(softmax_rows(square, stop), Stopped);
    EXPECT_THROW(attention_of(tokens, tokens, 1, nullptr, shape, stop), Stopped);
    EXPECT_THROW(mix_values(square, tokens, shape, stop), Stopped);
    EXPECT_THROW(linear(tokens, tokens, Vector(), stop), Stopped);
}

TEST(Stopping, is_heard_between_the_blocks_of_a_large_result) {
    const AttentionShape shape{1, 1500, 1500, 2, 4};
    const Matrix tokens = random_matrix(1500, 8, 1);
    std::atomic<int> asked{0};
    EXPECT_THROW(query_key_products(tokens, tokens, shape, [&] { return ++asked > 2; }), Stopped);
}

// --- Configurations.

AttentionConfig good_config() {
    AttentionConfig config;
    config.dim = 12;
    config.channels = 8;
    config.heads = 4;
    return config;
}

TEST(Configuration, a_good_one_is_accepted) { EXPECT_NO_THROW(validate(good_config())); }

TEST(Configuration, each_fault_is_named_in_a_sentence) {
    struct Fault {
        std::function<void(AttentionConfig&)> spoil;
        std::string says;
    };
    const std::vector<Fault> faults{
        {[](auto& c) { c.dim = 0; }, "A token needs at least 1 number; found 0."},
        {[](auto& c) { c.channels = -4; }, "at least 1 channel; found -4."},
        {[](auto& c) { c.heads = 0; }, "at least 1 head; found 0."},
        {[](auto& c) { c.heads = 3; }, "8 channels cannot be divided evenly among 3 heads"},
        {[](auto& c) { c.scale = 0.0F; }, "other than 0."},
        {[](auto& c) { c.scale = kNaN; }, "scale must be a finite number"},
        {[](auto& c) { c.scale = kInfinity; }, "scale must be a finite number"},
        {[](auto& c) { c.temperature = 0.0F; }, "temperature must be a number above 0."},
        {[](auto& c) { c.temperature = -1.0F; }, "temperature must be a number above 0."},
        {[](auto& c) { c.temperature = kNaN; }, "temperature must be a number above 0."},
        {[](auto& c) { c.skip = Skip::input; }, "tokens of 12 numbers to an output of 8 channels"},
    };
    for (const Fault& fault : faults) {
        AttentionConfig config = good_config();
        fault.spoil(config);
        const std::string sentence = naive::sentence_of<AttentionError>([&] { validate(config); });
        EXPECT_NE(sentence.find(fault.says), std::string::npos) << "said: " << sentence;
        EXPECT_TRUE(sentence.ends_with(".")) << sentence;
    }
}

TEST(Configuration, scale_is_one_over_the_root_of_head_dim) {
    AttentionConfig config = good_config();
    EXPECT_FLOAT_EQ(config.effective_scale(), 1 / std::sqrt(2.0F));
    config.scale = 0.25F;
    EXPECT_EQ(config.effective_scale(), 0.25F);
}

// --- Weights.

TEST(Weights, have_the_shapes_of_their_configuration_and_stay_in_bounds) {
    AttentionConfig config = good_config();
    config.qkv_bias = true;
    const AttentionWeights weights = draw_weights(config, 1);
    EXPECT_NO_THROW(validate(weights, config));
    const float qkv_bound = 1 / std::sqrt(12.0F), projection_bound = 1 / std::sqrt(8.0F);
    EXPECT_LE(weights.qkv.cwiseAbs().maxCoeff(), qkv_bound);
    EXPECT_LE(weights.projection.cwiseAbs().maxCoeff(), projection_bound);
    EXPECT_GT(weights.qkv.maxCoeff(), 0.9F * qkv_bound);  // and fill them on both sides
    EXPECT_LT(weights.qkv.minCoeff(), -0.9F * qkv_bound);
    EXPECT_NEAR(weights.qkv.mean(), 0, 0.1F * qkv_bound);
}

TEST(Weights, depend_on_the_seed_alone) {
    AttentionConfig config = good_config();
    const AttentionWeights a = draw_weights(config, 7), again = draw_weights(config, 7),
                           b = draw_weights(config, 8);
    EXPECT_TRUE(naive::identical(a.qkv, again.qkv));
    EXPECT_FALSE(naive::identical(a.qkv, b.qkv));
    EXPECT_FALSE(naive::identical(draw_weights(config, std::uint64_t{7} << 32U).qkv, a.qkv));
}

TEST(Weights, a_bias_that_comes_shifts_nobody_else) {
    AttentionConfig config = good_config();
    const AttentionWeights without = draw_weights(config, 7);
    config.qkv_bias = true;
    const AttentionWeights with = draw_weights(config, 7);
    EXPECT_EQ(without.qkv_bias.size(), 0);
    EXPECT_EQ(with.qkv_bias.size(), 24);
    EXPECT_TRUE(naive::identical(with.qkv, without.qkv));
    EXPECT_TRUE(naive::identical(with.projection, without.projection));
    EXPECT_EQ(with.projection_bias, without.projection_bias);
}

TEST(Weights, of_another_shape_are_refused_by_name) {
    const AttentionConfig config = good_config();
    const auto fault = [&](const std::function<void(AttentionWeights&)>& spoil) {
        AttentionWeights weights = draw_weights(config, 1);
        spoil(weights);
        return naive::sentence_of<AttentionError>([&] { validate(weights, config); });
    };
    EXPECT_EQ(fault([](auto& w) { w.qkv.resize(24, 13); }),
              "qkv weight: expected [24, 12], found [24, 13].");
    EXPECT_EQ(fault([](auto& w) { w.qkv_bias.resize(8); }),
              "qkv bias: expected [1, 24], found [1, 8].");
    EXPECT_EQ(fault([](auto& w) { w.projection.resize(8, 4); }),
              "projection weight: expected [8, 8], found [8, 4].");
    EXPECT_EQ(fault([](auto& w) { w.projection_bias.resize(1); }),
              "projection bias: expected [1, 8], found [1, 1].");
}

}  // namespace
}  // namespace headlight
