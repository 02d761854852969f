#include "analysis/scene_heads.h"

#include <gtest/gtest.h>

#include "naive.h"
#include "scene/random_scene.h"

namespace headlight::scene_heads_test {
namespace {

using naive::random_matrix;

const TokenLayout kLayout{1, 0, 0, 100};
constexpr Index kTokens = 101;

PatchGrid ten_by_ten() { return make_patch_grid(80, 80, {8, 8, Ragged::pad}); }

// [H·N, N], rows that sum to 1.
Matrix random_attention(Index heads, std::uint32_t seed) {
    Matrix maps = random_matrix(heads * kTokens, kTokens, seed).cwiseAbs();
    for (Index row = 0; row < maps.rows(); ++row) maps.row(row) /= maps.row(row).sum();
    return maps;
}

struct Case {
    ShapeScene scene;
    SceneTruth truth;
    std::vector<int> twins;
};

Case case_of(std::uint64_t seed) {
    const ShapeScene scene = random_scene(seed);
    return {scene, truth_of(scene, draw_scene(scene), 8), twins_of(scene)};
}

void add(SceneHeads& heads, const Matrix& attention, Index count, const Case& one) {
    heads.add(MatrixView(attention), count, kLayout, ten_by_ten(), one.truth, one.twins);
}

// Sums in the other order: key by key, looking up the category of each pair.
struct Naive {
    double own = 0, twin = 0, other = 0, background = 0, prefix = 0, readers = 0;
    double twin_patch = 0, other_patch = 0;
    double class_pair = 0, class_other = 0, scenes = 0;

    void add(const Matrix& a, Index head, const Case& one) {
        const auto& shape = one.truth.shape;
        const auto twin_of = [&](std::size_t p) {
            return shape[p] < 0 ? -1 : one.twins[static_cast<std::size_t>(shape[p])];
        };
        bool pair = false;
        for (std::size_t q = 0; q < 100; ++q) {
            if (twin_of(q) < 0) continue;
            pair = true;
            ++readers;
            const Index row = head * kTokens + 1 + static_cast<Index>(q);
            prefix += a(row, 0);
            double to_twin = 0, to_other = 0, twins = 0, others = 0;
            for (std::size_t k = 0; k < 100; ++k) {
                const double value = a(row, 1 + static_cast<Index>(k));
                if (shape[k] < 0)
                    background += value;
                else if (shape[k] == shape[q])
                    own += value;
                else if (shape[k] == twin_of(q))
                    to_twin += value, ++twins;
                else
                    to_other += value, ++others;
            }
            twin += to_twin;
            other += to_other;
            if (others == 0) continue;
            twin_patch += to_twin / twins;
            other_patch += to_other / others;
        }
        if (!pair) return;
        ++scenes;
        for (std::size_t k = 0; k < 100; ++k) {
            const double value = a(head * kTokens, 1 + static_cast<Index>(k));
            if (shape[k] >= 0 && twin_of(k) >= 0) class_pair += value;
            if (shape[k] >= 0 && twin_of(k) < 0) class_other += value;
        }
    }
};

TEST(SceneHeads, equal_a_naive_count_over_many_scenes) {
    SceneHeads heads;
    Naive naive[2];
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        const Case one = case_of(seed);
        const Matrix attention = random_attention(2, seed);
        add(heads, attention, 2, one);
        naive[0].add(attention, 0, one);
        naive[1].add(attention, 1, one);
    }
    const auto result = heads.result();
    ASSERT_EQ(result.size(), 2U);
    for (std::size_t h = 0; h < 2; ++h) {
        const Naive& n = naive[h];
        ASSERT_GT(n.readers, 200);
        const KinShares& pair = result[h].pair;
        EXPECT_NEAR(pair[Kin::own], n.own / n.readers, 1e-9);
        EXPECT_NEAR(pair[Kin::twin], n.twin / n.readers, 1e-9);
        EXPECT_NEAR(pair[Kin::other], n.other / n.readers, 1e-9);
        EXPECT_NEAR(pair[Kin::background], n.background / n.readers, 1e-9);
        EXPECT_NEAR(pair[Kin::prefix], n.prefix / n.readers, 1e-9);
        EXPECT_NEAR(result[h].twin_to_other, n.twin_patch / n.other_patch, 1e-9);
        const KinShares& cls = result[h].class_token;
        EXPECT_NEAR(cls[Kin::own] + cls[Kin::twin], n.class_pair / n.scenes, 1e-9);
        EXPECT_NEAR(cls[Kin::other], n.class_other / n.scenes, 1e-9);
    }
}

TEST(SceneHeads, of_even_attention_are_the_areas) {
    SceneHeads heads;
    const Matrix even = Matrix::Constant(kTokens, kTokens, 1.0F / kTokens);
    for (std::uint64_t seed = 0; seed < 20; ++seed) add(heads, even, 1, case_of(seed));
    const SceneHeadNumbers n = heads.result().at(0);
    for (std::size_t kin = 0; kin < kKins; ++kin)
        EXPECT_NEAR(n.pair.at(kin), n.by_area.at(kin), 1e-6);
    EXPECT_NEAR(n.by_area[Kin::prefix], 1.0 / kTokens, 1e-9);
    EXPECT_NEAR(n.twin_to_other, 1, 1e-6);
    EXPECT_NEAR(n.numbers[HeadMeasure::entropy], std::log2(101.0), 1e-5);
}

TEST(SceneHeads, add_up_over_parts) {
    SceneHeads whole, first, second;
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
        const Case one = case_of(seed);
        const Matrix attention = random_attention(1, seed);
        add(whole, attention, 1, one);
        add(seed < 4 ? first : second, attention, 1, one);
    }
    first.add(second);
    EXPECT_NEAR(first.result()[0].pair[Kin::twin], whole.result()[0].pair[Kin::twin], 1e-12);
    EXPECT_NEAR(first.result()[0].numbers[HeadMeasure::distance],
                whole.result()[0].numbers[HeadMeasure::distance], 1e-9);
}

TEST(SceneHeads, refuse_what_does_not_fit) {
    SceneHeads heads;
    const Case one = case_of(1);
    EXPECT_EQ(
        naive::sentence_of<AnalysisError>([&] { add(heads, random_attention(1, 0), 2, one); }),
        "Attention over a scene of 100 patches: expected [202, 101], found [101, 101].");
}

}  // namespace
}  // namespace headlight::scene_heads_test
