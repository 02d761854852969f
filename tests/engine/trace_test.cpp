#include "trace/trace.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/recycle.h"
#include "naive.h"
#include "run_layer.h"

namespace headlight::trace_test {
namespace {

using naive::random_matrix;

// --- The tables.

TEST(Steps, stand_in_the_order_of_their_numbers) {
    for (int i = 0; i < kStepCount; ++i) {
        const auto step = static_cast<Step>(i);
        EXPECT_EQ(all_steps()[static_cast<std::size_t>(i)].id, step) << i;
        EXPECT_EQ(&info(step), &all_steps()[static_cast<std::size_t>(i)]) << i;
    }
}

TEST(Steps, have_names_of_their_own) {
    std::set<std::string_view> names;
    for (const StepInfo& step : all_steps())
        EXPECT_TRUE(!step.name.empty() && names.insert(step.name).second) << step.name;
}

TEST(Tensors, stand_in_the_order_of_their_numbers) {
    for (int i = 0; i < kTensorCount; ++i) {
        const auto tensor = static_cast<Tensor>(i);
        EXPECT_EQ(all_tensors()[static_cast<std::size_t>(i)].id, tensor) << i;
        EXPECT_EQ(&info(tensor), &all_tensors()[static_cast<std::size_t>(i)]) << i;
    }
}

TEST(Tensors, say_everything_about_themselves) {
    std::set<std::string_view> names, files;
    for (const TensorInfo& tensor : all_tensors()) {
        for (const std::string_view text : {tensor.name, tensor.symbol, tensor.title})
            EXPECT_FALSE(text.empty()) << tensor.name;
        EXPECT_TRUE(names.insert(tensor.name).second) << tensor.name << " twice";
        if (!tensor.file_name.empty()) {
            EXPECT_TRUE(files.insert(tensor.file_name).second) << tensor.file_name << " twice";
        }
    }
}

// --- One layer, whole, as a trace.

struct Layer {
    AttentionConfig config;
    std::shared_ptr<const AttentionWeights> weights;
    std::shared_ptr<const Trace> trace;
};

Layer run(Index batch, Index queries, Index keys, Skip skip, bool bias) {
    Layer layer;
    layer.config.dim = skip == Skip::input ? 12 : 10;
    layer.config.channels = 12;
    layer.config.heads = 3;
    layer.config.qkv_bias = bias;
    layer.config.temperature = 0.7F;
    layer.config.skip = skip;
    layer.weights = std::make_shared<const AttentionWeights>(draw_weights(layer.config, 5));
    LayerInput input;
    input.batch = batch;
    input.tokens = random_matrix(batch * queries, layer.config.dim, 1, 3);
    if (keys != 0) input.value_tokens = random_matrix(batch * keys, layer.config.dim, 2, 3);
    layer.trace = run_layer(std::move(input), layer.config, layer.weights);
    return layer;
}

// One query's output from the given tokens to the end, in double.
std::vector<double> naive_output(const Layer& layer, Index sample, Index query) {
    const Trace& t = *layer.trace;
    const AttentionShape& s = t.shape;
    const MatrixView x = t.view(Tensor::tokens, sample);
    const MatrixView from = t.has(Tensor::value_tokens) ? t.view(Tensor::value_tokens, sample) : x;
    const AttentionWeights& w = *layer.weights;
    const Index c = s.channels();
    const naive::Table q = naive::linear(x, w.qkv, w.qkv_bias);
    const naive::Table kv = naive::linear(from, w.qkv, w.qkv_bias);
    std::vector<double> concat(static_cast<std::size_t>(c), 0.0), out;
    for (Index h = 0; h < s.heads; ++h) {
        std::vector<double> scores(static_cast<std::size_t>(s.keys), 0.0);
        for (Index m = 0; m < s.keys; ++m)
            for (Index i = h * s.head_dim; i < (h + 1) * s.head_dim; ++i)
                scores[static_cast<std::size_t>(m)] += q(query, i) * kv(m, c + i);
        for (double& score : scores) score *= 1 / std::sqrt(4.0) / 0.7;
        const std::vector<double> shares = naive::softmax(scores);
        for (Index m = 0; m < s.keys; ++m)
            for (Index i = h * s.head_dim; i < (h + 1) * s.head_dim; ++i)
                concat[static_cast<std::size_t>(i)] +=
                    shares[static_cast<std::size_t>(m)] * kv(m, 2 * c + i);
    }
    for (Index i = 0; i < c; ++i) {
        double sum = w.projection_bias(i);
        for (Index k = 0; k < c; ++k)
            sum += concat[static_cast<std::size_t>(k)] * w.projection(i, k);
        if (layer.config.skip == Skip::value) sum += kv(query, 2 * c + i);
        if (layer.config.skip == Skip::input) sum += static_cast<double>(x(query, i));
        out.push_back(sum);
    }
    return out;
}

void expect_naive_output(const Layer& layer) {
    const AttentionShape& s = layer.trace->shape;
    for (Index b = 0; b < s.batch; ++b)
        for (Index n = 0; n < s.queries; ++n) {
            const std::vector<double> expected = naive_output(layer, b, n);
            for (Index i = 0; i < s.channels(); ++i)
                ASSERT_NEAR(layer.trace->view(Tensor::output, b)(n, i),
                            expected[static_cast<std::size_t>(i)], 1e-5)
                    << "sample " << b << ", cell (" << n << ", " << i << ")";
        }
}

TEST(Layer, self_attention_equals_the_naive_one_from_end_to_end) {
    for (const Skip skip : {Skip::none, Skip::value, Skip::input})
        for (const bool bias : {false, true}) {
            expect_naive_output(run(1, 1, 0, skip, bias));
            expect_naive_output(run(1, 29, 0, skip, bias));
            expect_naive_output(run(3, 14, 0, skip, bias));
        }
}

TEST(Layer, cross_attention_equals_the_naive_one_from_end_to_end) {
    for (const bool bias : {false, true}) {
        expect_naive_output(run(1, 9, 23, Skip::none, bias));
        expect_naive_output(run(2, 23, 4, Skip::input, bias));
        expect_naive_output(run(2, 8, 8, Skip::value, bias));
    }
}

// --- Views into a trace.

// The view of a sample and head must be the right part of the stacked results.
TEST(Trace, views_are_windows_of_the_stacked_results) {
    const Layer layer = run(2, 7, 0, Skip::value, false);
    const Trace& t = *layer.trace;
    for (Index b = 0; b < 2; ++b)
        for (Index h = 0; h < 3; ++h)
            for (Index n = 0; n < 7; ++n)
                for (Index i = 0; i < 4; ++i) {
                    const MatrixView qkv = t.all(Tensor::qkv);
                    ASSERT_EQ(t.view(Tensor::query, b, h)(n, i), qkv(b * 7 + n, h * 4 + i));
                    ASSERT_EQ(t.view(Tensor::key, b, h)(n, i), qkv(b * 7 + n, 12 + h * 4 + i));
                    ASSERT_EQ(t.view(Tensor::value, b, h)(n, i), qkv(b * 7 + n, 24 + h * 4 + i));
                    ASSERT_EQ(t.view(Tensor::values, b)(n, h * 4 + i),
                              t.view(Tensor::value, b, h)(n, i));
                    ASSERT_EQ(t.view(Tensor::head_output, b, h)(n, i),
                              t.view(Tensor::concat, b)(n, h * 4 + i));
                }
    EXPECT_EQ(t.view(Tensor::attention, 1, 2).data, t.all(Tensor::attention).row((3 + 2) * 7));
    EXPECT_EQ(t.view(Tensor::attention, 1, 2).rows, 7);
}

TEST(Trace, views_of_cross_attention_come_from_its_two_products) {
    const Layer layer = run(2, 7, 5, Skip::none, false);
    const Trace& t = *layer.trace;
    EXPECT_FALSE(t.has(Tensor::qkv));
    EXPECT_EQ(t.view(Tensor::query, 1, 2).data, t.all(Tensor::query_only).row(7) + 8);
    EXPECT_EQ(t.view(Tensor::key, 1, 2).data, t.all(Tensor::key_value).row(5) + 8);
    EXPECT_EQ(t.view(Tensor::value, 1, 2).data, t.all(Tensor::key_value).row(5) + 12 + 8);
    EXPECT_EQ(t.view(Tensor::value, 1, 2).rows, 5);
    EXPECT_EQ(t.version(Tensor::output), t.version(Tensor::projection));  // nothing was added
}

TEST(Trace, shapes_are_what_the_table_says) {
    const Layer layer = run(2, 7, 0, Skip::value, true);
    const Trace& t = *layer.trace;
    const auto extent = [](Axis axis) -> Index {
        switch (axis) {
            case Axis::token:
            case Axis::key_token:
                return 7;
            case Axis::feature:
                return 10;
            case Axis::channel:
                return 12;
            case Axis::qkv_channel:
                return 36;
            case Axis::head_channel:
                return 4;
            case Axis::one:
                return 1;
            default:
                return -1;
        }
    };
    for (const TensorInfo& tensor : all_tensors()) {
        if (!t.has(tensor.id)) continue;  // before the layer
        const MatrixView view = t.view(tensor.id, 1, tensor.per_head ? 2 : 0);
        EXPECT_EQ(view.rows, extent(tensor.rows)) << tensor.name;
        EXPECT_EQ(view.cols, extent(tensor.cols)) << tensor.name;
        EXPECT_NE(t.version(tensor.id), 0U) << tensor.name;
        if (tensor.from_zero) {
            EXPECT_GE(view.eigen().minCoeff(), 0.0F) << tensor.name;
        }
    }
}

TEST(Results, have_numbers_that_no_other_has) {
    std::set<std::uint64_t> versions;
    for (int i = 0; i < 100; ++i) versions.insert(make_result(Matrix(1, 1))->version());
    EXPECT_EQ(versions.size(), 100U);
    EXPECT_FALSE(versions.contains(0));  // 0 means: no result
}

// --- Reuse of memory of results that are no longer shown.

constexpr Index kBig = 1000;  // 4 MB: large enough to be reused

TEST(Recycling, a_result_of_the_same_size_moves_in) {
    Matrix first = new_matrix(kBig, kBig);
    const float* memory = first.data();
    make_result(std::move(first)).reset();
    const Matrix second = new_matrix(kBig / 2, 2 * kBig);  // as many cells, another shape
    EXPECT_EQ(second.data(), memory);
    EXPECT_EQ(second.rows(), kBig / 2);
    EXPECT_EQ(second.cols(), 2 * kBig);
}

TEST(Recycling, never_gives_the_same_memory_twice) {
    recycle(new_matrix(kBig, kBig));
    const Matrix first = new_matrix(kBig, kBig), second = new_matrix(kBig, kBig);
    EXPECT_NE(first.data(), second.data());
}

TEST(Recycling, a_shared_result_keeps_its_memory) {
    SharedResult result = make_result(Matrix::Constant(kBig, kBig, 3));
    const SharedResult other = result;
    result.reset();
    Matrix fresh = new_matrix(kBig, kBig);
    fresh.setZero();
    EXPECT_EQ(other->view()(kBig - 1, kBig - 1), 3.0F);
}

TEST(Recycling, sizes_may_alternate) {
    Matrix wide = new_matrix(kBig, 2 * kBig), narrow = new_matrix(kBig, kBig);
    const float *first = wide.data(), *second = narrow.data();
    for (int layer = 0; layer < 50; ++layer) {
        recycle(std::move(wide));
        recycle(std::move(narrow));
        wide = new_matrix(kBig, 2 * kBig);
        narrow = new_matrix(kBig, kBig);
    }
    EXPECT_EQ(wide.data(), first);
    EXPECT_EQ(narrow.data(), second);
}

TEST(Recycling, new_sizes_take_the_place_of_old_ones) {
    constexpr std::size_t kBytes = kBig * kBig * sizeof(float);
    std::vector<Matrix> results;
    for (int i = 0; i < 10; ++i) results.push_back(new_matrix(kBig, kBig));
    for (Matrix& result : results) recycle(std::move(result));
    const std::size_t before = idle_bytes();
    EXPECT_GE(before, 10 * kBytes);
    const Matrix other = new_matrix(kBig + 1, kBig);
    EXPECT_LE(idle_bytes(), before - kBytes);
    const Matrix again = new_matrix(kBig, kBig);
    EXPECT_LE(idle_bytes(), before - 2 * kBytes);
}

TEST(Recycling, gives_back_what_nobody_has_asked_for_in_a_long_time) {
    recycle(new_matrix(kBig, 3 * kBig));
    for (int i = 0; i < 1100; ++i) recycle(new_matrix(kBig / 4, kBig));
    EXPECT_LE(idle_bytes(), kBig * kBig * sizeof(float));
}

TEST(Recycling, small_matrices_and_none_are_welcome_too) {
    recycle(Matrix());
    recycle(Matrix(3, 3));
    EXPECT_EQ(new_matrix(0, 5).size(), 0);
    EXPECT_EQ(new_matrix(3, 3).size(), 9);
}

}  // namespace
}  // namespace headlight::trace_test
