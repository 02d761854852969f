// Compares T2T's soft split with torch.nn.Unfold (tests/golden/make_splits.py) and naive loops.
#include "patches/soft_split.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "files/safetensors.h"
#include "tests/source_path.h"

namespace headlight::soft_split_test {
namespace {

TensorMap golden() {
    const std::string path = source_path("tests/golden/splits.safetensors");
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return read_safetensors(std::as_bytes(std::span(text)), path);
}

MatrixView view(const NamedTensor& tensor) {
    return {tensor.values.data(), tensor.shape[0], tensor.shape[1], tensor.shape[1]};
}

TEST(SoftSplit, agrees_with_unfold) {
    const TensorMap tensors = golden();
    int cases = 0;
    for (const auto& [name, expected] : tensors) {
        if (name.starts_with("in ")) continue;
        SCOPED_TRACE(name);
        int rows = 0, cols = 0, kernel = 0, stride = 0, padding = 0;
        char x = 0;
        std::istringstream(name) >> rows >> x >> cols >> kernel >> stride >> padding;
        const NamedTensor& tokens = tensors.at("in " + name);
        const Matrix found = soft_split(view(tokens), rows, cols, kernel, stride, padding);
        EXPECT_EQ(found, view(expected).eigen());
        ++cases;
    }
    EXPECT_EQ(cases, 6);
}

// A token that lists the pixels it consists of, through one split after another.
using Pixels = std::set<std::pair<int, int>>;

std::vector<Pixels> split_pixels(const std::vector<Pixels>& tokens, const PatchGrid& from,
                                 const PatchGrid& to, int kernel, int stride, int padding) {
    std::vector<Pixels> split(static_cast<std::size_t>(to.count()));
    for (int token = 0; token < to.count(); ++token)
        for (int place = 0; place < kernel * kernel; ++place) {
            const int row = token / to.cols * stride - padding + place / kernel;
            const int col = token % to.cols * stride - padding + place % kernel;
            if (row < 0 || row >= from.rows || col < 0 || col >= from.cols) continue;
            split[token].insert(tokens[row * from.cols + col].begin(),
                                tokens[row * from.cols + col].end());
        }
    return split;
}

TEST(SoftSplit, rectangles_hold_exactly_the_tokens_pixels) {
    for (const auto& [height, width] : {std::pair{56, 56}, {37, 50}}) {
        PatchGrid grid = make_patch_grid(height, width, {1, 1, Ragged::pad});
        std::vector<Pixels> tokens;
        tokens.reserve(static_cast<std::size_t>(grid.count()));
        for (int p = 0; p < grid.count(); ++p) tokens.push_back({{p / width, p % width}});
        const int splits[3][3] = {{7, 4, 2}, {3, 2, 1}, {3, 2, 1}};
        for (const auto& [kernel, stride, padding] : splits) {
            const PatchGrid next = soft_split_grid(grid, kernel, stride, padding);
            tokens = split_pixels(tokens, grid, next, kernel, stride, padding);
            grid = next;
            for (int token = 0; token < grid.count(); ++token) {
                const PixelRect rect = grid.rect(token);
                Pixels expected;
                for (int row = rect.row; row < rect.row + rect.height; ++row)
                    for (int col = rect.col; col < rect.col + rect.width; ++col)
                        if (row >= 0 && row < height && col >= 0 && col < width)
                            expected.insert({row, col});
                ASSERT_EQ(tokens[token], expected) << "token " << token << " of " << grid.rows
                                                   << " x " << grid.cols << ", kernel " << kernel;
            }
        }
    }
}

TEST(SoftSplit, t2ts_grids_by_hand) {
    PatchGrid grid = make_patch_grid(224, 224, {1, 1, Ragged::pad});
    grid = soft_split_grid(grid, 7, 4, 2);
    EXPECT_EQ(grid.rows, 56);
    EXPECT_EQ(grid.rect(57), (PixelRect{2, 2, 7, 7}));
    grid = soft_split_grid(grid, 3, 2, 1);
    EXPECT_EQ(grid.cols, 28);
    EXPECT_EQ(grid.rect(0), (PixelRect{-6, -6, 15, 15}));
    grid = soft_split_grid(grid, 3, 2, 1);
    EXPECT_EQ(grid.count(), 196);
    EXPECT_EQ(grid.settings.stride, 16);
    EXPECT_EQ(grid.rect(0), (PixelRect{-14, -14, 31, 31}));
    EXPECT_EQ(grid.rect(195), (PixelRect{194, 194, 31, 31}));
    EXPECT_EQ(grid.used_height, 13 * 16 + 31);
    EXPECT_EQ(grid.patch_at(0, 0), 0);
    EXPECT_EQ(grid.patch_at(2, 17), 15);  // of the four there, the one that starts last
    EXPECT_EQ(grid.patch_at(223, 223), 195);
    EXPECT_EQ(grid.patch_at(-14, -14), 0);
    EXPECT_EQ(grid.patch_at(-15, 0), -1);
    EXPECT_EQ(grid.patch_at(225, 0), -1);
}

// The first split of pixels is the same as cutting overlapping patches with padding.
TEST(SoftSplit, of_pixels_is_cutting_patches) {
    Image image{13, 10, 3, {}};
    for (int i = 0; i < 13 * 10 * 3; ++i) image.values.push_back(static_cast<float>(i % 97));
    const PatchGrid grid = soft_split_grid(make_patch_grid(13, 10, {1, 1, Ragged::pad}), 7, 4, 2);
    const MatrixView pixels{image.values.data(), 130, 3, 3};
    EXPECT_EQ(soft_split(pixels, 13, 10, 7, 4, 2),
              extract_patches(image, grid, {0, 0, 0}, {1, 1, 1}));
}

TEST(SoftSplit, refusals) {
    const Matrix tokens = Matrix::Zero(12, 2);
    EXPECT_THROW(soft_split(tokens, 3, 4, 0, 1, 0), PatchError);
    EXPECT_THROW(soft_split(tokens, 3, 4, 3, 0, 0), PatchError);
    EXPECT_THROW(soft_split(tokens, 3, 4, 3, 1, -1), PatchError);
    EXPECT_THROW(soft_split(tokens, 3, 4, 3, 1, 3), PatchError);
    EXPECT_THROW(soft_split(tokens, 3, 4, 4, 1, 0), PatchError);
    EXPECT_THROW(soft_split(tokens, 0, 4, 1, 1, 0), PatchError);
    EXPECT_THROW(soft_split(tokens, 3, 5, 1, 1, 0), PatchError);
    constexpr int kMost = std::numeric_limits<int>::max();
    EXPECT_THROW(soft_split(tokens, 3, 4, kMost, 1, kMost - 1), PatchError);
    EXPECT_THROW(soft_split(tokens, 3, 4, kMost, kMost, kMost - 1), PatchError);
    const PatchGrid grid = make_patch_grid(100, 100, {4, 4, Ragged::pad});
    EXPECT_THROW(soft_split_grid(grid, 26, 1, 0), PatchError);
    EXPECT_THROW(soft_split_grid(grid, 3, kMost, 1), PatchError);
    EXPECT_THROW(soft_split_grid(grid, kMost, kMost, kMost - 1), PatchError);
}

}  // namespace
}  // namespace headlight::soft_split_test
