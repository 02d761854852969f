#include "gl/smooth.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "cells.h"
#include "gl_test.h"

namespace headlight::gl::smooth_test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Matrix drawn_matrix(int rows, int cols, unsigned seed) {
    Matrix matrix(rows, cols);
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> values(0.001F, 1);
    for (float& cell : matrix.cells) cell = values(random);
    return matrix;
}

CellGrid grid_of(const Matrix& m) { return {m.cells.data(), m.rows, m.cols, m.cols}; }

// All cells, weighted by a tent function around their centers; the outermost ones repeat beyond the
// border. Non-finite cells are ignored.
double naive(const Matrix& m, double row, double col) {
    double sum = 0, weights = 0;
    for (int r = -1; r <= m.rows; ++r)
        for (int c = -1; c <= m.cols; ++c) {
            const double down = std::max(0.0, 1 - std::abs(row - 0.5 - r)),
                         right = std::max(0.0, 1 - std::abs(col - 0.5 - c));
            const float value = m.at(std::clamp(r, 0, m.rows - 1), std::clamp(c, 0, m.cols - 1));
            if (!std::isfinite(value)) continue;
            sum += down * right * value;
            weights += down * right;
        }
    return sum / weights;
}

TEST(Smooth, is_bilinear_between_middles) {
    const Matrix m = drawn_matrix(5, 8, 3);
    for (double row = 0; row <= 5; row += 0.17)
        for (double col = 0; col <= 8; col += 0.13)
            EXPECT_NEAR(between_middles(grid_of(m), row, col), naive(m, row, col), 1e-6)
                << row << ", " << col;
    for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 8; ++c)
            EXPECT_FLOAT_EQ(between_middles(grid_of(m), r + 0.5, c + 0.5), m.at(r, c));
}

// torch.nn.functional.interpolate(torch.tensor([[[[0., 1.], [2., 4.]]]]), size=(4, 4),
// mode="bilinear")
TEST(Smooth, is_as_pytorch_has_it) {
    Matrix m = drawn_matrix(2, 2, 1);
    m.cells = {0, 1, 2, 4};
    const std::vector<float> expected{0.0F, 0.25F,   0.75F,   1.0F,  0.5F, 0.8125F, 1.4375F, 1.75F,
                                      1.5F, 1.9375F, 2.8125F, 3.25F, 2.0F, 2.5F,    3.5F,    4.0F};
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_FLOAT_EQ(between_middles(grid_of(m), (static_cast<double>(i / 4) + 0.5) / 2,
                                        (static_cast<double>(i % 4) + 0.5) / 2),
                        expected[i])
            << i;
}

TEST(Smooth, leaves_away_what_is_no_number) {
    Matrix m = drawn_matrix(4, 4, 9);
    m.at(1, 2) = kNaN;
    m.at(3, 0) = kInfinity;
    for (double row = 0.05; row < 4; row += 0.1)
        for (double col = 0.05; col < 4; col += 0.1) {
            const float own = m.at(static_cast<int>(row), static_cast<int>(col));
            const float found = between_middles(grid_of(m), row, col);
            if (std::isnan(own))
                EXPECT_TRUE(std::isnan(found));
            else if (std::isinf(own))
                EXPECT_EQ(found, own);
            else
                EXPECT_NEAR(found, naive(m, row, col), 1e-6) << row << ", " << col;
        }
}

