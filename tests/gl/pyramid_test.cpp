#include "gl/pyramid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tuple>

namespace headlight::gl::pyramid_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Pyramid, each_texel_holds_the_extremes_of_its_cells) {
    const int rows = 13, cols = 7, stride = 9;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> values(-1, 1);
    std::vector<float> cells(std::size_t{rows} * stride);
    for (float& cell : cells) {
        cell = values(random);
    }
    Grid grid = coarser(cells.data(), rows, cols, stride, true, true);
    for (; grid.rows > 1 || grid.cols > 1; grid = coarser(grid, true, true)) {
        for (int i = 0; i < grid.rows; ++i) {
            for (int j = 0; j < grid.cols; ++j) {
                float low = kInfinity, high = -kInfinity;
                for (int r = i * grid.row_cells; r < std::min((i + 1) * grid.row_cells, rows);
                     ++r) {
                    for (int c = j * grid.col_cells; c < std::min((j + 1) * grid.col_cells, cols);
                         ++c) {
                        low = std::min(low, cells[r * stride + c]);
                        high = std::max(high, cells[r * stride + c]);
                    }
                }
                const Extremes texel = grid.texels[i * grid.cols + j];
                EXPECT_EQ(texel.low, low) << grid.row_cells << ": " << i << ", " << j;
                EXPECT_EQ(texel.high, high) << grid.row_cells << ": " << i << ", " << j;
            }
        }
    }
    EXPECT_EQ(grid.row_cells, 16);
}

TEST(Pyramid, texels_of_any_size_at_once_are_those_of_the_grids_between) {
    const int rows = 27, cols = 13, stride = 17;
    std::mt19937 random(2);
    std::uniform_real_distribution<float> values(-1, 1);
    std::vector<float> cells(std::size_t{rows} * stride);
    for (float& cell : cells) {
        cell = values(random);
    }
    Grid expected = coarser(cells.data(), rows, cols, stride, true, true);
    for (int grain = 2; grain <= 64; grain *= 2, expected = coarser(expected, true, true)) {
        const Grid grid = coarser(cells.data(), rows, cols, stride, grain);
        ASSERT_EQ(std::tie(grid.rows, grid.cols, grid.row_cells, grid.col_cells),
                  std::tie(expected.rows, expected.cols, expected.row_cells, expected.col_cells));
        for (std::size_t i = 0; i < grid.texels.size(); ++i) {
            EXPECT_EQ(grid.texels[i].low, expected.texels[i].low) << grain << ": " << i;
            EXPECT_EQ(grid.texels[i].high, expected.texels[i].high) << grain << ": " << i;
        }
    }
}

TEST(Pyramid, halves_one_axis_alone) {
    const std::vector<float> cells{1, 2, 3, 4, 5, 6};  // 2 × 3
    const Grid flat = coarser(cells.data(), 2, 3, 3, true, false);
    EXPECT_EQ(flat.rows, 1);
    EXPECT_EQ(flat.cols, 3);
    EXPECT_EQ(flat.texels[1].low, 2);
    EXPECT_EQ(flat.texels[1].high, 5);
    const Grid narrow = coarser(cells.data(), 2, 3, 3, false, true);
    EXPECT_EQ(narrow.rows, 2);
    EXPECT_EQ(narrow.cols, 2);
    EXPECT_EQ(narrow.texels[3].low, 6);
    EXPECT_EQ(narrow.texels[2].high, 5);
}

TEST(Pyramid, nan_and_infinity_reach_the_top) {
    for (int place = 0; place < 9; ++place) {
        std::vector<float> cells(9, 0.5F);
        cells[place] = std::nanf("");
        Grid grid = coarser(cells.data(), 3, 3, 3, true, true);
        grid = coarser(grid, true, true);
        EXPECT_TRUE(std::isnan(grid.texels[0].low)) << place;
        EXPECT_TRUE(std::isnan(grid.texels[0].high)) << place;

        cells[place] = -kInfinity;
        grid = coarser(coarser(cells.data(), 3, 3, 3, true, true), true, true);
        EXPECT_EQ(grid.texels[0].low, -kInfinity) << place;
        EXPECT_EQ(grid.texels[0].high, 0.5F) << place;
    }
}

