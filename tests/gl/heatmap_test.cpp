#include "gl/heatmap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "cells.h"
#include "gl_test.h"

namespace headlight::gl::heatmap_test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Picture {
    int width, height;
    std::vector<Rgba> pixels;
    [[nodiscard]] Rgba at(int x, int y) const {
        return pixels[static_cast<std::size_t>(y) * width + x];
    }
};

class HeatmapTest : public GlTest {
  protected:
    static HeatmapTexture upload(const Matrix& m) {
        return {m.cells.data(), m.rows, m.cols, m.cols};
    }
    Picture draw(const HeatmapTexture& texture, const CellWindow& window, int width, int height,
                 const HeatmapStyle& style) {
        RenderTarget target(width, height);
        renderer_.draw(texture, window, style, target);
        return {width, height, read_texture(target.texture(), width, height)};
    }
    Picture draw(const Matrix& matrix, const CellWindow& window, int width, int height,
                 const HeatmapStyle& style) {
        return draw(upload(matrix), window, width, height, style);
    }

  private:
    HeatmapRenderer renderer_;
};

// Integers 0 ... 255 shown as gray values.
HeatmapStyle plain(float anchor = 0.0F) {
    HeatmapStyle style;
    style.map = ColorMap::grey;
    style.high = 255.0F;
    style.anchor = anchor;
    style.infinite_low = {1, 2, 3};  // not a gray
    return style;
}

Matrix random_matrix(int rows, int cols, unsigned seed) {
    Matrix matrix(rows, cols);
    std::mt19937 random(seed);
    for (float& cell : matrix.cells) {
        // Mostly medium values with few extremes, which could get lost.
        const auto draw = random();
        cell = static_cast<float>(draw % 50 == 0 ? draw / 64 % 256 : 110 + draw / 64 % 36);
    }
    return matrix;
}

// ---- one cell per pixel, and magnified

TEST_F(HeatmapTest, shows_each_cell_in_its_color) {
    Matrix matrix(16, 16);
    for (int i = 0; i < 256; ++i) {
        matrix.cells[i] = static_cast<float>(i);
    }
    for (int i = 0; i < kColorMapCount; ++i) {
        HeatmapStyle style = plain();
        style.map = static_cast<ColorMap>(i);
        const Picture picture = draw(matrix, matrix.whole(), 16, 16, style);
        for (int y = 0; y < 16; ++y) {
            for (int x = 0; x < 16; ++x) {
                EXPECT_EQ(picture.at(x, y), opaque(table(style.map)[16 * y + x]))
                    << name(style.map) << " " << x << ", " << y;
            }
        }
    }
}

TEST_F(HeatmapTest, colors_any_value_as_sample_says) {
    const Matrix source = [] {
        Matrix m(40, 50);
        std::mt19937 random(3);
        std::uniform_real_distribution<float> values(-3.0F, 3.0F);
        for (float& cell : m.cells) {
            cell = values(random);
        }
        return m;
    }();
    HeatmapStyle style;
    style.map = ColorMap::blue_white_red;
    style.low = -2.3F;
    style.high = 2.3F;
    const Picture picture = draw(source, source.whole(), 50, 40, style);
    for (int row = 0; row < 40; ++row) {
        for (int col = 0; col < 50; ++col) {
            const float t = (source.at(row, col) - style.low) / (style.high - style.low);
            EXPECT_EQ(picture.at(col, row), opaque(sample(style.map, t))) << source.at(row, col);
        }
    }
}

