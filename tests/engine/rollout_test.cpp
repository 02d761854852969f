#include "analysis/rollout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "golden.h"
#include "kernels/parallel.h"
#include "naive.h"

namespace headlight::rollout_test {
namespace {

using naive::identical;
using naive::kNaN;
using naive::random_matrix;
using naive::sentence_of;

Matrix of(std::initializer_list<std::initializer_list<float>> rows) { return Matrix(rows); }

Matrix ones(Index rows, Index cols) { return Matrix::Ones(rows, cols); }

Matrix discarded(Matrix map, double ratio) {
    discard_lowest(map, ratio);
    return map;
}

// [H·N, N], rows that sum to 1.
Matrix random_attention(Index heads, Index tokens, std::uint32_t seed) {
    Matrix maps = random_matrix(heads * tokens, tokens, seed).cwiseAbs();
    for (Index row = 0; row < maps.rows(); ++row) maps.row(row) /= maps.row(row).sum();
    return maps;
}

TEST(FuseHeads, takes_mean_max_or_min_cell_by_cell) {
    const Matrix heads = of({{1, 2}, {3, 4}, {5, -2}, {0, 4}});
    EXPECT_TRUE(identical(fuse_heads(heads, 2, HeadFusion::mean), of({{3, 0}, {1.5F, 4}})));
    EXPECT_TRUE(identical(fuse_heads(heads, 2, HeadFusion::max), of({{5, 2}, {3, 4}})));
    EXPECT_TRUE(identical(fuse_heads(heads, 2, HeadFusion::min), of({{1, -2}, {0, 4}})));
    for (const auto fusion : {HeadFusion::mean, HeadFusion::max, HeadFusion::min})
        EXPECT_TRUE(identical(fuse_heads(heads, 1, fusion), heads));
}

TEST(FuseHeads, keep_nan_whichever_head_has_it) {
    for (const auto fusion : {HeadFusion::mean, HeadFusion::max, HeadFusion::min})
        for (Index head = 0; head < 3; ++head) {
            Matrix heads = Matrix::Ones(3, 2);
            heads(head, 1) = kNaN;
            const Matrix map = fuse_heads(heads, 3, fusion);
            EXPECT_EQ(map(0, 0), 1.0F);
            EXPECT_TRUE(std::isnan(map(0, 1)));
        }
}

TEST(FuseHeads, read_their_window_only) {
    const Matrix large = random_matrix(9, 11, 3);
    const MatrixView window = MatrixView(large).block(2, 4, 6, 3);
    EXPECT_TRUE(identical(fuse_heads(window, 2, HeadFusion::max),
                          fuse_heads(Matrix(window.eigen()), 2, HeadFusion::max)));
}

TEST(DiscardLowest, sets_the_smallest_of_the_whole_map_to_zero) {
    const Matrix map = of({{9, 5, 1}, {2, 8, 3}});
    EXPECT_TRUE(identical(discarded(map, 0), map));
    EXPECT_TRUE(identical(discarded(map, 0.5), of({{9, 5, 0}, {0, 8, 0}})));
    EXPECT_TRUE(identical(discarded(map, 0.66), of({{9, 5, 0}, {0, 8, 0}})));  // 3.96 cells: 3
    EXPECT_TRUE(identical(discarded(map, 1), of({{9, 0, 0}, {0, 0, 0}})));
}

TEST(DiscardLowest, counts_the_first_cell_but_keeps_it) {
    EXPECT_TRUE(identical(discarded(of({{1, 4}, {2, 3}}), 0.5), of({{1, 4}, {0, 3}})));
}

TEST(DiscardLowest, of_equal_cells_takes_the_first) {
    const Matrix map = of({{9, 2, 2}, {2, 1, 2}});
    EXPECT_TRUE(identical(discarded(map, 0.5), of({{9, 0, 0}, {2, 0, 2}})));
    EXPECT_TRUE(identical(discarded(ones(2, 2), 0.75), of({{1, 0}, {0, 1}})));
}

TEST(DiscardLowest, never_takes_nan) {
    const Matrix map = discarded(of({{1, kNaN, 3}, {kNaN, 2, kNaN}}), 0.9);
    EXPECT_EQ(map(0, 0), 1.0F);
    EXPECT_EQ(map(0, 2), 0.0F);
    EXPECT_EQ(map(1, 1), 0.0F);
    for (const float bad : {map(0, 1), map(1, 0), map(1, 2)}) EXPECT_TRUE(std::isnan(bad));
    // It does not disturb the order of the others either: 600 of 800 are dropped.
    Matrix large(30, 40);
    for (Index i = 0; i < large.size(); ++i)
        large.data()[i] = i % 3 == 1 ? kNaN : static_cast<float>(i * 7919 % 1200 + 1) / 1200;
    const Matrix rest = discarded(large, 0.5);
    std::vector<float> numbers;
    for (Index i = 0; i < large.size(); ++i) {
        EXPECT_EQ(std::isnan(rest.data()[i]), i % 3 == 1);
        if (i % 3 != 1) numbers.push_back(large.data()[i]);
    }
    std::sort(numbers.begin(), numbers.end());
    for (Index i = 1; i < large.size(); ++i)
        if (i % 3 != 1) {
            EXPECT_EQ(rest.data()[i] == 0, large.data()[i] < numbers[600]) << i;
        }
    EXPECT_EQ(discarded(Matrix(), 0.5).size(), 0);
}

TEST(DiscardLowest, equals_sorting) {
    const Matrix map = random_matrix(40, 30, 5);
    for (const double ratio : {0.01, 0.25, 0.9, 0.999}) {
        std::vector<std::pair<float, Index>> cells;
        for (Index i = 0; i < map.size(); ++i) cells.emplace_back(map.data()[i], i);
        std::sort(cells.begin(), cells.end());
        Matrix expected = map;
        for (std::size_t i = 0; i < static_cast<std::size_t>(1200 * ratio); ++i)
            if (cells[i].second != 0) expected.data()[cells[i].second] = 0;
        EXPECT_TRUE(identical(discarded(map, ratio), expected)) << ratio;
    }
}

TEST(Rollout, of_identities_is_the_identity) {
    Matrix maps(8, 4);
    maps << Matrix::Identity(4, 4), Matrix::Identity(4, 4);
    Rollout rollout({});
    EXPECT_EQ(rollout.result().size(), 0);
    for (int layer = 0; layer < 3; ++layer) rollout.add(maps, 2);
    EXPECT_EQ(rollout.layers(), 3);
    EXPECT_TRUE(identical(rollout.result(), Matrix(Matrix::Identity(4, 4))));
}

// With U of cells 1/N, U·U = U, so ((U + I) / 2)^L = (1 − 2^−L) U + 2^−L I.
TEST(Rollout, of_uniform_attention_halves_what_stays_at_home) {
    Rollout rollout({});
    for (int layer = 0; layer < 5; ++layer) rollout.add(Matrix(Matrix::Constant(8, 8, 0.125F)), 1);
    const float spread = (1 - 1 / 32.0F) / 8;
    for (Index i = 0; i < 8; ++i)
        for (Index j = 0; j < 8; ++j)
            EXPECT_NEAR(rollout.result()(i, j), spread + (i == j ? 1 / 32.0F : 0), 1e-7F);
}

TEST(Rollout, has_the_last_layer_on_the_left) {
    const Matrix first = of({{0, 1}, {0, 1}}), last = of({{1, 0}, {1, 0}});
    Rollout rollout({});
    rollout.add(first, 1);
    rollout.add(last, 1);
    // [[1, 0], [½, ½]] · [[½, ½], [0, 1]]
    EXPECT_TRUE(identical(rollout.result(), of({{0.5F, 0.5F}, {0.25F, 0.75F}})));
}

TEST(Rollout, shares_out_one_in_each_row_whatever_is_discarded) {
    for (const auto fusion : {HeadFusion::mean, HeadFusion::max, HeadFusion::min}) {
        Rollout rollout({fusion, 0.8, RolloutNormalisation::rows});
        for (std::uint32_t layer = 0; layer < 12; ++layer)
            rollout.add(random_attention(4, 50, layer), 4);
        const Eigen::VectorXf sums = rollout.result().rowwise().sum();
        EXPECT_NEAR(sums.minCoeff(), 1, 1e-5);
        EXPECT_NEAR(sums.maxCoeff(), 1, 1e-5);
    }
}

// If each row sums to 1, there is nothing to normalize.
TEST(Rollout, variants_agree_without_discarding) {
    Rollout published({}), variant({HeadFusion::mean, 0, RolloutNormalisation::vit_explain});
    for (std::uint32_t layer = 0; layer < 3; ++layer) {
        published.add(random_attention(2, 20, layer), 2);
        variant.add(random_attention(2, 20, layer), 2);
    }
    EXPECT_LT((published.result() - variant.result()).cwiseAbs().maxCoeff(), 1e-6F);
}

TEST(Rollout, divides_rows_or_as_vit_explain_columns) {
    const Matrix maps = of({{1, 0.5F}, {0.5F, 0}, {0, 0.5F}, {3, 0}});
    // Fused by max [[1, ½], [3, 0]]; with the skip [[1, ¼], [1½, ½]], whose rows sum to 1¼ and 2.
    const auto one_layer = [&](RolloutNormalisation normalisation) {
        Rollout rollout({HeadFusion::max, 0, normalisation});
        rollout.add(maps, 2);
        return rollout.result();
    };
    EXPECT_TRUE(
        identical(one_layer(RolloutNormalisation::rows), of({{0.8F, 0.2F}, {0.75F, 0.25F}})));
    EXPECT_TRUE(identical(one_layer(RolloutNormalisation::vit_explain),
                          of({{0.8F, 0.125F}, {1.2F, 0.25F}})));
}

// name: "rollout.max.0.3.rows"
void expect_golden(const TensorMap& golden, const std::string& name,
                   const RolloutSettings& settings) {
    Rollout rollout(settings);
    for (int layer = 0; layer < 3; ++layer)
        rollout.add(golden::stacked(golden.at("rollout.layer." + std::to_string(layer))), 3);
    const Matrix expected = golden::stacked(golden.at(name));
    EXPECT_LT((rollout.result() - expected).cwiseAbs().maxCoeff(),
              1e-5F * expected.cwiseAbs().maxCoeff())
        << name;
}

TEST(Rollout, equals_pytorchs) {
    const TensorMap golden = golden::read("analysis.safetensors");
    const std::pair<std::string, HeadFusion> fusions[] = {
        {"mean", HeadFusion::mean}, {"max", HeadFusion::max}, {"min", HeadFusion::min}};
    const std::pair<std::string, double> ratios[] = {{".0.0", 0.0}, {".0.3", 0.3}, {".0.9", 0.9}};
    for (const auto& [fusion_name, fusion] : fusions)
        for (const auto& [ratio_name, ratio] : ratios) {
            std::string name = "rollout.";
            name += fusion_name;
            name += ratio_name;
            expect_golden(golden, name + ".rows", {fusion, ratio, RolloutNormalisation::rows});
            expect_golden(golden, name + ".vit_explain",
                          {fusion, ratio, RolloutNormalisation::vit_explain});
        }
}

TEST(Rollout, is_the_same_on_any_number_of_threads) {
    const auto run = [](int count) {
        set_threads(count);
        Rollout rollout({HeadFusion::max, 0.5, RolloutNormalisation::rows});
        for (std::uint32_t layer = 0; layer < 2; ++layer)
            rollout.add(random_attention(2, 300, layer), 2);
        set_threads(0);
        return rollout.result();
    };
    EXPECT_TRUE(identical(run(1), run(3)));
}

TEST(Rollout, shows_nan_where_it_reaches) {
    Matrix map = random_attention(1, 3, 1);
    map.row(1).setConstant(kNaN);
    Rollout rollout({HeadFusion::mean, 0.5, RolloutNormalisation::rows});
    rollout.add(map, 1);
    EXPECT_TRUE(rollout.result().row(1).array().isNaN().all());
    EXPECT_FALSE(rollout.result().row(0).array().isNaN().any());
}

TEST(Rollout, stops_without_half_a_layer) {
    Rollout rollout({});
    const Matrix map = random_attention(1, 400, 1);
    rollout.add(map, 1);
    const Matrix before = rollout.result();
    for (int asked_before = 0; asked_before < 5; ++asked_before) {
        std::atomic<int> asked{0};
        EXPECT_THROW(rollout.add(map, 1, [&] { return asked++ >= asked_before; }), Stopped);
        EXPECT_EQ(rollout.layers(), 1);
        EXPECT_TRUE(identical(rollout.result(), before));
    }
}

TEST(Rollout, says_what_does_not_fit) {
    const auto said = [](const auto& action) { return sentence_of<AnalysisError>(action); };
    Rollout rollout({});
    rollout.add(random_attention(2, 5, 1), 2);
    EXPECT_EQ(said([&] { rollout.add(ones(7, 5), 2); }),
              "Expected the rows of one map per head, found 7 rows for 2 heads.");
    EXPECT_EQ(said([&] { rollout.add(ones(7, 5), 0); }),
              "Expected the rows of one map per head, found 7 rows for 0 heads.");
    EXPECT_EQ(
        said([&] { rollout.add(ones(8, 5), 2); }),
        "Rollout needs tokens that attend to each other: expected square maps, found [4, 5].");
    EXPECT_EQ(said([&] { rollout.add(random_attention(2, 6, 1), 2); }),
              "Rollout needs the same tokens in every layer: expected 5, found 6.");
    for (const double ratio : {-0.1, 1.1, std::nan("")})
        EXPECT_NE(said([&] {
                      Rollout{{HeadFusion::mean, ratio, RolloutNormalisation::rows}};
                  }),
                  "");
    EXPECT_EQ(rollout.layers(), 1);
}

}  // namespace
}  // namespace headlight::rollout_test
