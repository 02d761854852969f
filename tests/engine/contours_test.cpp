#include "analysis/contours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace headlight::contours_test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Matrix random_map(Index rows, Index cols, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> values(0, 1);
    Matrix map(rows, cols);
    for (Index i = 0; i < map.size(); ++i) map.data()[i] = values(random);
    return map;
}

// The definition: bilinear in the four nearest centers; beyond the border, the outermost centers
// repeat.
double bilinear(const Matrix& map, double row, double col) {
    double sum = 0;
    for (Index r = -1; r <= map.rows(); ++r)
        for (Index c = -1; c <= map.cols(); ++c) {
            const double down = std::max(0.0, 1 - std::abs(row - 0.5 - static_cast<double>(r))),
                         right = std::max(0.0, 1 - std::abs(col - 0.5 - static_cast<double>(c)));
            sum += down * right *
                   map(std::clamp(r, Index{0}, map.rows() - 1),
                       std::clamp(c, Index{0}, map.cols() - 1));
        }
    return sum;
}

bool is_middle(double at) { return std::abs(at - std::floor(at) - 0.5) < 1e-5; }
bool is_border(double at, Index count) {
    return at < 1e-5 || at > static_cast<double>(count) - 1e-5;
}

TEST(Contours, have_their_corners_where_the_map_has_the_level) {
    for (const auto& [rows, cols] : {std::pair<Index, Index>{14, 14}, {7, 11}, {1, 6}, {5, 1}}) {
        const Matrix map = random_map(rows, cols, 7);
        std::size_t corners = 0;
        for (const float level : {0.2F, 0.5F, 0.8F})
            for (const ContourLine& line : contours_of(map, level)) {
                EXPECT_GE(line.corners.size(), 2U);
                for (const auto& [row, col] : line.corners) {
                    EXPECT_NEAR(bilinear(map, row, col), level, 1e-5) << row << ", " << col;
                    EXPECT_TRUE(is_middle(row) || is_middle(col) || is_border(row, rows) ||
                                is_border(col, cols))
                        << row << ", " << col;
                    ++corners;
                }
            }
        EXPECT_GT(corners, 0U) << rows << " × " << cols;
    }
}

TEST(Contours, are_closed_or_end_at_the_border) {
    const Matrix map = random_map(12, 9, 3);
    int closed = 0, open = 0;
    for (const ContourLine& line : contours_of(map, 0.5F)) {
        ++(line.closed ? closed : open);
        if (line.closed) continue;
        for (const auto& end : {line.corners.front(), line.corners.back()})
            EXPECT_TRUE(is_border(end.row, 12) || is_border(end.col, 9))
                << end.row << ", " << end.col;
    }
    EXPECT_GT(closed, 0);
    EXPECT_GT(open, 0);
}

// Between neighboring centers on two sides of the level there is exactly one vertex, and between
// others none. So the lines separate everything above from everything below.
TEST(Contours, part_what_is_above_from_what_is_below) {
    const Matrix map = random_map(10, 13, 5);
    constexpr float kLevel = 0.45F;
    std::multiset<std::pair<int, int>> across;  // row of centers, and the column before
    std::multiset<std::pair<int, int>> down;
    for (const ContourLine& line : contours_of(map, kLevel))
        for (const auto& [row, col] : line.corners) {
            const float r = row - 0.5F, c = col - 0.5F;
            if (is_middle(row) && c > 0 && c < 12)
                across.insert({static_cast<int>(std::lround(r)), static_cast<int>(std::floor(c))});
            else if (is_middle(col) && r > 0 && r < 9)
                down.insert({static_cast<int>(std::floor(r)), static_cast<int>(std::lround(c))});
        }
    const auto parted = [&](float a, float b) { return (a >= kLevel) != (b >= kLevel) ? 1U : 0U; };
    for (int r = 0; r < 10; ++r)
        for (int c = 0; c + 1 < 13; ++c)
            EXPECT_EQ(across.count({r, c}), parted(map(r, c), map(r, c + 1))) << r << ", " << c;
    for (int r = 0; r + 1 < 10; ++r)
        for (int c = 0; c < 13; ++c)
            EXPECT_EQ(down.count({r, c}), parted(map(r, c), map(r + 1, c))) << r << ", " << c;
}

TEST(Contours, surround_a_peak_once) {
    Matrix map = Matrix::Zero(5, 5);
    map(2, 2) = 1;
    const auto lines = contours_of(map, 0.25F);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].closed);
    EXPECT_EQ(lines[0].corners.size(), 4U);
    for (const auto& [row, col] : lines[0].corners)
        EXPECT_NEAR(std::abs(row - 2.5F) + std::abs(col - 2.5F), 0.75F, 1e-6);
}

// (0, 0) and (1, 1) are above, (0, 1) and (1, 0) below; the saddle between them is above or below.
TEST(Contours, go_around_a_saddle_as_it_lies) {
    Matrix map(2, 2);
    map << 1, 0, 0.2F, 0.9F;
    const double saddle = (1 * 0.9 - 0 * 0.2) / (1 + 0.9 - 0.2);
    const auto around = [&](float level) {
        // If a line passes the lower corner (0, 1), the other two corners are connected.
        for (const ContourLine& line : contours_of(map, level)) {
            const auto& c = line.corners;
            if (std::ranges::all_of(c,
                                    [](const auto& p) { return p.row <= 1.5F && p.col >= 0.5F; }))
                return true;
        }
        return false;
    };
    EXPECT_TRUE(around(static_cast<float>(saddle) - 0.02F));
    EXPECT_FALSE(around(static_cast<float>(saddle) + 0.02F));
}

TEST(Contours, end_where_there_is_no_number) {
    Matrix map = random_map(6, 6, 11);
    map(3, 3) = kNaN;
    for (const ContourLine& line : contours_of(map, 0.5F))
        for (const auto& [row, col] : line.corners) {
            EXPECT_TRUE(std::isfinite(row) && std::isfinite(col));
            // No line is inside a square with corner (3, 3), only on outer edges.
            EXPECT_FALSE(std::abs(row - 3.5F) < 0.999F && std::abs(col - 3.5F) < 0.999F);
        }
    EXPECT_TRUE(contours_of(Matrix(Matrix::Constant(3, 3, kNaN)), 0.5F).empty());
}

TEST(Contours, are_not_where_nothing_is_crossed) {
    EXPECT_TRUE(contours_of(Matrix(Matrix::Constant(4, 4, 0.5F)), 0.5F).empty());
    EXPECT_TRUE(contours_of(Matrix(Matrix::Constant(4, 4, 0.5F)), 0.6F).empty());
    EXPECT_TRUE(contours_of(random_map(4, 4, 1), kNaN).empty());
    EXPECT_TRUE(contours_of(MatrixView{}, 0.5F).empty());
}

// A center with exactly the level gives one vertex, not one for each of its edges.
TEST(Contours, touch_a_middle_that_has_the_level) {
    Matrix map(1, 3);
    map << 0, 0.5F, 1;
    const auto lines = contours_of(map, 0.5F);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].corners.front().col, 1.5F);
    EXPECT_EQ(lines[0].corners.back().col, 1.5F);
    EXPECT_EQ(std::min(lines[0].corners.front().row, lines[0].corners.back().row), 0);
    EXPECT_EQ(std::max(lines[0].corners.front().row, lines[0].corners.back().row), 1);
}

}  // namespace
}  // namespace headlight::contours_test
