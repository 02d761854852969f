#include "patches/region.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "analysis/region_share.h"
#include "naive.h"

namespace headlight::region_test {
namespace {

using naive::random_matrix;
using naive::sentence_of;

Image mask_of(int height, int width, const std::function<float(int, int)>& value) {
    Image mask{height, width, 1, {}};
    for (int r = 0; r < height; ++r)
        for (int c = 0; c < width; ++c) mask.values.push_back(value(r, c));
    return mask;
}

PatchGrid grid_of(int height, int width, int size) {
    return make_patch_grid(height, width, {size, size, Ragged::pad});
}

TEST(Region, is_written_and_read) {
    const Region region{4, 5, {0, 3, 4, 5, 9, 18, 19}};
    EXPECT_EQ(text_of_patches(region), "0,3-5,9,18-19");
    EXPECT_EQ(region_from_text("0,3-5,9,18-19", 4, 5), region);
    EXPECT_EQ(region_from_text("", 4, 5), (Region{4, 5, {}}));
    for (const char* wrong : {"20", "3-1", "5,3", "3,3", "3,", "-1", "x", "3 4", "1-20", "1-"})
        EXPECT_FALSE(region_from_text(wrong, 4, 5)) << wrong;
}

TEST(Region, takes_patches_in_and_out) {
    Region region = rectangle_region(4, 5, 13, 6);  // opposite corners in any order
    EXPECT_EQ(text_of_patches(region), "6-8,11-13");
    region = with_patches(std::move(region), 8, 11, false);
    EXPECT_EQ(text_of_patches(region), "6-7,12-13");
    region = with_patches(std::move(region), 0, 6, true);
    EXPECT_EQ(text_of_patches(region), "0-7,12-13");
    EXPECT_TRUE(region.contains(12));
    EXPECT_FALSE(region.contains(11));
}

TEST(Region, lies_in_the_same_place_on_another_grid) {
    const Region quarter = rectangle_region(4, 4, 0, 5);  // top left
    EXPECT_EQ(region_on(quarter, 2, 2), (Region{2, 2, {0}}));
    EXPECT_EQ(region_on(quarter, 8, 8), rectangle_region(8, 8, 0, 27));
    EXPECT_EQ(region_on(quarter, 4, 4), quarter);
    EXPECT_TRUE(region_on({}, 4, 4).empty());
}

// A patch is inside if at least half of its pixels are, counted one by one.
TEST(Region, of_a_mask_has_the_patches_that_it_covers_by_half) {
    const auto inside = [](int r, int c) { return (r - 9) * (r - 9) + (c - 14) * (c - 14) < 60; };
    Preprocessing as_it_is;
    as_it_is.height = 20;
    as_it_is.width = 28;
    for (const float bright : {1.0F, 1.0F / 255}) {
        const Image mask = mask_of(20, 28, [&](int r, int c) { return inside(r, c) ? bright : 0; });
        const PatchGrid grid = grid_of(20, 28, 4);
        std::vector<int> expected;
        for (int patch = 0; patch < grid.count(); ++patch) {
            int count = 0;
            for (int i = 0; i < 16; ++i)
                count += inside(patch / 7 * 4 + i / 4, patch % 7 * 4 + i % 4) ? 1 : 0;
            if (count >= 8) expected.push_back(patch);
        }
        EXPECT_EQ(region_of_mask(mask, "m.png", 20, 28, as_it_is, grid).patches, expected);
    }
}

TEST(Region, of_a_mask_is_framed_as_the_picture_is) {
    // The right half of a wide picture, which is cropped to its central square.
    const Image mask = mask_of(32, 64, [](int, int c) { return c < 32 ? 0.0F : 1.0F; });
    Preprocessing how;
    how.height = how.width = 16;
    EXPECT_EQ(region_of_mask(mask, "m", 32, 64, how, grid_of(16, 16, 4)),
              rectangle_region(4, 4, 2, 15));
    // If it is fitted instead, the padding above and below is outside.
    how.framing = Framing::fit;
    EXPECT_EQ(region_of_mask(mask, "m", 32, 64, how, grid_of(16, 16, 4)),
              rectangle_region(4, 4, 6, 11));
}

TEST(Region, refuses_masks_that_fit_no_patch) {
    Preprocessing how;
    how.height = how.width = 16;
    const PatchGrid grid = grid_of(16, 16, 4);
    const Image dark = mask_of(16, 16, [](int, int) { return 0.0F; });
    EXPECT_EQ(
        sentence_of<ImageError>([&] { region_of_mask(dark, "m.png", 16, 16, how, grid); }),
        "m.png: expected a mask that covers at least half of one patch, found one that covers "
        "less of every patch.");
    EXPECT_EQ(
        sentence_of<ImageError>([&] { region_of_mask(dark, "m.png", 32, 16, how, grid); }),
        "m.png: expected a mask of the picture's size, 16 × 32 pixels, found 16 × 16 pixels.");
}

TEST(RegionShare, is_the_sum_over_its_patches) {
    const Matrix map = random_matrix(3, 4, 5).cwiseAbs();
    double sum = 0;
    for (const int patch : {0, 6, 11}) sum += static_cast<double>(map(patch / 4, patch % 4));
    EXPECT_EQ(share_on_region(map, {3, 4, {0, 6, 11}}), sum);
    EXPECT_EQ(share_on_region(MatrixView(map.data(), 1, 12, 12), {3, 4, {0, 6, 11}}), sum);
}

TEST(RegionShare, within_the_region_is_the_mean_over_its_queries) {
    Trace layer;
    layer.layout = {1, 0, 1, 12};
    layer.grid = grid_of(12, 16, 4);
    const Index heads = 2, n = 14;
    layer.shape.heads = heads;
    layer.shape.queries = layer.shape.keys = n;
    Matrix attention = random_matrix(heads * n, n, 3).cwiseAbs();
    for (Index row = 0; row < attention.rows(); ++row)
        attention.row(row) /= attention.row(row).sum();
    layer.set(Tensor::attention, {make_result(attention), Slot::Stacking::heads_down, 0, n, heads});
    const Region region{3, 4, {1, 2, 5, 7}};
    const std::vector<double> found = shares_within_region(layer, region);
    ASSERT_EQ(found.size(), 2);
    for (Index h = 0; h < heads; ++h) {
        double mean = 0;
        for (const int query : region.patches)
            for (const int key : region.patches)
                mean += static_cast<double>(attention(h * n + 2 + query, 2 + key)) / 4;
        EXPECT_NEAR(found[static_cast<std::size_t>(h)], mean, 1e-9);
    }
    EXPECT_TRUE(std::isnan(shares_within_region(layer, Region{3, 4, {}})[0]));
}

}  // namespace
}  // namespace headlight::region_test
