#include "cells.h"

#include <gtest/gtest.h>

#include "encoder/runner.h"
#include "naive.h"
#include "picture.h"
#include "run_layer.h"

namespace headlight::arithmetic_test {
namespace {

using naive::kInfinity;
using naive::kNaN;
using naive::random_matrix;

std::shared_ptr<const Trace> walk(PositionKind position, Skip skip, bool bias) {
    Recipe recipe;
    recipe.image = "picture";
    recipe.image_height = 44;  // not a multiple of the patch: some cells are padding
    recipe.image_width = 40;
    recipe.patches.size = 8;
    recipe.patches.stride = 6;
    recipe.mean = {0.4F, 0.5F, 0.6F};
    recipe.std = {0.2F, 0.3F, 0.4F};
    recipe.position.kind = position;
    recipe.channels = 24;
    recipe.heads = 3;
    recipe.qkv_bias = bias;
    recipe.temperature = 0.8F;
    recipe.skip = skip;
    Runner runner([](const std::string&) { return picture(50, 47); });
    return runner.run(recipe);
}

// The expected value, directly from the matrices of the trace. Repeats each step's definition
// without using the engine's code.
double naive_cell(const Trace& t, Step step, Index head, Index row, Index col) {
    const auto at = [&](Tensor tensor, Index r, Index c) {
        return static_cast<double>(t.view(tensor, 0, head)(r, c));
    };
    const auto dot = [&](Tensor left, Tensor right, bool right_by_row) {
        double sum = 0;
        for (Index i = 0; i < t.view(left, 0, head).cols; ++i)
            sum += at(left, row, i) * (right_by_row ? at(right, col, i) : at(right, i, col));
        return sum;
    };
    switch (step) {
        case Step::image:
            return at(Tensor::pixels, row, col);
        case Step::patches: {
            const auto channel = static_cast<std::size_t>(col / 64);
            const Index y = row / t.grid.cols * 6 + col % 64 / 8,
                        x = row % t.grid.cols * 6 + col % 8;
            if (y >= 44 || x >= 40) return 0;  // padding
            const Index column = static_cast<Index>(channel) * 40 + x;
            return (at(Tensor::pixels, y, column) - t.mean[channel]) / t.std[channel];
        }
        case Step::position:
            return at(Tensor::patches, row, col) +
                   (t.has(Tensor::positions) ? at(Tensor::positions, row, col) : 0);
        case Step::qkv:
            return dot(Tensor::tokens, Tensor::qkv_weight, true) +
                   (t.has(Tensor::qkv_bias) ? at(Tensor::qkv_bias, 0, col) : 0);
        case Step::heads:
            return at(Tensor::qkv, row, head * 8 + col);
        case Step::products:
            return dot(Tensor::query, Tensor::key, true);
        case Step::scale:
            return at(Tensor::products, row, col) / std::sqrt(8.0) / 0.8;
        case Step::softmax:
            return naive::softmax(
                naive::row_of(t.view(Tensor::scores, 0, head), row))[static_cast<std::size_t>(col)];
        case Step::mix:
            return dot(Tensor::attention, Tensor::value, false);
        case Step::concat:
            return t.view(Tensor::head_output, 0, col / 8)(row, col % 8);
        case Step::project:
            return dot(Tensor::concat, Tensor::projection_weight, true) +
                   at(Tensor::projection_bias, 0, col);
        case Step::skip:
            return at(Tensor::projection, row, col) +
                   (t.config.skip == Skip::value ? at(Tensor::values, row, col) : 0);
        default:
            break;  // a whole model's: family_arithmetic_test.cpp
    }
    return kNaN;
}

void expect_every_step_explained(const Trace& trace) {
    std::mt19937 engine(1);
    for (const Step id : trace.steps())
        for (int i = 0; i < 60; ++i) {
            const Node& step = *trace.node(id);
            const auto head = static_cast<Index>(engine() % 3);
            const MatrixView result = trace.view(step.result(), 0, head);
            const Index row = engine() % result.rows, col = engine() % result.cols;
            const Arithmetic a = explained(trace, step.id, head, row, col);
            SCOPED_TRACE(std::string(step.name()) + ", head " + std::to_string(head) + ", cell (" +
                         std::to_string(row) + ", " + std::to_string(col) + ")");
            EXPECT_TRUE(a.agrees) << a.recomputed << " against " << a.shown;
            EXPECT_EQ(a.shown, result(row, col));
            const double expected = naive_cell(trace, step.id, head, row, col);
            EXPECT_NEAR(a.recomputed, expected, 1e-6 * std::abs(expected) + 1e-7);
            EXPECT_EQ(a.result, step.result());
            EXPECT_EQ(a.terms.empty(), a.padding);
        }
}

// Overlapping patches that reach past both borders.
TEST(Arithmetic, a_padded_cell_comes_from_no_pixel) {
    Recipe recipe;
    recipe.image = "picture";
    recipe.image_height = 17;
    recipe.image_width = 31;
    recipe.patches = {5, 3, Ragged::pad};
    const auto trace = Runner([](const std::string&) { return picture(17, 31); }).run(recipe);
    int padded = 0;
    for (Index r = 0; r < trace->shape.queries; ++r)
        for (Index c = 0; c < 3 * 5 * 5; ++c) {
            const Arithmetic a = explained(*trace, Step::patches, 0, r, c);
            const Index y = r / trace->grid.cols * 3 + c % 25 / 5;
            const Index x = r % trace->grid.cols * 3 + c % 5;
            ASSERT_EQ(a.padding, y >= 17 || x >= 31) << r << ", " << c;
            ASSERT_TRUE(a.agrees) << r << ", " << c;
            if (!a.padding) continue;
            ++padded;
            ASSERT_TRUE(a.terms.empty());
            ASSERT_EQ(a.recomputed, 0.0);
        }
    EXPECT_GT(padded, 0);
}

TEST(Arithmetic, explains_every_step_of_a_walk) {
    for (const PositionKind position : {PositionKind::none, PositionKind::sinusoidal})
        for (const Skip skip : {Skip::none, Skip::value})
            for (const bool bias : {false, true})
                expect_every_step_explained(*walk(position, skip, bias));
}

TEST(Arithmetic, terms_add_up_to_the_sum) {
    const auto trace = walk(PositionKind::sinusoidal, Skip::value, true);
    for (const Step step :
         {Step::position, Step::qkv, Step::products, Step::mix, Step::project, Step::skip}) {
        const Arithmetic a = explained(*trace, step, 1, 3, 5);
        double sum = 0;
        for (const Term& term : a.terms) sum += term.value;
        EXPECT_NEAR(sum, a.sum, 1e-6) << info(step).name;
        EXPECT_NEAR(a.sum + a.bias, a.recomputed, 1e-12) << info(step).name;
        EXPECT_EQ(a.has_bias, step == Step::qkv || step == Step::project) << info(step).name;
    }
}

TEST(Arithmetic, softmax_shows_maximum_numerator_and_sum) {
    const auto trace = walk(PositionKind::sinusoidal, Skip::value, false);
    const MatrixView scores = trace->view(Tensor::scores, 0, 2);
    const Arithmetic a = explained(*trace, Step::softmax, 2, 4, 7);
    EXPECT_EQ(a.row_max, scores.eigen().row(4).maxCoeff());
    EXPECT_NEAR(a.numerator, std::exp(static_cast<double>(scores(4, 7)) - a.row_max), 1e-7);
    double sum = 0;
    for (Index m = 0; m < scores.cols; ++m)
        sum += std::exp(static_cast<double>(scores(4, m)) - a.row_max);
    EXPECT_NEAR(a.sum, sum, 1e-9);
    EXPECT_EQ(a.terms.size(), static_cast<std::size_t>(scores.cols));
}

// Wrong numbers must be detected at every step, even small errors.
TEST(Arithmetic, disagrees_with_a_corrupted_result) {
    const auto trace = walk(PositionKind::sinusoidal, Skip::value, true);
    for (const Step id : trace->steps()) {
        const Node& step = *trace->node(id);
        if (step.op == Op::frame) continue;  // nothing to compare it with
        Trace corrupt = *trace;
        const Tensor kept = step.result();
        Matrix changed = corrupt.all(kept).eigen();
        const float right = changed(3, 5);
        changed(3, 5) += 1e-3F * std::max(1.0F, std::abs(right));
        corrupt.set(kept, make_result(std::move(changed)));
        EXPECT_TRUE(explained(*trace, step.id, 0, 3, 5).agrees) << step.name();
        EXPECT_FALSE(explained(corrupt, step.id, 0, 3, 5).agrees) << step.name();
        EXPECT_TRUE(explained(corrupt, step.id, 0, 3, 4).agrees) << step.name() << ", beside it";
        EXPECT_TRUE(explained(*trace, step.id, 0, 3, 5).agrees) << step.name() << ", afterwards";
    }
}

// A layer on given tokens, with masks, non-finite numbers, and keys other than queries.
std::shared_ptr<const Trace> layer(Matrix tokens, Matrix values, std::shared_ptr<const Mask> mask) {
    AttentionConfig config;
    config.dim = 6;
    config.channels = 8;
    config.heads = 2;
    config.skip = Skip::none;
    return run_layer({1, std::move(tokens), std::move(values), std::move(mask)}, config,
                     std::make_shared<const AttentionWeights>(draw_weights(config, 3)));
}

void expect_layer_explained(const Trace& trace, std::initializer_list<Step> steps) {
    for (const Step step : steps)
        for (Index head = 0; head < 2; ++head) {
            const MatrixView result = trace.view(trace.node(step)->result(), 0, head);
            for (Index r = 0; r < result.rows; ++r)
                for (Index c = 0; c < result.cols; ++c) {
                    const Arithmetic a = explained(trace, step, head, r, c);
                    ASSERT_TRUE(a.agrees)
                        << info(step).name << ", head " << head << ", cell (" << r << ", " << c
                        << "): " << a.recomputed << " against " << a.shown;
                }
        }
}

TEST(Arithmetic, agrees_on_blocked_cells) {
    auto mask = std::make_shared<Mask>(*make_mask({{MaskKind::causal}}, nullptr, {}, 5, 5));
    std::fill_n(mask->blocked.begin() + 10, 5, std::uint8_t{1});  // query 2 is fully masked
    const auto trace = layer(random_matrix(5, 6, 1), {}, mask);
    expect_layer_explained(
        *trace, {Step::heads, Step::products, Step::scale, Step::mask, Step::softmax, Step::mix,
                 Step::concat, Step::project, Step::skip});
    EXPECT_EQ(explained(*trace, Step::mask, 0, 0, 3).recomputed, -kInfinity);
    EXPECT_EQ(explained(*trace, Step::softmax, 0, 2, 1).recomputed, 0.0);
    for (const Step step : {Step::mask, Step::softmax, Step::mix})
        for (const Index row : {0, 1, 2, 3, 4})
            EXPECT_EQ(explained(*trace, step, 1, row, 2).row_blocked, row == 2)
                << info(step).name << " " << row;
}

TEST(Arithmetic, agrees_where_numbers_are_added) {
    auto mask = std::make_shared<Mask>(*make_mask({{MaskKind::causal}}, nullptr, {}, 5, 5));
    mask->heads = 2;
    for (int i = 0; i < 2 * 5 * 5; ++i) mask->added.push_back(0.25F * static_cast<float>(i));
    std::fill_n(mask->added.begin() + 25 + 10, 5, -kInfinity);  // head 1
    const auto trace = layer(random_matrix(5, 6, 1), {}, mask);
    expect_layer_explained(*trace,
                           {Step::products, Step::scale, Step::mask, Step::softmax, Step::mix});
    const Arithmetic a = explained(*trace, Step::mask, 1, 4, 1);
    EXPECT_NEAR(a.recomputed, a.sum + 0.25 * (25 + 21), 1e-5);
    EXPECT_EQ(explained(*trace, Step::mask, 0, 0, 3).recomputed, -kInfinity);
    EXPECT_EQ(explained(*trace, Step::softmax, 1, 2, 1).recomputed, 0.0);
    for (const Index head : {0, 1})  // only in head 1 is its row fully masked
        EXPECT_EQ(explained(*trace, Step::mix, head, 2, 1).row_blocked, head == 1);
    // The same if products and scores are not kept.
    Trace lean = *trace;
    lean.set(Tensor::products, nullptr);
    lean.set(Tensor::scores, nullptr);
    expect_layer_explained(lean, {Step::softmax});
}

TEST(Arithmetic, agrees_that_a_bad_token_makes_nan) {
    for (const float bad : {kNaN, kInfinity}) {
        Matrix tokens = random_matrix(5, 6, 1);
        tokens(2, 1) = bad;
        expect_layer_explained(*layer(tokens, {}, nullptr),
                               {Step::qkv, Step::heads, Step::scale, Step::softmax, Step::mix,
                                Step::concat, Step::project, Step::skip});
    }
}

// A double can hold a number that overflows float.
TEST(Arithmetic, agrees_that_large_numbers_overflow) {
    for (const float sign : {1.0F, -1.0F}) {
        Trace large = *layer(random_matrix(5, 6, 1), {}, nullptr);
        large.set(Tensor::query, make_result(Matrix::Constant(5, 8, sign * 1e25F)));
        large.set(Tensor::key, make_result(Matrix::Constant(5, 8, 1e25F)));
        const auto show = [&](float value) {
            const MatrixView old = large.all(Tensor::products);
            large.set(Tensor::products, make_result(Matrix::Constant(old.rows, old.cols, value)));
            return explained(large, Step::products, 0, 1, 2);
        };
        EXPECT_TRUE(std::isfinite(show(0).recomputed));
        EXPECT_TRUE(show(sign * kInfinity).agrees);
        for (const float wrong : {-sign * kInfinity, kNaN, sign * 3e38F})
            EXPECT_FALSE(show(wrong).agrees) << wrong;
    }
}

TEST(Arithmetic, explains_cross_attention) {
    const auto trace = layer(random_matrix(5, 6, 1), random_matrix(3, 6, 2), nullptr);
    expect_layer_explained(*trace, {Step::heads, Step::products, Step::scale, Step::softmax,
                                    Step::mix, Step::concat, Step::project, Step::skip});
}

TEST(Arithmetic, of_a_cell_that_is_not_there_is_empty) {
    const auto trace = layer(random_matrix(5, 6, 1), {}, nullptr);
    EXPECT_TRUE(explained(*trace, Step::image, 0, 0, 0).terms.empty());  // it had no image
    EXPECT_TRUE(explained(*trace, Step::scale, 0, 5, 0).terms.empty());
    EXPECT_TRUE(explained(*trace, Step::scale, 0, 0, -1).terms.empty());
    EXPECT_TRUE(explained(*trace, Step::scale, 2, 0, 0).terms.empty());
}

}  // namespace
}  // namespace headlight::arithmetic_test
