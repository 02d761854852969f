#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "models.h"
#include "scene/random_scene.h"
#include "scene/scene_file.h"
#include "scene/truth.h"
#include "state/scene_edit.h"
#include "state/session.h"
#include "support.h"
#include "tests/source_path.h"

// Scenes in the program: drawing, opening, editing in place, and the effects.
namespace headlight {
namespace {

using testing::Desk;
using testing::small_state;

ShapeScene three_shapes() {
    ShapeScene scene;
    scene.background = {{0.1F, 0.1F, 0.2F}, {0.2F, 0.2F, 0.2F}, 30, 0.02F, 7};
    scene.shapes = {{ShapeKind::disc, 20, 20, 9, 0, {0.9F, 0.3F, 0.2F}},
                    {ShapeKind::square, 60, 22, 10, 15, {0.3F, 0.8F, 0.4F}},
                    {ShapeKind::star, 40, 60, 12, 30, {0.9F, 0.9F, 0.3F}}};
    return scene;
}

State scene_state(const ShapeScene& scene = three_shapes()) {
    State state = small_state();
    state.recipe.scene = scene;
    return state;
}

FileReader scene_files() {
    const std::map<std::string, Bytes> files{
        {"timm/model.safetensors", testing::golden_model("timm")},
        {"timm/config.json", testing::to_bytes(R"({"num_heads": 3})")},
        {"vit/model.safetensors", testing::golden_model("hf_vit")},
        {"vit/config.json", testing::to_bytes(R"({"num_attention_heads": 2})")},
        {"three.json", testing::to_bytes(to_json(three_shapes()))},
        {"seven.JSON", testing::to_bytes(to_json(random_scene(7)))},
        {"odd.json", testing::to_bytes(R"({"background": 3, "shapes": []})")},
    };
    return [files, others = testing::test_files()](const std::string& name) {
        const auto file = files.find(name);
        return file == files.end() ? others(name) : FileBytes(file->second);
    };
}

const std::vector<Shape>& shapes(const Desk& desk) { return desk.state().recipe.scene->shapes; }

double luma(const Rgb& c) { return 0.299 * c.red + 0.587 * c.green + 0.114 * c.blue; }

// ---- whole scenes

TEST(Scenes, take_the_place_of_the_image_which_is_remembered) {
    Desk desk;
    ASSERT_TRUE(desk.does("scene 7")) << desk->notice().text;
    EXPECT_EQ(desk.state().recipe.scene, random_scene(7));
    EXPECT_EQ(desk.state().recipe.image, "a.ppm");
    EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
    ASSERT_TRUE(desk.does("scene 18446744073709551615"));
    EXPECT_EQ(desk.state().recipe.scene, random_scene(UINT64_MAX));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe.scene, random_scene(7));
    ASSERT_TRUE(desk.does("open a.ppm"));
    EXPECT_FALSE(desk.state().recipe.scene);
    EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
    for (const char* line : {"scene x", "scene -1", "scene 1.5", "scene 18446744073709551616"}) {
        EXPECT_FALSE(desk.does(line)) << line;
        desk.expect_notice("scene: expected");
    }
}

TEST(Scenes, random_ones_are_new_each_time) {
    Desk desk;
    ASSERT_TRUE(desk.does("scene random"));
    const auto first = desk.state().recipe.scene;
    ASSERT_TRUE(desk.does("scene random"));
    EXPECT_NE(desk.state().recipe.scene, first);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe.scene, first);
}

TEST(Scenes, need_no_image) {
    State state = scene_state();
    state.recipe.image.clear();
    Desk desk(state);
    ASSERT_TRUE(desk->trace());
    EXPECT_TRUE(desk.selection().token);
    EXPECT_TRUE(desk.state().recent.empty());
    EXPECT_TRUE(desk.does("defaults"));
    EXPECT_EQ(desk.state().recipe.scene, three_shapes());
    EXPECT_TRUE(desk->trace());
}

