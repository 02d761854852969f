#include "patches/patches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headlight::patches_test {
namespace {

// Every pixel of every channel has a unique value.
Image counted(int height, int width, int channels) {
    Image image{height, width, channels, {}};
    for (int i = 0; i < height * width * channels; ++i)
        image.values.push_back(static_cast<float>(i + 1));
    return image;
}

constexpr auto kPad = Ragged::pad;
constexpr auto kCrop = Ragged::crop;

struct Case {
    int height, width;
    PatchSettings settings;
    int rows, cols, used_height, used_width;
};

const Case kCases[] = {
    {224, 224, {16, 16, kPad}, 14, 14, 224, 224},
    {224, 224, {16, 16, kCrop}, 14, 14, 224, 224},
    {10, 13, {4, 4, kPad}, 3, 4, 12, 16},
    {10, 13, {4, 4, kCrop}, 2, 3, 8, 12},
    {10, 13, {4, 3, kPad}, 3, 4, 10, 13},
    {11, 13, {7, 4, kPad}, 2, 3, 11, 15},  // the soft split of T2T-ViT
    {11, 13, {7, 4, kCrop}, 2, 2, 11, 11},
    {5, 5, {1, 1, kPad}, 5, 5, 5, 5},
    {3, 9, {5, 5, kPad}, 1, 2, 5, 10},
    {20, 12, {4, 10, kPad}, 2, 2, 14, 14},  // gaps: no patch starts after the last pixel
    {20, 14, {4, 10, kCrop}, 2, 2, 14, 14},
};

TEST(Patches, grids_by_hand) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(std::to_string(c.height) + " x " + std::to_string(c.width) + ", size " +
                     std::to_string(c.settings.size) + ", stride " +
                     std::to_string(c.settings.stride));
        const PatchGrid grid = make_patch_grid(c.height, c.width, c.settings);
        EXPECT_EQ(grid.rows, c.rows);
        EXPECT_EQ(grid.cols, c.cols);
        EXPECT_EQ(grid.used_height, c.used_height);
        EXPECT_EQ(grid.used_width, c.used_width);
        EXPECT_EQ(grid.count(), c.rows * c.cols);
    }
}

// Compares patch_at with a search through all rectangles, also outside the image.
TEST(Patches, rectangles_and_pixels_agree) {
    for (const Case& c : kCases) {
        const PatchGrid grid = make_patch_grid(c.height, c.width, c.settings);
        std::vector<int> owner(static_cast<std::size_t>(c.height + 8) * (c.width + 8), -1);
        for (int patch = 0; patch < grid.count(); ++patch) {
            const PixelRect rect = grid.rect(patch);
            for (int row = rect.row; row < rect.row + rect.height; ++row)
                for (int col = rect.col; col < rect.col + rect.width; ++col)
                    owner.at(static_cast<std::size_t>(row) * (c.width + 8) + col) = patch;
        }
        for (int row = 0; row < c.height + 8; ++row)
            for (int col = 0; col < c.width + 8; ++col)
                ASSERT_EQ(grid.patch_at(row, col),
                          owner[static_cast<std::size_t>(row) * (c.width + 8) + col])
                    << row << ' ' << col << " size " << c.settings.size << " stride "
                    << c.settings.stride;
        EXPECT_EQ(grid.patch_at(-1, 0), -1);
        EXPECT_EQ(grid.patch_at(0, -1), -1);
    }
}

TEST(Patches, tokens_against_naive_loops) {
    for (const Case& c : kCases) {
        for (const int channels : {1, 3}) {
            const Image image = counted(c.height, c.width, channels);
            const std::vector<float> mean =
                channels == 1 ? std::vector{3.5F} : std::vector{1.F, 2.F, 3.F};
            const std::vector<float> std =
                channels == 1 ? std::vector{2.F} : std::vector{2.F, 4.F, 0.5F};
            const int size = c.settings.size, stride = c.settings.stride;
            const Matrix tokens =
                extract_patches(image, make_patch_grid(c.height, c.width, c.settings), mean, std);
            ASSERT_EQ(tokens.rows(), c.rows * c.cols);
            ASSERT_EQ(tokens.cols(), channels * size * size);
            for (Index n = 0; n < tokens.rows(); ++n)
                for (Index d = 0; d < tokens.cols(); ++d) {
                    const auto channel = static_cast<int>(d) / (size * size);
                    const int row =
                        static_cast<int>(n) / c.cols * stride + static_cast<int>(d) / size % size;
                    const int col =
                        static_cast<int>(n) % c.cols * stride + static_cast<int>(d) % size;
                    const bool inside = row < c.height && col < c.width;
                    const int at = (row * c.width + col) * channels + channel;
                    const float expected =
                        inside ? (image.values[at] - mean[channel]) / std[channel] : 0;
                    ASSERT_EQ(tokens(n, d), expected) << n << ' ' << d;
                }
        }
    }
}

