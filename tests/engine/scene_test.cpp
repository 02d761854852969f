#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "scene/outline.h"
#include "scene/random_scene.h"
#include "scene/render.h"
#include "scene/truth.h"
#include "scene/turn.h"

namespace headlight::scene_test {
namespace {

constexpr double kPi = 3.141592653589793;

// Whether a point is in a shape, by the definitions of the kinds with polar angles and half planes
// rather than distances.
bool lies_in(const Shape& shape, double x, double y) {
    const double a = shape.rotation * kPi / 180, dx = x - shape.x, dy = y - shape.y;
    const double u = (std::cos(a) * dx + std::sin(a) * dy) / shape.radius;
    const double v = (-std::sin(a) * dx + std::cos(a) * dy) / shape.radius;
    const double r = std::hypot(u, v), angle = std::atan2(u, -v);  // from "up", clockwise
    // For a regular polygon: the angle to the middle of its nearest edge.
    const auto edge = [&](int n) {
        const double part = 2 * kPi / n;
        return r * std::cos(angle - part * (std::floor(angle / part) + 0.5)) <= std::cos(part / 2);
    };
    switch (shape.kind) {
        case ShapeKind::disc:
            return r <= 1;
        case ShapeKind::ring:
            return r <= 1 && r >= 0.55;
        case ShapeKind::square:
            return edge(4);
        case ShapeKind::triangle:
            return edge(3);
        case ShapeKind::cross: {
            const double s = std::min(std::abs(u), std::abs(v)),
                         l = std::max(std::abs(u), std::abs(v));
            return s <= 0.3 && l <= std::sqrt(1 - 0.09);
        }
        case ShapeKind::star: {  // on the tip's side of the line from a tip to the next notch
            const double part = 2 * kPi / 5, off = std::abs(std::remainder(angle, part));
            const double px = r * std::sin(off), py = r * std::cos(off);
            const double nx = 0.45 * std::sin(part / 2), ny = 0.45 * std::cos(part / 2);
            return (nx - 0) * (py - 1) - (ny - 1) * (px - 0) <= 0;
        }
    }
    return false;
}

Shape shape_of(int kind, float radius = 11, float rotation = 17) {
    return {static_cast<ShapeKind>(kind), 38.3F, 41.7F, radius, rotation, {1, 1, 1}};
}

ShapeScene on_black(std::vector<Shape> shapes) { return {{}, std::move(shapes)}; }

// The coverage of each pixel, in [0, 1].
std::vector<double> cover_of(const ShapeScene& scene, int size = kSceneSize) {
    const ScenePicture picture = draw_scene(scene, size);
    std::vector<double> cover;
    for (std::size_t i = 0; i < picture.pixels.size(); i += 3)
        cover.push_back(picture.pixels[i] / 255.0);
    return cover;
}

std::uint64_t hash(const std::vector<std::uint8_t>& bytes) {  // FNV-1a
    std::uint64_t h = 14695981039346656037U;
    for (const std::uint8_t byte : bytes) h = (h ^ byte) * 1099511628211U;
    return h;
}

class EveryKind : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind, ::testing::Range(0, kShapeKinds));

TEST_P(EveryKind, pixels_are_covered_as_counted_point_by_point) {
    const Shape shape = shape_of(GetParam());
    const auto cover = cover_of(on_black({shape}));
    constexpr int kPoints = 16;
    double worst = 0, sum = 0;
    for (int row = 0; row < kSceneSize; ++row)
        for (int col = 0; col < kSceneSize; ++col) {
            int inside = 0;
            if (std::hypot(col - 1.0 * shape.x, row - 1.0 * shape.y) < shape.radius + 2)
                for (int i = 0; i < kPoints * kPoints; ++i)
                    inside += lies_in(shape, col + (i % kPoints + 0.5) / kPoints,
                                      row + (i / kPoints + 0.5) / kPoints);
            const double off = cover[static_cast<std::size_t>(row) * kSceneSize + col] -
                               static_cast<double>(inside) / (kPoints * kPoints);
            worst = std::max(worst, std::abs(off));
            sum += std::abs(off);
        }
    EXPECT_LT(worst, 0.35);  // at a tip; a straight edge misses by at most 0.1
    EXPECT_LT(sum, 0.06 * 2 * kPi * shape.radius);
}

TEST_P(EveryKind, distance_is_how_far_the_nearest_point_of_the_outline_is) {
    const Shape shape = shape_of(GetParam());
    const Outline outline(shape);
    // On a circle with the point's stated distance there is a point on the other side of the
    // outline, but not on a smaller circle.
    for (const auto& point : {std::pair{30.0, 30.0}, {38.0, 42.0}, {50.5, 41.0}, {39.0, 52.0}}) {
        const double x = point.first, y = point.second;
        const double distance = std::abs(outline.distance(x, y));
        const bool inside = lies_in(shape, x, y);
        EXPECT_EQ(inside, outline.distance(x, y) < 0);
        const auto changes = [&](double r) {
            for (int i = 0; i < 7200; ++i) {
                const double a = i * kPi / 3600;
                if (lies_in(shape, x + r * std::cos(a), y + r * std::sin(a)) != inside) return true;
            }
            return false;
        };
        EXPECT_FALSE(changes(0.99 * distance)) << x << ' ' << y;
        EXPECT_TRUE(changes(1.01 * distance + 1e-3)) << x << ' ' << y;
    }
}

TEST(Scene, turns_as_the_standard_library) {
    for (double degrees = -720; degrees <= 720; degrees += 0.37) {
        EXPECT_NEAR(turn(degrees).cos, std::cos(degrees * kPi / 180), 1e-14) << degrees;
        EXPECT_NEAR(turn(degrees).sin, std::sin(degrees * kPi / 180), 1e-14) << degrees;
    }
}

// The values are from when the shipped model was trained. Other machines and compilers must give
// the same.
TEST(Scene, gives_the_same_pixels_everywhere) {
    const std::array<std::uint64_t, 4> expected{2478356900149956955U, 5804543529771445303U,
                                                4593325347454340288U, 2359368110503417310U};
    for (std::uint64_t seed = 0; seed < expected.size(); ++seed)
        EXPECT_EQ(hash(draw_scene(random_scene(seed)).pixels), expected[seed]) << seed;
}

TEST(Scene, later_shapes_lie_on_earlier_ones) {
    ShapeScene scene = on_black({shape_of(0), shape_of(1, 6)});
    scene.shapes[1].color = {1, 0, 0};
    const ScenePicture picture = draw_scene(scene);
    const std::size_t center = 41 * kSceneSize + 38;
    EXPECT_EQ(picture.shape_at[center], 1);
    EXPECT_EQ(picture.pixels[3 * center], 255);
    EXPECT_EQ(picture.pixels[3 * center + 1], 0);
    EXPECT_EQ(picture.shape_at[center + 9], 0);
    EXPECT_EQ(picture.shape_at[0], -1);
}

TEST(Scene, grain_has_its_deviation) {
    ShapeScene scene;
    scene.background = {{0.5F, 0.5F, 0.5F}, {0.5F, 0.5F, 0.5F}, 0, 0.04F, 7};
    const auto cover = cover_of(scene);
    double square = 0, sum = 0;
    for (const double value : cover) {
        sum += value - 0.5;
        square += (value - 0.5) * (value - 0.5);
    }
    const auto count = static_cast<double>(cover.size());
    EXPECT_NEAR(sum / count, 0, 0.002);
    EXPECT_NEAR(std::sqrt(square / count), 0.04, 0.0012);
}

TEST(Scene, a_gradient_runs_from_corner_to_corner) {
    ShapeScene scene;
    scene.background = {{0, 0, 0}, {1, 1, 1}, 45, 0, 0};
    const auto cover = cover_of(scene);
    EXPECT_LT(cover.front(), 0.01);
    EXPECT_GT(cover.back(), 0.99);
    EXPECT_NEAR(cover[40 * kSceneSize + 40], 0.5, 0.01);
}

TEST(RandomScene, has_one_pair_or_none_and_nothing_touches) {
    std::array<int, kShapeKinds + 1> answers{};
    std::set<std::size_t> counts;
    for (std::uint64_t seed = 0; seed < 3500; ++seed) {
        const ShapeScene scene = random_scene(seed);
        const auto answer = answer_of(scene);
        ASSERT_TRUE(answer.has_value()) << seed;
        ++answers[static_cast<std::size_t>(*answer)];
        counts.insert(scene.shapes.size());
        for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
            const Shape& a = scene.shapes[i];
            EXPECT_GE(std::min({a.x, a.y, kSceneSize - a.x, kSceneSize - a.y}), a.radius);
            for (std::size_t j = 0; j < i; ++j) {
                const Shape& b = scene.shapes[j];
                EXPECT_GT(std::hypot(a.x - b.x, a.y - b.y), a.radius + b.radius) << seed;
            }
        }
    }
    EXPECT_EQ(counts, (std::set<std::size_t>{3, 4, 5, 6}));
    for (const int count : answers) EXPECT_NEAR(count, 500, 100);
}