TEST(Scenes, are_opened_from_files) {
    Desk desk(small_state(), scene_files());
    ASSERT_TRUE(desk.does("open three.json")) << desk->notice().text;
    EXPECT_EQ(desk.state().recipe.scene, three_shapes());
    EXPECT_EQ(desk.state().recent.front(), "three.json");
    ASSERT_TRUE(desk.does("open-scene seven.JSON"));
    EXPECT_EQ(desk.state().recipe.scene, random_scene(7));
    EXPECT_EQ(desk.state().recent.front(), "seven.JSON");
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe.scene, three_shapes());

    const State before = desk.state();
    for (const char* name : {"odd.json", "none.json", "timm/config.json", "a.ppm", ""}) {
        EXPECT_FALSE(desk.does(std::string("open-scene \"") + name + '"')) << name;
        desk.expect_notice(*name != '\0' ? name : "found nothing");
        EXPECT_EQ(desk.state(), before) << name;
    }
}

TEST(Scenes, a_file_that_is_no_image_gives_the_scene_back) {
    Desk desk(scene_state(), scene_files());
    desk.does("shape-move 1 30 30");
    const State good = desk.state();
    EXPECT_TRUE(desk.does("open text.ppm"));
    desk.expect_notice("text.ppm");
    EXPECT_TRUE(same_choices(desk.state(), good));
    EXPECT_EQ(desk->trace_recipe(), good.recipe);
    ASSERT_TRUE(desk.does("undo"));  // of the move: the bad file is forgotten
    EXPECT_EQ(desk.state().recipe.scene, three_shapes());
}

TEST(Scenes, a_bad_file_below_a_scene_is_found_out_when_it_is_needed) {
    Desk desk(small_state(), scene_files());
    EXPECT_TRUE(desk.say("open text.ppm"));
    EXPECT_TRUE(desk.does("scene 7"));  // before the file was read
    EXPECT_TRUE(desk.does("undo"));
    EXPECT_TRUE(desk->trace());
    EXPECT_TRUE(desk->trace_recipe() == desk.state().recipe);
    EXPECT_EQ(desk.state().recent, std::vector<std::string>{"a.ppm"});
}

// ---- shapes

TEST(Shapes, are_changed_in_place) {
    Desk desk(scene_state());
    ShapeScene wanted = three_shapes();
    ASSERT_TRUE(desk.does("shape-move 2 33.5 44"));
    wanted.shapes[1].x = 33.5F;
    wanted.shapes[1].y = 44;
    ASSERT_TRUE(desk.does("shape-resize 2 7.25"));
    wanted.shapes[1].radius = 7.25F;
    ASSERT_TRUE(desk.does("shape-turn 1 -90"));
    wanted.shapes[0].rotation = -90;
    ASSERT_TRUE(desk.does("shape-color 3 0080fF"));
    wanted.shapes[2].color = {0, 128 / 255.0F, 1};
    ASSERT_TRUE(desk.does("shape-kind 3 ring"));
    wanted.shapes[2].kind = ShapeKind::ring;
    EXPECT_EQ(desk.state().recipe.scene, wanted);
    EXPECT_EQ(desk->trace_recipe().scene, wanted);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe.scene, three_shapes());
    EXPECT_FALSE(desk->can_undo());
}

TEST(Shapes, refusals_change_nothing) {
    Desk desk(scene_state());
    const State before = desk.state();
    for (const char* line : {"shape-move 0 1 1",
                             "shape-move 4 1 1",
                             "shape-move 1 81 1",
                             "shape-move 1 1 -0.5",
                             "shape-move 1 nan 1",
                             "shape-move 1 1",
                             "shape-resize 1 2.9",
                             "shape-resize 1 41",
                             "shape-turn 1 361",
                             "shape-turn x 3",
                             "shape-color 1 12345",
                             "shape-color 1 12345g",
                             "shape-color 1 -12345",
                             "shape-color 1 1234567",
                             "shape-kind 1 hexagon",
                             "shape-kind 4 disc",
                             "shape-add hexagon 1 1",
                             "shape-add disc 90 1",
                             "shape-delete 4",
                             "twin 9",
                             "untwin 0",
                             "shape 4",
                             "shape next"}) {
        EXPECT_FALSE(desk.does(line)) << line;
        desk.expect_notice("expected");
        EXPECT_EQ(desk.state(), before) << line;
        EXPECT_FALSE(desk->can_undo()) << line;
    }
}

