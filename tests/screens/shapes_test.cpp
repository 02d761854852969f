#include "scenes/shapes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "frame/scene_text.h"
#include "scene/outline.h"
#include "scene/truth.h"

namespace headlight::screens {
namespace {

Shape shape_of(ShapeKind kind, float x = 40, float y = 30, float rotation = 25) {
    return {.kind = kind, .x = x, .y = y, .radius = 12, .rotation = rotation, .color = {1, 0, 0}};
}

ShapeScene scene_of(std::initializer_list<ShapeKind> kinds) {
    ShapeScene scene;
    for (const ShapeKind kind : kinds) scene.shapes.push_back(shape_of(kind));
    return scene;
}

TEST(Shapes, the_line_around_lies_on_the_outline) {
    for (int kind = 0; kind < kShapeKinds; ++kind) {
        const Shape shape = shape_of(static_cast<ShapeKind>(kind));
        const Outline outline(shape);
        const auto lines = contours(shape, 90);
        EXPECT_EQ(lines.size(), shape.kind == ShapeKind::ring ? 2 : 1);
        for (const auto& line : lines) {
            ASSERT_EQ(line.size(), 90);
            for (const ScenePoint& p : line)
                EXPECT_NEAR(outline.distance(p.x, p.y), 0, 0.02) << name_of(shape.kind);
        }
    }
}

TEST(Shapes, the_first_point_of_the_line_is_the_first_corner) {
    const auto line = contours(shape_of(ShapeKind::star, 40, 30, 90), 10).front();
    EXPECT_NEAR(line.front().x, 52, 0.01);
    EXPECT_NEAR(line.front().y, 30, 0.01);
}

TEST(Shapes, the_uppermost_shape_is_under_the_point) {
    ShapeScene scene;
    scene.shapes = {shape_of(ShapeKind::disc, 30), shape_of(ShapeKind::square, 40),
                    shape_of(ShapeKind::ring, 65, 60)};
    EXPECT_EQ(shape_under(scene, {36, 30}, 1), 1);
    EXPECT_EQ(shape_under(scene, {20, 30}, 1), 0);
    EXPECT_EQ(shape_under(scene, {65, 60}, 1), 2);  // by its hole
    EXPECT_EQ(shape_under(scene, {17.5F, 30}, 1), 0);
    EXPECT_EQ(shape_under(scene, {17.5F, 30}, 0), -1);
    EXPECT_EQ(shape_under(scene, {5, 75}, 1), -1);
}

TEST(Shapes, stay_in_the_frame) {
    const Shape shape = shape_of(ShapeKind::disc);
    EXPECT_EQ(inside_frame(shape, {-50, 40}).x, 12);
    EXPECT_EQ(inside_frame(shape, {79, 90}).y, 68);
    Shape large = shape;
    large.radius = 40;
    EXPECT_EQ(inside_frame(large, {10, 70}).x, 40);
}

TEST(Shapes, room_is_where_no_shape_is) {
    ShapeScene scene;
    EXPECT_EQ(roomiest_place(scene).x, 40);
    scene.shapes = {shape_of(ShapeKind::disc, 20, 20), shape_of(ShapeKind::disc, 60, 20),
                    shape_of(ShapeKind::disc, 20, 60)};
    EXPECT_EQ(shape_under(scene, roomiest_place(scene), 12), -1);
}

TEST(Shapes, the_truth_in_words) {
    using enum ShapeKind;
    EXPECT_EQ(truth_in_words(scene_of({disc, star, star})), "the star appears twice");
    EXPECT_EQ(truth_in_words(scene_of({disc, star, ring})), "no pair");
    EXPECT_EQ(truth_in_words(scene_of({disc, star, star, disc})), "no single answer: two pairs");
    EXPECT_EQ(truth_in_words(scene_of({disc, disc, ring, ring, star, star})),
              "no single answer: three pairs");
    EXPECT_EQ(truth_in_words(scene_of({cross, cross, cross})),
              "no single answer: the cross appears 3 times");
}

TEST(Shapes, colors_have_the_names_that_people_give_them) {
    const std::pair<Rgb, const char*> colors[] = {{{1, 0, 0}, "red"},
                                                  {{0, 0.6F, 0}, "green"},
                                                  {{0.1F, 0.1F, 0.9F}, "blue"},
                                                  {{1, 1, 1}, "white"},
                                                  {{0.03F, 0.03F, 0.03F}, "black"},
                                                  {{0.5F, 0.5F, 0.5F}, "gray"},
                                                  {{1, 0.9F, 0.1F}, "yellow"},
                                                  {{0.5F, 0.5F, 0.1F}, "olive"},
                                                  {{1, 0.55F, 0}, "orange"},
                                                  {{0.16F, 0.92F, 0.92F}, "light blue"},
                                                  {{0.19F, 0.69F, 0.19F}, "green"}};
    for (const auto& [color, name] : colors) EXPECT_EQ(color_name(color), name);
}

TEST(Shapes, of_the_same_name_are_told_apart_by_their_place) {
    ShapeScene scene;
    scene.shapes = {shape_of(ShapeKind::disc, 20), shape_of(ShapeKind::disc, 60),
                    shape_of(ShapeKind::star, 40, 70)};
    EXPECT_EQ(name_of_shape(scene, 0), "left red disc");
    EXPECT_EQ(name_of_shape(scene, 1), "right red disc");
    EXPECT_EQ(name_of_shape(scene, 2), "red star");
    scene.shapes[1].x = 20;
    scene.shapes[1].y = 60;
    EXPECT_EQ(name_of_shape(scene, 0), "upper red disc");
    EXPECT_EQ(name_of_shape(scene, 1), "lower red disc");
    scene.shapes.push_back(shape_of(ShapeKind::disc, 70, 70));
    EXPECT_EQ(name_of_shape(scene, 3), "red disc number 4");
}

TEST(Shapes, colors_as_in_the_web) {
    EXPECT_EQ(hex_of({1, 0.5F, 0}), "FF8000");
    EXPECT_EQ(hex_of({0, 0, 0.0392F}), "00000A");
}

}  // namespace
}  // namespace headlight::screens