// The numbers beside the colors are computed on the CPU. The GPU's logarithm may round to the next
// of the 256 colors, but no further.
TEST_F(HeatmapTest, runs_along_every_curve_as_its_formula_says) {
    Matrix source(60, 80);
    std::mt19937 random(11);
    std::uniform_real_distribution<float> powers(-16.0F, 1.0F);
    for (float& cell : source.cells) cell = std::exp(powers(random));
    source.at(0, 0) = 0.0F;
    source.at(0, 1) = 1.0F;
    HeatmapStyle style;
    style.map = ColorMap::magma;
    style.high = 1.0F;
    style.cut = true;
    style.clipped = {1, 200, 3};
    for (const Curve curve : {Curve::linear, Curve::square_root, Curve::logarithm})
        for (const float low : {1e-5F, 0.02F}) {
            style.curve = curve;
            style.low = low;
            style.anchor = low;
            const Picture picture = draw(source, source.whole(), 80, 60, style);
            for (int row = 0; row < 60; ++row)
                for (int col = 0; col < 80; ++col) {
                    const float value = source.at(row, col);
                    const Rgba shown = picture.at(col, row);
                    if (value > style.high) {
                        ASSERT_EQ(shown, opaque(style.clipped)) << value;
                        continue;
                    }
                    const float t = place_on(curve, value, style.low, style.high);
                    ASSERT_TRUE(shown == opaque(sample(style.map, t)) ||
                                shown == opaque(sample(style.map, t - 0.01F / 255)) ||
                                shown == opaque(sample(style.map, t + 0.01F / 255)))
                        << value << " on curve " << static_cast<int>(curve);
                }
        }
}

TEST_F(HeatmapTest, shows_under_one_pixel_what_is_farthest_along_the_curve) {
    HeatmapStyle style;
    style.map = ColorMap::blue_white_red;
    style.curve = Curve::logarithm;
    style.low = 0.01F;
    style.high = 100.0F;
    style.anchor = 1.0F;
    Matrix matrix(64, 128, 1.0F);
    matrix.at(3, 3) = 0.02F;  // 1/50: farther on this scale than 10 times more
    matrix.at(40, 40) = 10.0F;
    matrix.at(10, 100) = 0.5F;
    matrix.at(20, 80) = 10.0F;
    const Picture picture = draw(matrix, matrix.whole(), 2, 1, style);
    const auto at = [&](float value) {
        return opaque(sample(style.map, place_on(style.curve, value, style.low, style.high)));
    };
    EXPECT_EQ(picture.at(0, 0), at(0.02F));
    EXPECT_EQ(picture.at(1, 0), at(10.0F));
}

TEST_F(HeatmapTest, marks_what_is_cut_even_under_one_pixel) {
    HeatmapStyle style = plain();
    style.high = 200.0F;
    style.cut = true;
    Matrix matrix(100, 100, 10.0F);
    matrix.at(77, 12) = 201.0F;
    const Picture picture = draw(matrix, matrix.whole(), 5, 5, style);
    EXPECT_EQ(std::count(picture.pixels.begin(), picture.pixels.end(), opaque(style.clipped)), 1);
    style.cut = false;
    EXPECT_EQ(draw(matrix, matrix.whole(), 5, 5, style).at(0, 3), opaque({255, 255, 255}));
}

TEST_F(HeatmapTest, magnifies_with_crisp_edges) {
    const Matrix matrix = random_matrix(7, 5, 4);
    const CellWindow window{1.25F, 0.5F, 4.0F, 3.7F};
    const Picture picture = draw(matrix, window, 173, 211, plain());
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) {
            const int row = static_cast<int>(window.row + (y + 0.5) * window.rows / 211);
            const int col = static_cast<int>(window.col + (x + 0.5) * window.cols / 173);
            const auto level = static_cast<std::uint8_t>(matrix.at(row, col));
            ASSERT_EQ(picture.at(x, y), (Rgba{level, level, level, 255})) << x << ", " << y;
        }
    }
}

TEST_F(HeatmapTest, is_transparent_beside_the_matrix) {
    const Matrix matrix(2, 3, 200.0F);
    const Picture picture = draw(matrix, {-1, -2, 4, 6}, 12, 8, plain());  // 2 × 2 pixels a cell
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 12; ++x) {
            const bool inside = y >= 2 && y < 6 && x >= 4 && x < 10;
            EXPECT_EQ(picture.at(x, y), inside ? (Rgba{200, 200, 200, 255}) : kTransparent)
                << x << ", " << y;
        }
    }
    const Picture away = draw(matrix, {500, 500, 4, 6}, 12, 8, plain());
    EXPECT_EQ(std::count(away.pixels.begin(), away.pixels.end(), kTransparent), 12 * 8);
}