TEST(Shapes, without_a_scene_there_are_none) {
    Desk desk;
    for (const char* line : {"shape-move 1 1 1", "shape-add disc 9 9", "twin 1", "shape 1"}) {
        EXPECT_FALSE(desk.does(line)) << line;
        desk.expect_notice("no scene");
    }
    ShapeScene empty = three_shapes();
    empty.shapes.clear();
    Desk bare(scene_state(empty));
    EXPECT_FALSE(bare.does("shape-delete 1"));
    bare.expect_notice("no shape");
    EXPECT_TRUE(bare.does("shape-add disc 9 9"));
}

TEST(Shapes, a_drag_is_one_undo_step) {
    Desk desk(scene_state());
    desk.say("shape 1");  // what is pressed is chosen: no step of its own
    for (int x = 20; x <= 30; ++x) desk.say("shape-move 1 " + std::to_string(x) + " 25");
    desk->end_gesture();
    desk.say("shape-move 1 31 25");
    desk.say("shape-move 2 50 25");
    desk.say("shape-resize 2 8");
    desk.say("shape-resize 2 9");
    desk.settle();
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(shapes(desk)[1].radius, 10);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(shapes(desk)[1].x, 60);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(shapes(desk)[0].x, 30);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe.scene, three_shapes());
    EXPECT_FALSE(desk->can_undo());
    ASSERT_TRUE(desk.does("redo"));
    EXPECT_EQ(shapes(desk)[0].x, 30);
}

TEST(Shapes, a_color_is_tried_out_in_one_undo_step) {
    Desk desk(scene_state());
    for (const char* color : {"102030", "112030", "122030"})
        desk.say(std::string("shape-color 1 ") + color);
    desk.settle();
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe.scene, three_shapes());
}

TEST(Shapes, are_added_in_a_color_that_stands_out) {
    Desk desk(scene_state());
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(desk.does("shape-add cross 40 30"));
        const Shape& added = shapes(desk).back();
        EXPECT_EQ(added.kind, ShapeKind::cross);
        EXPECT_EQ(added.x, 40);
        EXPECT_EQ(added.y, 30);
        EXPECT_GE(luma(added.color), luma(three_shapes().background.to) + 0.2);
        EXPECT_EQ(desk.selection().shape, 3 + i);
    }
    const State before = desk.state();
    EXPECT_FALSE(desk.does("shape-add cross 40 30"));
    desk.expect_notice("at most 6");
    EXPECT_EQ(desk.state(), before);
}

TEST(Shapes, any_background_has_a_color_that_stands_out) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        ShapeScene scene = random_scene(seed);
        scene.shapes.clear();
        const double added = luma(new_shape(scene, ShapeKind::disc, 40, 40).color);
        EXPECT_GT(std::abs(added - luma(scene.background.from)), 0.2) << seed;
        EXPECT_GT(std::abs(added - luma(scene.background.to)), 0.2) << seed;
    }
}

TEST(Shapes, the_chosen_one_stays_chosen_while_it_is_there) {
    Desk desk(scene_state());
    ASSERT_TRUE(desk.say("shape 3"));
    EXPECT_EQ(desk.selection().shape, 2);
    ASSERT_TRUE(desk.does("shape-delete 1"));
    EXPECT_EQ(desk.selection().shape, 1);
    EXPECT_EQ(shapes(desk)[1].kind, ShapeKind::star);
    ASSERT_TRUE(desk.does("shape-delete 2"));
    EXPECT_EQ(desk.selection().shape, std::nullopt);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.selection().shape, 1);
    ASSERT_TRUE(desk.does("open b.ppm"));
    EXPECT_EQ(desk.selection().shape, std::nullopt);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.selection().shape, 1);
    ASSERT_TRUE(desk.does("scene 7"));
    EXPECT_EQ(desk.selection().shape, std::nullopt);
}

TEST(Shapes, are_let_go_of_first) {
    Desk desk(scene_state());
    desk.say("focus 3");
    desk.say("shape 1");
    desk.say("release");
    EXPECT_EQ(desk.selection().shape, std::nullopt);
    EXPECT_EQ(desk.selection().token, 3);
}

TEST(Shapes, a_session_cannot_choose_one_that_is_not_there) {
    State state = scene_state();
    state.selection.shape = 3;
    EXPECT_EQ(Desk(state).selection().shape, std::nullopt);
    state.selection.shape = 2;
    EXPECT_EQ(Desk(state).selection().shape, 2);
}

// ---- twins