TEST(RandomScene, a_pair_differs_in_color_size_and_rotation) {
    int pairs = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const ShapeScene scene = random_scene(seed);
        const auto twins = twins_of(scene);
        for (std::size_t i = 0; i < twins.size(); ++i) {
            if (twins[i] < 0) continue;
            const Shape &a = scene.shapes[i], &b = scene.shapes[static_cast<std::size_t>(twins[i])];
            EXPECT_EQ(a.kind, b.kind);
            EXPECT_GE(std::abs(a.radius - b.radius), 0.999F);
            EXPECT_FALSE(a.color == b.color);
            EXPECT_NE(a.rotation, b.rotation);
            ++pairs;
        }
    }
    EXPECT_GT(pairs, 300);
}

TEST(SceneTruth, one_answer_or_none) {
    const auto answer = [](std::vector<int> kinds) {
        ShapeScene scene;
        for (const int kind : kinds) scene.shapes.push_back(shape_of(kind));
        return answer_of(scene);
    };
    EXPECT_EQ(answer({0, 1, 2}), kNoPair);
    EXPECT_EQ(answer({}), kNoPair);
    EXPECT_EQ(answer({4, 1, 4}), 4);
    EXPECT_EQ(answer({4, 4, 4}), std::nullopt);
    EXPECT_EQ(answer({4, 4, 1, 1}), std::nullopt);
}