// Planar samples give the same tokens as interleaved images.
TEST(Patches, planes_are_images_in_another_order) {
    const int height = 11, width = 13, channels = 3, samples = 2;
    const PatchGrid grid = make_patch_grid(height, width, {7, 4, kPad});
    const std::vector<float> mean(channels, 0.0F), std(channels, 1.0F);
    std::vector<float> planes;
    Matrix expected(Index{samples} * grid.count(), channels * 49);
    for (int sample = 0; sample < samples; ++sample) {
        Image image = counted(height, width, channels);
        for (float& value : image.values) value += static_cast<float>(1000 * sample);
        for (int c = 0; c < channels; ++c)
            for (int i = 0; i < height * width; ++i)
                planes.push_back(image.values[i * channels + c]);
        expected.middleRows(Index{sample} * grid.count(), grid.count()) =
            extract_patches(image, grid, mean, std);
    }
    EXPECT_EQ(extract_patches(planes, samples, channels, grid), expected);
    EXPECT_THROW(extract_patches(planes, 3, channels, grid), PatchError);
    EXPECT_THROW(extract_patches(planes, samples, 2, grid), PatchError);
    EXPECT_THROW(extract_patches(planes, 0, channels, grid), PatchError);
    EXPECT_THROW(extract_patches(planes, -2, -3, grid), PatchError);
    planes.pop_back();
    EXPECT_THROW(extract_patches(planes, samples, channels, grid), PatchError);
}

TEST(Patches, many_tokens) {
    const PatchGrid grid = make_patch_grid(512, 512, {8, 8, kPad});
    EXPECT_EQ(grid.count(), 4096);
    const Matrix tokens = extract_patches(counted(512, 512, 1), grid, {0}, {1});
    EXPECT_EQ(tokens.rows(), 4096);
    EXPECT_EQ(tokens(4095, 63), 512.0F * 512.0F);
}

// A model's weights fix its patch size, but the image size can be chosen.
TEST(Patches, no_room_for_a_patch_is_mended_by_a_larger_image) {
    try {
        make_patch_grid(8, 15, {16, 16, kCrop});
        FAIL();
    } catch (const PatchError& error) {
        EXPECT_STREQ(error.what(),
                     "Expected room for a patch of 16 x 16, found an image of 15 x 8. Choose a "
                     "larger size for the image.");
    }
}

TEST(Patches, refusals) {
    EXPECT_THROW(make_patch_grid(8, 8, {0, 1, kPad}), PatchError);
    EXPECT_THROW(make_patch_grid(8, 8, {1, 0, kPad}), PatchError);
    EXPECT_THROW(make_patch_grid(0, 8, {1, 1, kPad}), PatchError);
    EXPECT_THROW(make_patch_grid(8, 15, {16, 16, kCrop}), PatchError);
    constexpr int kMost = std::numeric_limits<int>::max();
    EXPECT_THROW(make_patch_grid(kMost, kMost, {1, 1, kPad}), PatchError);
    EXPECT_THROW(make_patch_grid(kMost, 1, {16, 16, kPad}), PatchError);

    const Image image = counted(8, 8, 3);
    const PatchGrid grid = make_patch_grid(8, 8, {4, 4, kPad});
    EXPECT_THROW(extract_patches(image, grid, {0}, {1, 1, 1}), PatchError);
    EXPECT_THROW(extract_patches(image, grid, {0, 0, 0}, {1, 1}), PatchError);
    EXPECT_THROW(extract_patches(image, grid, {0, 0, 0}, {1, 0, 1}), PatchError);
    EXPECT_THROW(extract_patches(image, grid, {0, 0, 0}, {1, NAN, 1}), PatchError);
    EXPECT_THROW(extract_patches(counted(8, 9, 3), grid, {0, 0, 0}, {1, 1, 1}), PatchError);
}

}  // namespace
}  // namespace headlight::patches_test