void expect_a_pair(const ShapeScene& scene, std::size_t shape, const std::string& where) {
    EXPECT_EQ(answer_of(scene), static_cast<int>(scene.shapes[shape].kind)) << where;
    const int other = twins_of(scene)[shape];
    ASSERT_GE(other, 0) << where;
    const Shape &a = scene.shapes[shape], &b = scene.shapes[static_cast<std::size_t>(other)];
    EXPECT_GE(std::abs(a.radius - b.radius), 1) << where;
    EXPECT_NE(a.rotation, b.rotation) << where;
    EXPECT_NE(a.color, b.color) << where;
    EXPECT_GE(b.radius, kMinRadius) << where;
    const std::string text = to_json(scene);
    EXPECT_EQ(scene_from_json(std::as_bytes(std::span(text)), where), scene);
}

TEST(Twins, are_made_and_broken) {
    Desk desk(scene_state());
    EXPECT_EQ(answer_of(*desk.state().recipe.scene), kNoPair);
    ASSERT_TRUE(desk.does("twin 2"));
    expect_a_pair(*desk.state().recipe.scene, 1, "new");
    ASSERT_EQ(shapes(desk).size(), 4U);
    for (int i = 0; i < 3; ++i) {
        const Shape &a = shapes(desk)[3], &b = shapes(desk)[static_cast<std::size_t>(i)];
        EXPECT_GT(std::hypot(a.x - b.x, a.y - b.y), a.radius + b.radius);
    }
    EXPECT_FALSE(desk.does("twin 2"));
    desk.expect_notice("has a twin already");
    ASSERT_TRUE(desk.does("untwin 4"));
    EXPECT_EQ(answer_of(*desk.state().recipe.scene), kNoPair);
    EXPECT_EQ(shapes(desk)[1].kind, ShapeKind::square);
    EXPECT_FALSE(desk.does("untwin 4"));
    desk.expect_notice("no twin");
    ASSERT_TRUE(desk.does("undo"));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe.scene, three_shapes());
}

TEST(Twins, leave_one_answer_in_any_random_scene) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const ShapeScene scene = random_scene(seed);
        for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
            const std::string where = std::to_string(seed) + ", " + std::to_string(i);
            ShapeScene changed = scene;
            if (has_twin(scene, i)) {
                break_twin(changed, i);
                EXPECT_EQ(answer_of(changed), kNoPair) << where;
                EXPECT_EQ(changed.shapes.size(), scene.shapes.size()) << where;
            }
            ASSERT_FALSE(has_twin(changed, i)) << where;
            make_twin(changed, i);
            expect_a_pair(changed, i, where);
        }
    }
}

// ---- with a model

// The middle of the focused patch, in units of the scene.
ScenePoint focus_of(Desk& desk) {
    const Trace& trace = *desk->trace();
    const Index patch = *desk.state().selection.token - trace.layout.prefix();
    const PixelRect place = trace.grid.rect(static_cast<int>(patch));
    const float unit = static_cast<float>(kSceneSize) / static_cast<float>(trace.grid.image_width);
    return {(static_cast<float>(place.col) + static_cast<float>(place.width) / 2) * unit,
            (static_cast<float>(place.row) + static_cast<float>(place.height) / 2) * unit};
}

double apart(ScenePoint a, const Shape& shape) { return std::hypot(a.x - shape.x, a.y - shape.y); }

TEST(Focus, is_on_a_twin_in_every_new_scene) {
    Desk desk(scene_state());
    for (int seed = 1; seed <= 12; ++seed) {
        ASSERT_TRUE(desk.does("scene " + std::to_string(seed)));
        const ShapeScene& scene = *desk.state().recipe.scene;
        const std::vector<int> twins = twins_of(scene);
        double nearest = 99;
        for (std::size_t i = 0; i < twins.size(); ++i) {
            const bool any = answer_of(scene) == kNoPair;
            if (any || twins[i] >= 0)
                nearest = std::min(nearest,
                                   apart(focus_of(desk), scene.shapes[i]) - scene.shapes[i].radius);
        }
        EXPECT_LT(nearest, 4) << seed;  // at most half a patch away
    }
}