TEST_F(HeatmapTest, is_transparent_beside_a_shrunk_matrix) {
    const Matrix matrix(640, 640, 200.0F);
    const Picture picture = draw(matrix, {-640, -640, 1920, 1920}, 90, 90, plain());
    for (int y = 0; y < 90; ++y) {
        for (int x = 0; x < 90; ++x) {
            const bool inside = y >= 30 && y < 60 && x >= 30 && x < 60;
            EXPECT_EQ(picture.at(x, y), inside ? (Rgba{200, 200, 200, 255}) : kTransparent)
                << x << ", " << y;
        }
    }
}

TEST_F(HeatmapTest, shows_rows_and_columns_and_single_cells) {
    const Picture one = draw(Matrix(1, 1, 7.0F), {0, 0, 1, 1}, 9, 9, plain());
    EXPECT_EQ(std::count(one.pixels.begin(), one.pixels.end(), Rgba{7, 7, 7, 255}), 81);

    Matrix line(1, 12288, 10.0F);
    line.at(0, 6000) = 250;
    const Picture wide = draw(line, line.whole(), 803, 20, plain());
    Matrix pole(12288, 1, 10.0F);
    pole.at(6000, 0) = 250;
    const Picture tall = draw(pole, pole.whole(), 20, 803, plain());
    for (int i = 0; i < 803; ++i) {
        const bool peak = std::abs(i - 6000 * 803 / 12288) <= 1;
        for (int k = 0; k < 20; ++k) {
            ASSERT_EQ(wide.at(i, k), tall.at(k, i));
            ASSERT_EQ(wide.at(i, k), wide.at(i, 0));
            ASSERT_TRUE(peak || wide.at(i, k).r == 10) << i;
        }
    }
    EXPECT_EQ(std::count(wide.pixels.begin(), wide.pixels.end(), Rgba{250, 250, 250, 255}), 20);
}

TEST_F(HeatmapTest, keeps_thin_rows_apart_when_columns_shrink) {
    Matrix heads(4, 9000);
    for (int row = 0; row < 4; ++row) {
        std::fill_n(&heads.at(row, 0), 9000, 50.0F * static_cast<float>(row + 1));
    }
    const Picture picture = draw(heads, heads.whole(), 101, 80, plain());
    for (int y = 0; y < 80; ++y) {
        for (int x = 0; x < 101; ++x) {
            ASSERT_EQ(picture.at(x, y).r, 50 * (y / 20 + 1)) << x << ", " << y;
        }
    }
}

TEST_F(HeatmapTest, respects_the_stride_and_foreign_upload_state) {
    std::vector<float> cells(40, 999.0F);  // rows of 10, of which 6 belong to the matrix
    for (int row = 0; row < 4; ++row) {
        for (int col = 0; col < 6; ++col) {
            cells[row * 10 + col] = static_cast<float>(10 * row + col);
        }
    }
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 5);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 1);
    const HeatmapTexture texture(cells.data(), 4, 6, 10);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
    glDeleteBuffers(1, &buffer);
    const Picture same = draw(texture, {0, 0, 4, 6}, 6, 4, plain());
    for (int row = 0; row < 4; ++row) {
        for (int col = 0; col < 6; ++col) {
            EXPECT_EQ(same.at(col, row).r, 10 * row + col);
        }
    }
    const Picture half = draw(texture, {0, 0, 4, 6}, 3, 2, plain());
    EXPECT_EQ(half.at(0, 0).r, 11);
    EXPECT_EQ(half.at(2, 1).r, 35);
}

// ---- NaN and infinity

TEST_F(HeatmapTest, shows_nan_and_infinity_in_colors_of_their_own) {
    Matrix matrix(1, 5, 100.0F);
    matrix.at(0, 1) = kNaN;
    matrix.at(0, 2) = kInfinity;
    matrix.at(0, 3) = -kInfinity;
    matrix.at(0, 4) = -kNaN;
    const HeatmapStyle style = plain();
    const Picture picture = draw(matrix, matrix.whole(), 5, 1, style);
    EXPECT_EQ(picture.at(0, 0), (Rgba{100, 100, 100, 255}));
    EXPECT_EQ(picture.at(1, 0), opaque(style.nan));
    EXPECT_EQ(picture.at(2, 0), opaque(style.infinite_high));
    EXPECT_EQ(picture.at(3, 0), opaque(style.infinite_low));
    EXPECT_EQ(picture.at(4, 0), opaque(style.nan));
}

