#include "analysis/head_numbers.h"

#include <gtest/gtest.h>

#include "analysis/head_table.h"
#include "analysis/summary.h"
#include "golden.h"
#include "kernels/parallel.h"
#include "naive.h"

namespace headlight::head_numbers_test {
namespace {

using M = HeadMeasure;
using naive::kNaN;
using naive::random_matrix;
using naive::sentence_of;

Matrix ones(Index rows, Index cols) { return Matrix::Ones(rows, cols); }

const TokenLayout kPatchesOnly{0, 0, 0, 6};

PatchGrid grid_of(int height, int width, int size, int stride) {
    return make_patch_grid(height, width, {size, stride, Ragged::pad});
}
PatchGrid two_by_three() { return grid_of(16, 24, 8, 8); }

// [H·N, N], rows that sum to 1.
Matrix random_attention(Index heads, Index tokens, std::uint32_t seed) {
    Matrix maps = random_matrix(heads * tokens, tokens, seed).cwiseAbs();
    for (Index row = 0; row < maps.rows(); ++row) maps.row(row) /= maps.row(row).sum();
    return maps;
}

TEST(HeadNumbers, of_uniform_attention) {
    const TokenLayout layout{1, 1, 2, 4};
    const HeadNumbers n =
        head_numbers(Matrix(Matrix::Constant(8, 8, 0.125F)), 1, layout, grid_of(20, 20, 10, 10))
            .at(0);
    EXPECT_NEAR(n[M::entropy], 3, 1e-6);
    EXPECT_EQ(n[M::class_token], 0.125);
    EXPECT_EQ(n[M::distillation_token], 0.125);
    EXPECT_EQ(n[M::registers], 0.25);
    EXPECT_EQ(n[M::itself], 0.125);
    // Each of four corners: itself, two neighbors, and the opposite one.
    EXPECT_NEAR(n[M::distance], (0 + 10 + 10 + 10 * std::sqrt(2.0)) / 4, 1e-5);
}

TEST(HeadNumbers, are_written_as_a_table) {
    Summary summary;
    HeadNumbers one, other;
    one[M::entropy] = 1.5;
    one[M::class_token] = 0.25;
    one[M::registers] = 0;  // there are none
    other[M::entropy] = 0.1;
    other[M::distance] = 20;
    summary.layers = {{one, other}};
    Model model;
    model.layers.resize(1);
    model.layers[0].name = "Layer 1";
    EXPECT_EQ(text_of(table_of_heads(summary, model, {1, 0, 0, 4}), ';'),
              "layer;head;entropy, bits;distance, pixels;on the class token;on the distillation "
              "token;on registers;on itself;on neighbors\n1;1;1.5;;0.25;;;;\n1;2;0.1;20;;;;;\n");
}

TEST(HeadNumbers, of_the_identity) {
    const HeadNumbers n =
        head_numbers(Matrix(Matrix::Identity(6, 6)), 1, kPatchesOnly, two_by_three()).at(0);
    EXPECT_EQ(n[M::entropy], 0.0);
    EXPECT_FALSE(std::signbit(n[M::entropy]));
    EXPECT_EQ(n[M::distance], 0.0);
    EXPECT_EQ(n[M::itself], 1.0);
    EXPECT_EQ(n[M::class_token] + n[M::distillation_token] + n[M::registers], 0.0);
}

// Each attends to the patch at its right, 16 pixels away, although patches are 8 pixels high.
TEST(HeadNumbers, measure_in_pixels) {
    PatchGrid grid = two_by_three();
    Matrix right = Matrix::Zero(6, 6);
    for (Index i = 0; i < 6; ++i) right(i, i % 3 == 2 ? i : i + 1) = 1;
    EXPECT_NEAR(head_numbers(right, 1, kPatchesOnly, grid)[0][M::distance], 8.0 * 4 / 6, 1e-6);
    const PatchGrid overlapping = grid_of(13, 18, 8, 5);
    ASSERT_EQ(overlapping.count(), 6);
    EXPECT_NEAR(head_numbers(right, 1, kPatchesOnly, overlapping)[0][M::distance], 5.0 * 4 / 6,
                1e-6);
}

TEST(HeadNumbers, leave_what_is_no_patch_out_of_the_distance) {
    const TokenLayout layout{1, 0, 0, 6};
    Matrix a = Matrix::Zero(7, 7);
    a(0, 6) = 1;  // the class token has no position
    for (Index i = 1; i < 7; ++i) a(i, i) = 1;
    a.row(1) << 0.5F, 0.25F, 0.25F, 0, 0, 0, 0;  // half of the rest goes 8 pixels
    a.row(2) << 1, 0, 0, 0, 0, 0, 0;             // nothing remains
    a.row(3).setZero();                          // blocked
    const HeadNumbers n = head_numbers(a, 1, layout, two_by_three()).at(0);
    EXPECT_NEAR(n[M::distance], 4.0 / 4, 1e-6);
    EXPECT_EQ(n[M::class_token], 1.5 / 7);
    EXPECT_EQ(n[M::itself], 3.25 / 7);
    EXPECT_NEAR(n[M::entropy], 1.5 / 7, 1e-6);
}

TEST(HeadNumbers, know_no_distance_without_places_or_queries) {
    const HeadNumbers nowhere =
        head_numbers(Matrix(Matrix::Identity(6, 6)), 1, kPatchesOnly, PatchGrid{}).at(0);
    EXPECT_TRUE(std::isnan(nowhere[M::distance]));
    EXPECT_EQ(nowhere[M::itself], 1.0);
    const HeadNumbers blocked =
        head_numbers(Matrix(Matrix::Zero(6, 6)), 1, kPatchesOnly, two_by_three()).at(0);
    EXPECT_TRUE(std::isnan(blocked[M::distance]));
    EXPECT_EQ(blocked[M::entropy], 0.0);
}

TEST(HeadNumbers, keep_a_bad_row_to_its_head) {
    Matrix a = random_attention(2, 6, 1);
    a.row(4).setConstant(kNaN);
    const std::vector<HeadNumbers> heads = head_numbers(a, 2, kPatchesOnly, two_by_three());
    for (const double bad : {heads[0][M::entropy], heads[0][M::distance], heads[0][M::itself]})
        EXPECT_TRUE(std::isnan(bad));
    EXPECT_EQ(heads[0][M::class_token], 0.0);  // there is no class token
    for (const double good : {heads[1][M::entropy], heads[1][M::distance], heads[1][M::itself]})
        EXPECT_TRUE(std::isfinite(good));
}

TEST(HeadNumbers, read_their_window_only) {
    const Matrix large = random_attention(1, 20, 2);
    const MatrixView window = MatrixView(large).block(3, 5, 12, 6);
    const auto in_place = head_numbers(window, 2, kPatchesOnly, two_by_three());
    const auto copied = head_numbers(Matrix(window.eigen()), 2, kPatchesOnly, two_by_three());
    for (std::size_t h = 0; h < 2; ++h) {
        EXPECT_NEAR(in_place[h][M::entropy], copied[h][M::entropy], 1e-12);
        EXPECT_NEAR(in_place[h][M::distance], copied[h][M::distance], 1e-12);
        EXPECT_EQ(in_place[h][M::itself], copied[h][M::itself]);
    }
}

// Patch by patch and pair by pair: those at most one row and one column away.
TEST(HeadNumbers, count_what_goes_to_the_patches_around_a_patch) {
    const PatchGrid grid = grid_of(50, 40, 10, 10);
    const TokenLayout layout{1, 0, 2, 20, {}};
    const Index prefix = 3, tokens = 23;
    const Matrix a = random_attention(2, static_cast<int>(tokens), 5);
    const auto found = head_numbers(a, 2, layout, grid);
    for (Index h = 0; h < 2; ++h) {
        double sum = 0;
        for (int i = 0; i < 20; ++i)
            for (int j = 0; j < 20; ++j)
                if (i != j && std::abs(i / grid.cols - j / grid.cols) <= 1 &&
                    std::abs(i % grid.cols - j % grid.cols) <= 1)
                    sum += a(h * tokens + prefix + i, prefix + j);
        EXPECT_NEAR(found[static_cast<std::size_t>(h)][M::neighbors], sum / 20, 1e-9);
    }
    EXPECT_TRUE(std::isnan(head_numbers(a, 2, layout, {})[0][M::neighbors]));
}

TEST(HeadNumbers, are_the_same_on_any_number_of_threads) {
    const PatchGrid grid = grid_of(150, 100, 10, 10);
    const Matrix a = random_attention(3, 151, 3);
    const auto run = [&](int count) {
        set_threads(count);
        auto numbers = head_numbers(a, 3, {1, 0, 0, 150, {}}, grid);
        set_threads(0);
        return numbers;
    };
    const auto one = run(1), three = run(3);
    for (std::size_t h = 0; h < 3; ++h) {
        EXPECT_EQ(one[h][M::entropy], three[h][M::entropy]);
        EXPECT_EQ(one[h][M::distance], three[h][M::distance]);
        EXPECT_EQ(one[h][M::class_token], three[h][M::class_token]);
    }
}

void expect_near(double found, float expected, const std::string& what) {
    if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(found)) << what;
    else
        EXPECT_NEAR(found, expected, 1e-5 * std::abs(expected) + 1e-9) << what;
}

void expect_golden(const std::string& name, const TokenLayout& layout, const PatchGrid& grid) {
    const TensorMap golden = golden::read("analysis.safetensors");
    const std::string prefix = "numbers." + name + ".";
    const Matrix a = golden::stacked(golden.at(prefix + "attention"));
    const std::pair<std::string, HeadMeasure> members[] = {
        {"entropy", M::entropy},     {"distance", M::distance},
        {"class", M::class_token},   {"distillation", M::distillation_token},
        {"registers", M::registers}, {"self", M::itself}};
    const std::vector<HeadNumbers> found = head_numbers(a, 3, layout, grid);
    for (const auto& [what, member] : members) {
        if (!golden.contains(prefix + what)) continue;
        const std::vector<float>& means = golden.at(prefix + what).values;
        for (std::size_t h = 0; h < 3; ++h) expect_near(found[h][member], means[h], what);
    }
}

TEST(HeadNumbers, equal_pytorchs) {
    expect_golden("vit", {1, 1, 2, 24, {}}, grid_of(32, 48, 8, 8));
    const PatchGrid overlapping = grid_of(29, 24, 8, 5);
    ASSERT_EQ(overlapping.rows, 6);
    ASSERT_EQ(overlapping.cols, 5);
    expect_golden("overlap", {0, 0, 0, 30, {}}, overlapping);
}

TEST(HeadNumbers, stop_when_told) {
    EXPECT_THROW(head_numbers(Matrix(Matrix::Identity(6, 6)), 1, kPatchesOnly, two_by_three(),
                              [] { return true; }),
                 Stopped);
}

TEST(HeadNumbers, say_what_does_not_fit) {
    const auto said = [](const MatrixView& a, Index heads, const TokenLayout& layout) {
        return sentence_of<AnalysisError>([&] { head_numbers(a, heads, layout, two_by_three()); });
    };
    EXPECT_EQ(said(ones(6, 5), 1, kPatchesOnly),
              "Expected one square map for each of 1 heads, found [6, 5].");
    EXPECT_EQ(said(ones(6, 6), 0, kPatchesOnly),
              "Expected one square map for each of 0 heads, found [6, 6].");
    EXPECT_EQ(said(ones(6, 6), 1, {1, 0, 0, 6, {}}), "Expected attention among 7 tokens, found 6.");
    EXPECT_EQ(said(ones(6, 6), 1, {1, 0, 0, 5, {}}),
              "Expected a place for each of 5 patches, found a grid of 6.");
}

}  // namespace
}  // namespace headlight::head_numbers_test