TEST(Focus, stays_with_a_shape_that_is_moved) {
    Desk desk(scene_state());
    ASSERT_TRUE(desk.does("set image_size 80"));
    ASSERT_TRUE(desk.does("scene 1"));
    const std::vector<int> twins = twins_of(*desk.state().recipe.scene);
    const auto first = static_cast<std::size_t>(
        std::ranges::find_if(twins, [](int twin) { return twin >= 0; }) - twins.begin());
    const std::string number = std::to_string(first + 1);
    for (const float x : {20.0F, 30.0F, 41.0F, 52.5F, 64.0F})
        for (const float y : {15.0F, 33.0F, 60.0F}) {
            ASSERT_TRUE(desk.does("shape-move " + number + " " + std::to_string(x) + " " +
                                  std::to_string(y)));
            EXPECT_LE(apart(focus_of(desk), shapes(desk)[first]), shapes(desk)[first].radius + 4);
        }
    const int token = *desk.state().selection.token;
    const std::string other = std::to_string(static_cast<std::size_t>(twins[first]) + 1);
    ASSERT_TRUE(desk.does("shape-move " + other + " 20 20"));
    EXPECT_EQ(desk.state().selection.token, token);  // moving another shape does not matter
}

TEST(SceneModels, follow_a_shape_that_is_moved) {
    Desk desk(scene_state(), scene_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors")) << desk->notice().text;
    EXPECT_EQ(desk.state().recipe.scene, three_shapes());
    const auto attention = [&]() -> Matrix {
        return desk->trace()->view(Tensor::attention).eigen();
    };
    const Matrix before = attention();
    ASSERT_TRUE(desk.does("shape-move 1 44 30"));
    EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
    EXPECT_FALSE(attention().isApprox(before));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_TRUE(attention().isApprox(before));
}

TEST(SceneModels, heads_are_switched_off_and_on) {
    Desk desk(scene_state(), scene_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    const auto& off = [&]() -> const auto& { return desk.state().recipe.switched_off; };
    ASSERT_TRUE(desk.does("switch-head 2 3"));
    ASSERT_TRUE(desk.does("switch-head 1 2"));
    ASSERT_TRUE(desk.does("switch-head 2 1"));
    EXPECT_EQ(off(), (std::vector<HeadPlace>{{0, 1}, {1, 0}, {1, 2}}));
    EXPECT_EQ(switched_off(*desk->trace()), std::vector<Index>{1});  // of the first layer
    ASSERT_TRUE(desk.does("switch-head 2 1"));
    EXPECT_EQ(off(), (std::vector<HeadPlace>{{0, 1}, {1, 2}}));
    const State before = desk.state();
    for (const char* line : {"switch-head 1 4", "switch-head 99 1", "switch-head 0 1"}) {
        EXPECT_FALSE(desk.does(line)) << line;
        desk.expect_notice("switch-head: expected");
        EXPECT_EQ(desk.state(), before);
    }
    ASSERT_TRUE(desk.does("switch-heads-on"));
    EXPECT_TRUE(off().empty());
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(off().size(), 2U);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(off().size(), 3U);
    ASSERT_TRUE(desk.does("open-model vit/model.safetensors"));
    EXPECT_TRUE(off().empty());
    ASSERT_TRUE(desk.does("switch-head 1 1"));
    ASSERT_TRUE(desk.does("defaults"));
    EXPECT_TRUE(off().empty());
    EXPECT_EQ(desk.state().recipe.weights, "vit/model.safetensors");
}

TEST(SceneModels, a_drawn_layer_has_heads_to_switch_off_too) {
    Desk desk;
    ASSERT_TRUE(desk.does("switch-head 1 4"));
    EXPECT_EQ(switched_off(*desk->trace()), std::vector<Index>{3});
    EXPECT_FALSE(desk.does("switch-head 1 5"));
    EXPECT_FALSE(desk.does("switch-head 2 1"));
}

TEST(SceneModels, stand_in_sessions) {
    Desk desk(scene_state(), scene_files());
    desk.does("open-model timm/model.safetensors");
    desk.does("switch-head 2 3");
    desk.does("twin 1");
    desk.does("shape 2");
    const State back = from_json(to_json(desk.state()), "session");
    EXPECT_EQ(back, desk.state());
    Desk again(back, scene_files());
    EXPECT_EQ(again->trace_recipe(), desk->trace_recipe());
}

}  // namespace
}  // namespace headlight
