#include "trace/same_place.h"

#include <gtest/gtest.h>

namespace headlight::same_place_test {
namespace {

TokenPlaces places(TokenLayout layout, const PatchGrid& grid) {
    layout.patches = grid.count();
    return {layout, grid};
}

PatchGrid squares(int height, int width, int size) {
    return make_patch_grid(height, width, {size, size});
}

TEST(SamePlace, a_patch_stays_where_it_is_in_the_picture) {
    // 10 × 20 patches; then 5 × 10, behind a class token and four registers.
    const TokenPlaces fine = places({}, squares(80, 160, 8));
    const TokenPlaces coarse = places({.class_tokens = 1, .registers = 4}, squares(80, 160, 16));
    EXPECT_EQ(token_at_same_place(fine, coarse, 0), 5);
    EXPECT_EQ(token_at_same_place(fine, coarse, 199), 5 + 49);
    EXPECT_EQ(token_at_same_place(fine, coarse, 7 * 20 + 13), 5 + 3 * 10 + 6);
    for (int patch = 0; patch < 50; ++patch)  // there and back
        EXPECT_EQ(token_at_same_place(fine, coarse, token_at_same_place(coarse, fine, 5 + patch)),
                  5 + patch);
}

TEST(SamePlace, windows_on_a_padded_border_are_met_by_their_middle) {
    const TokenPlaces squared = places({}, squares(224, 224, 16));
    PatchGrid windows = squares(224, 224, 16);
    windows.settings.size = 31;
    windows.offset = 14;
    const TokenPlaces split = places({.class_tokens = 1}, windows);
    for (const int patch : {0, 13, 14 * 7 + 7, 195})
        EXPECT_EQ(token_at_same_place(split, squared, 1 + patch), patch);
}

TEST(SamePlace, tokens_that_are_no_patches_stay_what_they_are) {
    const PatchGrid grid = squares(96, 96, 32);
    const TokenPlaces deit = places({.class_tokens = 1, .distillation_tokens = 1}, grid);
    const TokenPlaces dino = places({.class_tokens = 1, .registers = 4}, grid);
    const TokenPlaces bare = places({}, grid);
    EXPECT_EQ(token_at_same_place(dino, deit, 0), 0);
    EXPECT_EQ(token_at_same_place(dino, dino, 3), 3);
    // Without a corresponding token: the middle of the picture.
    EXPECT_EQ(token_at_same_place(deit, dino, 1), 5 + 4);
    EXPECT_EQ(token_at_same_place(dino, bare, 0), 4);
}

}  // namespace
}  // namespace headlight::same_place_test