// The guarantee behind the heatmap, tested on many axes.
TEST(Spans, show_every_cell_within_a_pixel_of_its_place) {
    std::mt19937 random(2);
    for (int trial = 0; trial < 3000; ++trial) {
        Axis axis;
        axis.cells = std::uniform_int_distribution(1, 300)(random);
        axis.pixels = std::uniform_int_distribution(1, 60)(random);
        axis.start = std::uniform_real_distribution(-50.0, 250.0)(random);
        axis.length = std::uniform_real_distribution(0.1, 400.0)(random);
        while (true) {
            Axis next = axis;
            next.group *= 2;
            if (next.group > 2 * axis.cells || !fine_enough(next)) {
                break;
            }
            axis = next;
        }
        std::vector<Span> pixels(axis.pixels);
        assign_spans(axis, pixels);

        const double pixel = axis.length / axis.pixels;
        const double stop = axis.start + axis.length;
        for (int cell = 0; cell < axis.cells; ++cell) {
            if (cell + 1 <= axis.start || cell >= stop) {
                continue;
            }
            // The pixels that the cell covers inside the picture.
            const int first = std::max(0, static_cast<int>((cell - axis.start) / pixel));
            const int last =
                std::min(axis.pixels - 1, static_cast<int>((cell + 1 - axis.start) / pixel));
            bool shown = pixel < 1 && (cell < axis.start ||
                                       cell + 1 > stop);  // cut off: the center may be outside
            for (int p = 0; p < axis.pixels; ++p) {
                const int texel = cell / axis.group;
                if (texel < pixels[p].begin || texel >= pixels[p].end) {
                    continue;
                }
                shown = shown || (p >= first - 1 && p <= last + 1);
            }
            ASSERT_TRUE(shown) << "cell " << cell << " of " << axis.cells << ", window "
                               << axis.start << " + " << axis.length << " on " << axis.pixels
                               << " pixels, by " << axis.group;
        }
        for (int p = 0; p < axis.pixels; ++p) {
            const Span span = pixels[p];
            if (axis.group > 1) {
                ASSERT_LE(span.end - span.begin, 5);
            }
            for (int texel = span.begin; texel < span.end; ++texel) {
                // No texel is shown more than a pixel away from its place.
                const double begin = texel * axis.group;
                const double end = std::min(begin + axis.group, static_cast<double>(axis.cells));
                ASSERT_LT(begin, axis.start + (p + 2) * pixel + 1e-6);
                ASSERT_GT(end, axis.start + (p - 1) * pixel - 1e-6);
            }
        }
    }
}

TEST(Spans, magnified_show_the_cell_at_the_pixels_center) {
    const Axis axis{-1.0, 4.0, 8, 2, 1};  // half a cell per pixel; two pixels beside, then 0 0 1 1
    std::vector<Span> pixels(8);
    assign_spans(axis, pixels);
    const int expected[] = {-1, -1, 0, 0, 1, 1, -1, -1};
    for (int p = 0; p < 8; ++p) {
        EXPECT_EQ(pixels[p].end - pixels[p].begin, expected[p] < 0 ? 0 : 1) << p;
        if (expected[p] >= 0) {
            EXPECT_EQ(pixels[p].begin, expected[p]) << p;
        }
    }
}

TEST(Spans, stand_far_windows) {
    std::vector<Span> pixels(3);
    for (const double start : {-1e30, 1e30}) {
        assign_spans({start, 3e10, 3, 100, 1}, pixels);
        for (const Span span : pixels) {
            EXPECT_GE(span.begin, span.end);
        }
    }
}

}  // namespace
}  // namespace headlight::gl::pyramid_test