TEST(SceneTruth, says_what_lies_under_each_patch) {
    ShapeScene scene = on_black({shape_of(1, 11, 0), shape_of(1, 8, 0), shape_of(5, 8, 0)});
    scene.shapes[0].x = scene.shapes[0].y = 20;
    scene.shapes[1].x = scene.shapes[1].y = 60;
    scene.shapes[2].x = 60, scene.shapes[2].y = 20;
    const SceneTruth truth = truth_of(scene, draw_scene(scene), 8);
    const auto cell = [](int row, int col) { return static_cast<std::size_t>(row) * 10 + col; };
    EXPECT_EQ(truth.shape[cell(2, 2)], 0);
    EXPECT_EQ(truth.kind[cell(2, 2)], 1);
    EXPECT_EQ(truth.twin_cell[cell(2, 2)], 77);
    EXPECT_EQ(truth.twin_cell[cell(7, 7)], 22);
    EXPECT_EQ(truth.kind[cell(2, 7)], 5);
    EXPECT_EQ(truth.twin_cell[cell(2, 7)], -1);
    EXPECT_EQ(truth.shape[cell(0, 0)], -1);
    EXPECT_EQ(truth.kind[cell(0, 0)], kShapeKinds);
}

}  // namespace
}  // namespace headlight::scene_test