class SmoothTest : public GlTest {
  protected:
    std::vector<Rgba> draw(const Matrix& m, const CellWindow& window, int width, int height,
                           const HeatmapStyle& style) {
        const HeatmapTexture texture(m.cells.data(), m.rows, m.cols, m.cols);
        RenderTarget target(width, height);
        renderer_.draw(texture, window, style, target);
        return read_texture(target.texture(), width, height);
    }
    // The largest difference between two colors' channels.
    static int apart(const Rgba& a, const Rgb& b) {
        return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
    }
    void expect_numbers_between(const Matrix& m, const CellWindow& window,
                                const HeatmapStyle& style) {
        constexpr int kWidth = 97, kHeight = 83;
        const std::vector<Rgba> pixels = draw(m, window, kWidth, kHeight, style);
        int wrong = 0;
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                const double row = window.row + (y + 0.5) * window.rows / kHeight,
                             col = window.col + (x + 0.5) * window.cols / kWidth;
                const Rgba& shown = pixels[static_cast<std::size_t>(y * kWidth + x)];
                if (row < 0 || col < 0 || row >= m.rows || col >= m.cols) {
                    EXPECT_EQ(shown.a, 0) << x << ", " << y;
                    continue;
                }
                // Plus one step of the color map, because the GPU rounds differently.
                const float value = between_middles(grid_of(m), row, col);
                const bool cut = style.cut && std::abs(value - style.high) < 1e-4F;
                if (!cut && apart(shown, color_of(style, value)) > 8) ++wrong;
            }
        EXPECT_EQ(wrong, 0);
    }

  private:
    HeatmapRenderer renderer_;
};

HeatmapStyle smooth_style() {
    HeatmapStyle style;
    style.map = ColorMap::magma;
    style.smooth = true;
    return style;
}

TEST_F(SmoothTest, shader_shows_the_numbers_between) {
    const Matrix m = drawn_matrix(7, 9, 5);
    HeatmapStyle style = smooth_style();
    expect_numbers_between(m, m.whole(), style);
    expect_numbers_between(m, {1.25F, 2.5F, 3.5F, 4.75F}, style);
    expect_numbers_between(m, {-1, -0.5F, 9, 11}, style);
    style.curve = Curve::logarithm;
    style.low = 0.01F;
    expect_numbers_between(m, m.whole(), style);
    style.curve = Curve::square_root;
    style.low = 0;
    style.high = 0.7F;
    style.cut = true;
    expect_numbers_between(m, m.whole(), style);
}

// Halfway between black and white is the number with the map's middle color, not the mean of the
// two colors.
TEST_F(SmoothTest, mixes_numbers_and_not_colors) {
    Matrix m = drawn_matrix(1, 2, 1);
    m.cells = {0, 1};
    HeatmapStyle style = smooth_style();
    style.map = ColorMap::viridis;
    const auto pixels = draw(m, m.whole(), 101, 1, style);
    EXPECT_LE(apart(pixels[50], sample(style.map, 0.5F)), 3);
    const Rgb first = sample(style.map, 0), last = sample(style.map, 1);
    const Rgb mixed((first.r + last.r) / 2, (first.g + last.g) / 2, (first.b + last.b) / 2);
    EXPECT_GT(apart(pixels[50], mixed), 8);
}

TEST_F(SmoothTest, keeps_what_is_no_number_in_its_square) {
    Matrix m = drawn_matrix(3, 3, 4);
    m.at(1, 1) = kNaN;
    m.at(0, 2) = -kInfinity;
    const HeatmapStyle style = smooth_style();
    expect_numbers_between(m, m.whole(), style);
    const auto pixels = draw(m, m.whole(), 30, 30, style);
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 30; ++x) {
            const bool inside = x / 10 == 1 && y / 10 == 1;
            EXPECT_EQ(pixels[static_cast<std::size_t>(y * 30 + x)] == opaque(style.nan), inside)
                << x << ", " << y;
        }
}

TEST_F(SmoothTest, where_a_pixel_holds_cells_shows_the_farthest) {
    const Matrix m = drawn_matrix(40, 60, 8);
    HeatmapStyle style = smooth_style();
    const auto smooth = draw(m, m.whole(), 25, 17, style);
    style.smooth = false;
    EXPECT_EQ(smooth, draw(m, m.whole(), 25, 17, style));
}

}  // namespace
}  // namespace headlight::gl::smooth_test