TEST_F(HeatmapTest, nan_wins_over_infinity_over_numbers_when_shrunk) {
    Matrix matrix(64, 256, 255.0F);
    matrix.at(10, 10) = -kInfinity;  // the first 64 columns, shown as one pixel
    matrix.at(10, 100) = kInfinity;
    matrix.at(60, 65) = -kInfinity;
    matrix.at(5, 130) = kInfinity;
    matrix.at(50, 160) = kNaN;
    const HeatmapStyle style = plain();
    const Picture picture = draw(matrix, matrix.whole(), 4, 1, style);
    EXPECT_EQ(picture.at(0, 0), opaque(style.infinite_low));
    EXPECT_EQ(picture.at(1, 0), opaque(style.infinite_high));
    EXPECT_EQ(picture.at(2, 0), opaque(style.nan));
    EXPECT_EQ(picture.at(3, 0), (Rgba{255, 255, 255, 255}));
}

TEST_F(HeatmapTest, compares_the_largest_floats) {
    constexpr float largest = std::numeric_limits<float>::max();
    Matrix matrix(1, 2, largest);
    matrix.at(0, 1) = -kInfinity;
    const HeatmapStyle style = plain(-largest);
    EXPECT_EQ(draw(matrix, matrix.whole(), 1, 1, style).at(0, 0), opaque(style.infinite_low));
}

// ---- shrunk

// One unusual cell among 9 million must be visible in exactly one pixel, at most one from its
// place.
TEST_F(HeatmapTest, a_single_peak_survives_shrinking) {
    struct Case {
        float background, peak;
        Rgba shown;
        HeatmapStyle style;
    };
    HeatmapStyle diverging = plain(0.0F);
    diverging.map = ColorMap::blue_white_red;
    diverging.low = -1.0F;
    diverging.high = 1.0F;
    const HeatmapStyle grey = plain();
    const Case cases[] = {
        {10, 250, {250, 250, 250, 255}, grey},
        {0.1F, -1, opaque(table(ColorMap::blue_white_red).front()), diverging},
        {-0.1F, 1, opaque(table(ColorMap::blue_white_red).back()), diverging},
        {10, kNaN, opaque(grey.nan), grey},
        {10, kInfinity, opaque(grey.infinite_high), grey},
        {10, -kInfinity, opaque(grey.infinite_low), grey},
    };
    const int row = 1234, col = 2345;
    const CellWindow windows[] = {{0, 0, 3000, 3000},
                                  {-77.3F, -500.7F, 3500, 3800},
                                  {900.4F, 1100.9F, 2000.3F, 1500.1F},
                                  {1234, 2345, 900, 655},
                                  {0, 1500.5F, 1235, 845.5F}};
    const int sizes[][2] = {{800, 800}, {801, 797}, {333, 129}, {37, 41}, {1, 1}, {640, 7}};
    for (const Case& c : cases) {
        Matrix matrix(3000, 3000, c.background);
        matrix.at(row, col) = c.peak;
        const HeatmapTexture texture = upload(matrix);
        for (const CellWindow& w : windows) {
            for (const auto& [width, height] : sizes) {
                const Picture picture = draw(texture, w, width, height, c.style);
                const auto found = std::find(picture.pixels.begin(), picture.pixels.end(), c.shown);
                ASSERT_NE(found, picture.pixels.end())
                    << c.peak << " lost at " << width << " x " << height << ", window from "
                    << w.row << ", " << w.col;
                const auto place = static_cast<int>(found - picture.pixels.begin());
                const int x = place % width, y = place / width;
                EXPECT_NEAR(x, std::floor((col + 0.5 - w.col) / w.cols * width), 1.0);
                EXPECT_NEAR(y, std::floor((row + 0.5 - w.row) / w.rows * height), 1.0);
                EXPECT_EQ(std::count(found, picture.pixels.end(), c.shown), 1);
            }
        }
    }
}

