#include "scene/scene_file.h"

#include <gtest/gtest.h>

#include "naive.h"
#include "scene/random_scene.h"

namespace headlight::scene_file_test {
namespace {

ShapeScene read(const std::string& text) {
    return scene_from_json(std::as_bytes(std::span(text)), "a.json");
}

std::string error_of(const std::string& text) {
    return naive::sentence_of<SceneError>([&] { read(text); });
}

TEST(SceneFile, gives_back_the_same_scene) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const ShapeScene scene = random_scene(seed);
        EXPECT_EQ(read(to_json(scene)), scene) << seed;
    }
    EXPECT_EQ(read(to_json(ShapeScene{})), ShapeScene{});
}

TEST(SceneFile, is_of_plain_numbers) {
    ShapeScene scene;
    scene.background = {{0.1F, 0.2F, 0.3F}, {1, 1, 1}, 30, 0.02F, 7};
    scene.shapes = {{ShapeKind::star, 20, 31.5F, 9, 0, {1, 0, 0.5F}}};
    const std::string text = to_json(scene);
    EXPECT_NE(text.find("\"kind\": \"star\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"noise\": 0.02,"), std::string::npos) << text;
    EXPECT_NE(text.find("\"y\": 31.5,"), std::string::npos) << text;
}

TEST(SceneFile, says_what_is_wrong) {
    const std::string none = "a.json: expected a scene as JSON, found something else";
    EXPECT_EQ(error_of(""), none + " on line 1.");
    EXPECT_EQ(error_of("{"), none + " on line 1.");
    EXPECT_EQ(error_of("{\n\"background\": 1,\n}"), none + " on line 3.");
    EXPECT_EQ(error_of(std::string(50'000, '[')),
              "a.json: expected a scene as JSON of at most 8 levels, found a deeper one.");
    EXPECT_EQ(error_of("{\"background\": 1e999}"), none + " on line 1.");
    EXPECT_EQ(error_of(std::string(2'000'000, ' ')),
              "a.json: expected a scene, found 2000000 bytes.");
    EXPECT_EQ(error_of("[]"), "a.json: expected an object, found a list of 0.");
    EXPECT_EQ(error_of("{}"), "a.json: expected \"background\", found none.");
    EXPECT_EQ(error_of("{\"color\": 1}"), "a.json: there is no \"color\" in a scene.");
}

TEST(SceneFile, holds_numbers_to_their_ranges) {
    const auto shape = [](const std::string& member, const std::string& value) {
        std::string text = R"({"background": {"from": [0,0,0], "to": [0,0,0], "direction": 0,
            "noise": 0, "grain": 0}, "shapes": [{"kind": "disc", "x": 1, "y": 1, "radius": 9,
            "rotation": 0, "color": [0,0,0]}]})";
        const std::size_t at = text.find("\"" + member + "\": ") + member.size() + 4;
        return text.replace(at, text.find_first_of(",}\n", at) - at, value);
    };
    EXPECT_EQ(error_of(shape("x", "1")), "");
    EXPECT_EQ(error_of(shape("x", "81")),
              "a.json, shape 1, x: expected a number from 0 to 80, found 81.");
    EXPECT_EQ(error_of(shape("y", "-1e-3")),
              "a.json, shape 1, y: expected a number from 0 to 80, found -0.001.");
    EXPECT_EQ(error_of(shape("radius", "0")),
              "a.json, shape 1, radius: expected a number from 3 to 40, found 0.");
    EXPECT_EQ(error_of(shape("radius", "\"9\"")),
              "a.json, shape 1, radius: expected a number from 3 to 40, found \"9\".");
    EXPECT_EQ(error_of(shape("kind", "\"blob\"")),
              "a.json, shape 1, kind: expected disc, square, triangle, ring, cross or star, found "
              "\"blob\".");
    EXPECT_EQ(error_of(shape("grain", "4294967296")),
              "a.json, background, grain: expected a whole number below 2^32, found 4294967296.");
    EXPECT_EQ(error_of(shape("grain", "-1")),
              "a.json, background, grain: expected a whole number below 2^32, found -1.");
    EXPECT_EQ(error_of(shape("noise", "2")),
              "a.json, background, noise: expected a number from 0 to 1, found 2.");
}

TEST(SceneFile, has_at_most_six_shapes) {
    ShapeScene scene = random_scene(3);
    while (scene.shapes.size() <= kMaxShapes) scene.shapes.push_back(scene.shapes.front());
    EXPECT_EQ(error_of(to_json(scene)),
              "a.json, shapes: expected a list of at most 6 shapes, found a list of 7.");
}

}  // namespace
}  // namespace headlight::scene_file_test