// How much a value stands out; determines which cell under a pixel is shown.
double strength(float value, float anchor) {
    if (std::isnan(value)) {
        return 1e9;
    }
    return std::isinf(value) ? 1e8 + (value > 0 ? 1 : 0)
                             : std::abs(static_cast<double>(value) - anchor);
}

double strength(Rgba shown, const HeatmapStyle& style) {
    if (shown == opaque(style.nan)) {
        return strength(kNaN, 0);
    }
    if (shown == opaque(style.infinite_high)) {
        return strength(kInfinity, 0);
    }
    return shown == opaque(style.infinite_low) ? strength(-kInfinity, 0)
                                               : strength(shown.r, style.anchor);
}

// The strongest cell under each pixel, over all cells that it touches; -1 outside the matrix.
std::vector<double> naive(const Matrix& m, const CellWindow& w, int width, int height,
                          float anchor) {
    std::vector<double> result(static_cast<std::size_t>(width) * height, -1.0);
    const double pixel_rows = static_cast<double>(w.rows) / height;
    const double pixel_cols = static_cast<double>(w.cols) / width;
    const auto first = [](double from) { return std::max(0, static_cast<int>(std::floor(from))); };
    const auto past = [](double to, int count) {
        return std::min(count, static_cast<int>(std::ceil(to)));
    };
    for (int y = 0; y < height; ++y) {
        const double top = w.row + y * pixel_rows;
        for (int x = 0; x < width; ++x) {
            const double left = w.col + x * pixel_cols;
            double& strongest = result[static_cast<std::size_t>(y) * width + x];
            for (int row = first(top); row < past(top + pixel_rows, m.rows); ++row) {
                for (int col = first(left); col < past(left + pixel_cols, m.cols); ++col) {
                    strongest = std::max(strongest, strength(m.at(row, col), anchor));
                }
            }
        }
    }
    return result;
}

double strongest_near(const std::vector<double>& strengths, int width, int height, int x, int y) {
    double strongest = -1.0;
    for (int v = std::max(0, y - 1); v <= std::min(height - 1, y + 1); ++v) {
        for (int u = std::max(0, x - 1); u <= std::min(width - 1, x + 1); ++u) {
            strongest = std::max(strongest, strengths[static_cast<std::size_t>(v) * width + u]);
        }
    }
    return strongest;
}

// Nothing is lost: the naive loop's result for a pixel is shown there or one pixel away. Nothing is
// invented: what is shown is the naive loop's result there or one pixel away.
TEST_F(HeatmapTest, shrinks_like_the_naive_loop_within_a_pixel) {
    const CellWindow windows[] = {{0, 0, 517, 1031},
                                  {-60.5F, 33.3F, 400, 1100},
                                  {100.2F, 200.9F, 250, 320},
                                  {15, 16, 31, 997}};
    const int sizes[][2] = {{101, 97}, {64, 64}, {211, 47}, {9, 130}, {1, 1}, {300, 200}};
    for (const float anchor : {0.0F, 127.5F}) {
        Matrix matrix = random_matrix(517, 1031, 5);
        matrix.at(300, 400) = kNaN;
        matrix.at(301, 402) = kInfinity;
        matrix.at(120, 207) = -kInfinity;
        matrix.at(516, 1030) = kInfinity;
        const HeatmapTexture texture = upload(matrix);
        const HeatmapStyle style = plain(anchor);
        for (const CellWindow& window : windows) {
            for (const auto& [width, height] : sizes) {
                const Picture picture = draw(texture, window, width, height, style);
                const auto expected = naive(matrix, window, width, height, anchor);
                std::vector<double> shown(expected.size(), -1.0);
                for (std::size_t i = 0; i < shown.size(); ++i) {
                    if (picture.pixels[i] != kTransparent) {
                        shown[i] = strength(picture.pixels[i], style);
                    }
                }
                for (int y = 0; y < height; ++y) {
                    for (int x = 0; x < width; ++x) {
                        const std::size_t i = static_cast<std::size_t>(y) * width + x;
                        ASSERT_GE(strongest_near(shown, width, height, x, y), expected[i])
                            << "lost at pixel " << x << ", " << y << " of " << width << " x "
                            << height << ", window from " << window.row << ", " << window.col;
                        // An edge pixel may show a texel that starts outside the picture.
                        const bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
                        ASSERT_TRUE(edge ||
                                    strongest_near(expected, width, height, x, y) >= shown[i])
                            << "invented at pixel " << x << ", " << y << " of " << width << " x "
                            << height << ", window from " << window.row << ", " << window.col;
                    }
                }
            }
        }
    }
}

TEST_F(HeatmapTest, shrinks_a_large_matrix) {
    Matrix matrix(4096, 12288, 1.0F);
    matrix.at(4095, 12287) = 255;
    matrix.at(0, 0) = 254;
    matrix.at(2048, 6144) = 253;
    const HeatmapTexture texture = upload(matrix);
    EXPECT_NEAR(static_cast<double>(texture.bytes()), 4096.0 * 12288 * (4 + 8 / 3.0), 1e5);
    const Picture picture = draw(texture, matrix.whole(), 801, 267, plain());
    EXPECT_EQ(picture.at(800, 266).r, 255);
    EXPECT_EQ(picture.at(0, 0).r, 254);
    EXPECT_EQ(picture.at(400, 133).r, 253);
    EXPECT_EQ(std::count(picture.pixels.begin(), picture.pixels.end(), Rgba{1, 1, 1, 255}),
              801 * 267 - 3);
}

TEST_F(HeatmapTest, shrunk_looks_the_same_without_finer_texels) {
    const Matrix matrix = random_matrix(1500, 1300, 7);
    const CellWindow windows[] = {matrix.whole(), {200.5F, 100.2F, 900, 1000}};
    const int sizes[][2] = {{300, 300}, {120, 50}, {37, 41}};
    for (const CellWindow& w : windows) {
        for (const auto& [width, height] : sizes) {
            const int grain = grain_for(matrix.rows, matrix.cols, w, width, height);
            ASSERT_GT(grain, 1);
            const HeatmapTexture small(matrix.cells.data(), matrix.rows, matrix.cols, matrix.cols,
                                       grain);
            EXPECT_LT(small.bytes() * 2, upload(matrix).bytes());
            EXPECT_EQ(draw(small, w, width, height, plain()).pixels,
                      draw(matrix, w, width, height, plain()).pixels);
        }
    }
}

TEST_F(HeatmapTest, keeps_matrices_larger_than_the_largest_texture) {
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    Matrix matrix(3, largest + 5, 1.0F);
    const int peak = largest + 2;
    matrix.at(1, peak) = 255;
    const HeatmapTexture texture = upload(matrix);
    EXPECT_EQ(texture.cols(), largest + 5);

    const Picture all = draw(texture, matrix.whole(), 100, 3, plain());
    EXPECT_EQ(all.at(99, 1).r, 255);
    EXPECT_EQ(std::count(all.pixels.begin(), all.pixels.end(), Rgba{255, 255, 255, 255}), 1);

    // Magnified: two cells share the larger value, but rows are separate.
    const Picture near = draw(texture, {0, static_cast<float>(peak - 6), 3, 9}, 90, 30, plain());
    EXPECT_EQ(near.at(65, 15).r, 255);
    EXPECT_EQ(near.at(65, 5).r, 1);
    EXPECT_EQ(near.at(35, 15).r, 1);
}

TEST_F(HeatmapTest, refuses_impossible_sizes) {
    const float cell = 0;
    EXPECT_THROW(HeatmapTexture(&cell, 0, 1, 1), std::invalid_argument);
    EXPECT_THROW(HeatmapTexture(&cell, 1, 0, 1), std::invalid_argument);
    EXPECT_THROW(HeatmapTexture(&cell, 1, 2, 1), std::invalid_argument);
    EXPECT_THROW(RenderTarget(0, 5), std::invalid_argument);
}

}  // namespace
}  // namespace headlight::gl::heatmap_test
