#include "state/session.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "assets/assets.h"
#include "scene/random_scene.h"
#include "state/fields.h"
#include "support.h"
#include "tests/scratch_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A state in which nothing is a default.
State unusual_state() {
    State state;
    state.recipe.image = "/home/ä/my \"cat\" 猫.png";
    state.recipe.mean = {0.485F, 0.456F, 0.406F};
    state.recipe.std = {0.229F, 0.224F, 0.225F};
    state.selection = {Step::softmax,     3,      false, true, 4, 17, false, 9, 5,
                       Axis::qkv_channel, {3, 40}};
    state.recipe.scene = random_scene(5);
    state.recipe.queries = 5;
    state.recipe.query_seed = 3;
    state.recipe.tokens = Signal{Curve::waves, 200, 11, 0.5F, 7, {}};
    state.on_picture = Recipe{};
    state.reference = "/out of torch.npz";
    state.look.heads_tools = true;
    state.region = {3, 4, {1, 2, 7}};
    state.recipe.switched_off = {{0, 2}, {3, 1}};
    state.recent = {"/b.png", "c", ""};
    state.recent_tokens = {"/t.npz"};
    state.lessons = {
        {"/l.md", 3, 5, {{1, 2, LessonResult::second_try}, {3, 1, LessonResult::done}}},
        {"m.md", 0, 0}};
    const std::vector<std::pair<const char*, const char*>> values{
        {"image_height", "97"},
        {"image_width", "131"},
        {"framing", "fit"},
        {"alpha", "white"},
        {"color", "grey"},
        {"patch_size", "12"},
        {"stride", "5"},
        {"ragged", "crop"},
        {"channels", "96"},
        {"heads", "6"},
        {"bias", "true"},
        {"weights", "/w.safe"},
        {"temperature", "0.1"},
        {"scale", "0.3"},
        {"positions", "none"},
        {"pointer_light", "true"},
        {"notes", "true"},
        {"skip", "input"},
        {"seed", "123456"},
        {"theme", "light"},
        {"signed_map", "purple-orange"},
        {"attention_map", "grey"},
        {"attention_scale", "logarithm"},
        {"attention_cut", "1.5"},
        {"range", "own"},
        {"reading", "by"},
        {"overlay", "false"},
        {"borders", "false"},
        {"zoom", "1.1"},
        {"lecture", "true"},
        {"pointer_dot", "true"},
        {"widget_names", "true"},
        {"pen", "true"},
        {"improvise", "true"},
        {"motion", "false"},
        {"moving_operands", "false"},
        {"follow_cell", "true"},
        {"speed", "0.7"},
        {"heads_large", "true"},
        {"scores_view", "widths"},
        {"gradient", "true"},
        {"gradient_of", "sum"},
        {"softmax_bench", "true"},
        {"bench_temperature", "0.5"},
        {"stage_view", "maps"},
        {"recurrent_gain", "1.25"},
        {"toy_weights", "1 0 0 1 0.5 0 0 -0.5"},
        {"toy_targets", "1 0 2"},
        {"toy_steps", "40"},
        {"cards_step", "120"},
        {"position_page", "order"},
        {"position_kinds", "true"},
        {"position_plot", "added"},
        {"readout_scenes", "48"},
        {"pair_measure", "distance"},
        {"position_card", "rotation"},
        {"offset_right", "-2"},
        {"offset_down", "3"},
        {"position_bias", "distance"},
        {"position_strength", "2.5"},
        {"position_seed", "9"},
        {"fold_reference", "folded"},
        {"left_width", "222.5"},
        {"right_width", "444"},
        {"family", "dino"},
        {"part", "teacher"},
        {"num_heads", "7"},
        {"grid", "15x20"},
        {"tokens_before", "5"},
        {"sample", "2"},
        {"layer", "5"},
        {"layer_norm_eps", "0.001"},
        {"activation", "relu"},
        {"norm_first", "false"},
        {"layers", "7"},
        {"resampling", "bicubic"},
        {"rollout", "max"},
        {"rollout_discard", "0.5"},
        {"rollout_norm", "vit_explain"},
        {"rollout_shown", "true"},
        {"all_layers", "true"},
        {"mask", "no_self + local 3 + blocked 4x4 0-2.1"},
        {"position_base", "100"},
        {"position_first", "rows"},
        {"score", "cosine"},
        {"value_channels", "32"},
        {"outputs", "48"},
        {"weights_from", "max"},
        {"projections", "none"},
        {"activation_after", "relu"},
        {"sum_over", "queries"},
        {"dropout_attention", "0.25"},
        {"dropout_output", "0.5"},
        {"dropout_seed", "3"},
        {"head_number", "distance"},
        {"attention_scale", "logarithm"},
        {"attention_cut", "2"},
        {"heads_large", "true"},
        {"heads_order", "entropy"},
        {"heads_mass", "60"},
        {"heads_combined", "max"},
        {"heads_class_map", "relevance"},
        {"heads_curves", "true"},
        {"heads_smooth", "true"},
        {"heads_contours", "true"},
        {"heads_side", "rings"},
        {"figure_ground", "white"},
        {"figure_methods", "legrad,rollout"},
        {"features", "norms"},
        {"features_foreground", "below:0.25"},
        {"nearest_folder", "/pictures"},
        {"nearest_by", "patches"},
        {"nearest_end", "true"},
        {"heads_patched", "tokens"},
        {"lecture_theme", "dark"},
        {"folder_shown", "true"},
        {"folder_measured", "true"},
        {"figure_layers", "1,3-4"},
        {"figure_heads", "2"},
        {"figure_queries", "rows"},
        {"figure_combine", "hues"},
        {"figure_mass", "60"},
        {"figure_picture", "grey"},
        {"figure_opacity", "0.5"},
        {"figure_columns", "4"},
        {"figure_tile", "128"},
        {"figure_caption", "own"},
        {"figure_words", "What \"it\" reads"},
        {"figure_theme", "dark"},
        {"figure_resolution", "4"},
        {"figure_width_cm", "8.5"},
        {"screen", "heads"},
        {"position_channel", "12"},
        {"fast_waves_off", "25"},
        {"slow_waves_off", "50"},
        {"order", "mirrored + shifted 2 1 + seed 3 of 5 + exchanged 3-7 4-1"},
        {"heads_filter", "least"},
        {"heads_filter_by", "distance"},
        {"heads_bound", "0.5"},
        {"heads_class", "7"},
        {"heads_alike", "0.25"},
        {"other_position", "7"},
        {"position_way", "bias"}};
    for (const auto& [name, value] : values) find_field(name)->set(state, value);
    state.look.folds.fill(Fold::folded);
    state.pinned = state.recipe;
    state.pinned->temperature = 7;
    state.pinned->image = "/a.png";
    state.look.compare = Compare::difference;
    return state;
}

std::string complaint(const std::string& text) {
    try {
        from_json(text, "s.json");
    } catch (const SessionError& e) {
        return e.what();
    }
    return "none";
}

struct Folder : ::testing::Test {
    ScratchFolder scratch;
    fs::path path = scratch.path();
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
};
using SessionFile = Folder;

TEST(Session, comes_back_as_it_was) {
    EXPECT_EQ(from_json(to_json(State{}), "s"), State{});
    const State state = unusual_state();
    for (const Field& f : all_fields()) EXPECT_NE(f.get(state), f.get(State{})) << f.name;
    EXPECT_EQ(from_json(to_json(state), "s"), state);
}

TEST(Session, says_values_as_json_says_them) {
    const Json file = Json::parse(to_json(unusual_state()));
    EXPECT_EQ(file["version"], 1);
    EXPECT_EQ(file["recipe"]["heads"], 6);
    EXPECT_EQ(file["recipe"]["temperature"], 0.1);
    EXPECT_EQ(file["recipe"]["bias"], true);
    EXPECT_EQ(file["recipe"]["framing"], "fit");
    EXPECT_EQ(file["look"]["compare"], "difference");
    EXPECT_EQ(file["selection"]["step"], "softmax");
    EXPECT_EQ(file["pinned"]["temperature"], 7);
    EXPECT_FALSE(file["recipe"].contains("image_size"));
}

TEST(Session, what_is_missing_keeps_its_default) {
    EXPECT_EQ(from_json("{}", "s"), State{});
    State state;
    state.recipe.heads = 8;
    EXPECT_EQ(from_json(R"({"version": 1, "recipe": {"heads": 8}})", "s"), state);
    EXPECT_EQ(from_json(R"({"recipe": {"patch_size": 8}})", "s").recipe.patches.stride,
              std::nullopt);
    EXPECT_EQ(from_json(R"({"recipe": {"image_size": 64}})", "s").recipe.image_width, 64);
}

TEST(Session, what_is_unknown_is_ignored) {
    EXPECT_EQ(from_json(R"({"future": [1], "recipe": {"x": {}}, "look": {"y": null},
                            "selection": {"z": 1}})",
                        "s"),
              State{});
}

TEST(Session, refusals_name_the_file_the_value_and_what_was_expected) {
    EXPECT_EQ(complaint(R"({"recipe": {"heads": 65}})"),
              "s.json: heads: expected an integer from 1 to 64, found \"65\".");
    EXPECT_EQ(complaint(R"({"recipe": {"heads": "6"}})"),
              "s.json: heads: expected a number, found \"6\".");
    EXPECT_EQ(complaint(R"({"look": {"lecture": 1}})"),
              "s.json: lecture: expected true or false, found 1.");
    EXPECT_EQ(complaint("nonsense"), "s.json: expected JSON, found something else at byte 2.");
    EXPECT_EQ(complaint(R"({"version": 2})"), "s.json: version: expected 1, found 2.");
}

TEST(Session, values_of_wrong_types_are_refused) {
    const Json good = Json::parse(to_json(unusual_state()));
    const std::vector<Json> wrong{Json(),
                                  true,
                                  -1,
                                  1.5,
                                  1e99,
                                  18446744073709551615U,
                                  "odd word",
                                  Json::array({1, 2}),
                                  Json::object({{"a", 1}})};
    for (const char* section : {"recipe", "pinned", "look", "selection"})
        for (const auto& [name, value] : good[section].items())
            for (const Json& odd : wrong) {
                Json file = good;
                file[section][name] = odd;
                // Some odd values are valid: any text is a path. All others are refused with the
                // field's name, without side effects.
                const std::string why = complaint(file.dump());
                const bool has_parts = name == "scene" || name == "tokens";
                EXPECT_TRUE(why == "none" || why.find(name + ": expected") != std::string::npos ||
                            (has_parts && why.find(name + ": there is no") != std::string::npos))
                    << why;
                const bool takes_lists = name == "mean" || name == "std" || name == "also";
                if (odd.is_object() || (odd.is_array() && !takes_lists)) {
                    EXPECT_NE(why, "none") << section << " " << name;
                }
            }
    for (const char* section : {"version", "recipe", "pinned", "look", "selection", "recent"})
        for (const Json& odd : wrong) {
            Json file = good;
            file[section] = odd;
            const std::string why = complaint(file.dump());
            if (why == "none") {
                EXPECT_TRUE(odd.is_object() || odd.is_null()) << section << odd;
            }
        }
    for (const char* text : {"", "[]", "1", "null", "\"x\"", "{", "{\"recipe\":", "\xff"})
        EXPECT_NE(complaint(text), "none") << text;
}

TEST(Session, scenes_and_heads_are_refused_by_name) {
    EXPECT_EQ(complaint(R"({"recipe": {"scene": 3}})"),
              "s.json: scene: expected an object, found 3.");
    EXPECT_EQ(complaint(R"({"recipe": {"scene": {"background": 1, "shapes": []}}})"),
              "s.json: scene, background: expected an object, found 1.");
    EXPECT_EQ(complaint(R"({"recipe": {"switched_off": [[1, -1]]}})"),
              "s.json: switched_off: expected an integer from 0 to 2147483646, found \"-1\".");
    EXPECT_EQ(complaint(R"({"recipe": {"switched_off": [3]}})"),
              "s.json: switched_off: expected the numbers of a layer and a head, found 3.");
    const std::string twice = R"({"recipe": {"switched_off": [[2, 1], [0, 3], [2, 1]]}})";
    EXPECT_EQ(from_json(twice, "s").recipe.switched_off, (std::vector<HeadPlace>{{0, 3}, {2, 1}}));
}

TEST(Session, every_axis_has_a_word) {
    State state;
    for (int axis = 0; axis <= static_cast<int>(Axis::one); ++axis) {
        state.selection.col_axis = static_cast<Axis>(axis);
        EXPECT_EQ(from_json(to_json(state), "s"), state) << axis;
    }
}

TEST(Session, a_kept_result_is_needed_to_compare) {
    EXPECT_EQ(from_json(R"({"look": {"compare": "before"}})", "s").look.compare, Compare::after);
}

TEST(Session, the_result_after_was_once_called_now) {
    for (const char* word : {"now", "after"})
        EXPECT_EQ(
            from_json(std::string(R"({"pinned": {}, "look": {"compare": ")") + word + "\"}}", "s")
                .look.compare,
            Compare::after)
            << word;
}

TEST(Session, what_was_kept_was_once_called_a) {
    const std::string kept = R"({"pinned": {}, "look": {"compare": "WORD"}})";
    for (const char* word : {"a", "before"}) {
        std::string text = kept;
        text.replace(text.find("WORD"), 4, word);
        EXPECT_EQ(from_json(text, "s").look.compare, Compare::before) << word;
    }
}

TEST(Session, borders_of_patches_were_once_called_grid) {
    EXPECT_FALSE(from_json(R"({"look": {"grid": false}})", "s").look.grid);
    EXPECT_TRUE(from_json(R"({"look": {"grid": true}})", "s").look.grid);
    EXPECT_FALSE(from_json(R"({"look": {"borders": false}})", "s").look.grid);
    const State laid = from_json(R"({"recipe": {"grid": "15x20", "tokens_before": 1}})", "s");
    EXPECT_EQ(laid.recipe.model.layout.grid, (GridSize{15, 20}));
}

TEST(Session, deep_nesting_does_no_harm) {
    const std::string deep(300000, '[');
    EXPECT_NE(complaint(deep), "none");
    EXPECT_NE(complaint(R"({"recipe": )" + deep + std::string(300000, ']') + "}"), "none");
}

// Reading once compared each object with all earlier ones.
TEST(Session, a_megabyte_of_objects_is_refused) {
    std::string many = "{}";
    for (int i = 0; i < 300'000; ++i) many += ",{}";
    EXPECT_EQ(complaint(R"({"recent": [)" + many + "]}"),
              "s.json: expected JSON of at most 10000 entries, found more.");
}

TEST(Session, is_known_by_its_first_member) {
    for (const State& state : {State{}, unusual_state()})
        EXPECT_TRUE(begins_like_session(to_json(state)));
    for (const char* text : {"", "  \n", "{}", " { } ", R"({"recipe": [broken)", R"({
  "look": {)",
                             R"({"version":1})"})
        EXPECT_TRUE(begins_like_session(text)) << text;
    for (const char* text : {"\xff\xd8\xff\xe0", "[]", "recipe", "{", R"({"background": 1})",
                             R"({"recipes": 1})", R"({"version)", R"({"architectures": []})"})
        EXPECT_FALSE(begins_like_session(text)) << text;
}

TEST(Session, a_name_that_is_not_utf8_loses_letters_not_the_session) {
    State state;
    state.recipe.image = "/caf\xe9.png";
    state.recipe.heads = 8;
    EXPECT_EQ(from_json(to_json(state), "s").recipe.heads, 8);
}

TEST(Session, damaged_files_are_read_or_refused) {
    const std::string good = to_json(unusual_state());
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        std::string text = good;
        for (auto n = 1 + random() % 3; n > 0; --n) {
            const std::size_t at = random() % text.size();
            switch (random() % 3) {
                case 0:
                    text[at] = static_cast<char>(random() % 256);
                    break;
                case 1:
                    text.erase(at, 1 + random() % 40);
                    break;
                default:
                    text.insert(at, text.substr(random() % text.size(), random() % 20));
            }
            if (text.empty()) break;
        }
        try {
            const State state = from_json(text, "s");
            EXPECT_EQ(from_json(to_json(state), "s"), state);
        } catch (const SessionError&) {
        }
    }
}

TEST_F(SessionFile, is_saved_and_loaded) {
    const fs::path file = path / "new" / "folder" / "session.json";
    save_session(file, unusual_state());
    EXPECT_EQ(load_session(file), unusual_state());
    save_session(file, State{});  // over the old one
    EXPECT_EQ(load_session(file), State{});
    path = file.parent_path();
    EXPECT_EQ(files(), 1U);
    path = path.parent_path().parent_path();
}

TEST_F(SessionFile, that_cannot_be_read_is_explained) {
    EXPECT_THROW(load_session(path / "none.json"), SessionError);
    EXPECT_THROW(load_session(path), SessionError);
    EXPECT_THROW(load_session({}), SessionError);
    EXPECT_THROW(load_session("/dev/zero"), SessionError);
    std::ofstream(path / "large.json") << std::string(2 << 20, ' ');
    EXPECT_THROW(load_session(path / "large.json"), SessionError);
    std::ofstream(path / "empty.json") << "";
    EXPECT_THROW(load_session(path / "empty.json"), SessionError);
}

TEST_F(SessionFile, that_cannot_be_written_leaves_nothing) {
    fs::create_directories(path / "session.json" / "x");  // in the way
    EXPECT_THROW(save_session(path / "session.json", State{}), SessionError);
    EXPECT_EQ(files(), 1U);
    std::ofstream(path / "file") << "x";
    EXPECT_THROW(save_session(path / "file" / "session.json", State{}), SessionError);
    EXPECT_THROW(save_session({}, State{}), SessionError);
}

TEST(SessionPath, follows_the_environment) {
    const auto with = [](const char* state_home, const char* home) {
        state_home ? setenv("XDG_STATE_HOME", state_home, 1) : unsetenv("XDG_STATE_HOME");
        home ? setenv("HOME", home, 1) : unsetenv("HOME");
        return default_session_path().string();
    };
    const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "/";
    EXPECT_EQ(with("/state", "/home/me"), "/state/headlight/session.json");
    EXPECT_EQ(with(nullptr, "/home/me"), "/home/me/.local/state/headlight/session.json");
    EXPECT_EQ(with("relative", "/home/me"), "/home/me/.local/state/headlight/session.json");
    EXPECT_EQ(with("", "/home/me"), "/home/me/.local/state/headlight/session.json");
    EXPECT_EQ(with(nullptr, nullptr), "");
    with(nullptr, home.c_str());
}

// An experiment leaves the user's own settings and lists unchanged.
TEST(Experiment, is_a_session_without_what_is_the_persons_own) {
    const std::filesystem::path file =
        std::filesystem::path(::testing::TempDir()) / "e.headlight.json";
    State saved = unusual_state();
    save_session(file, as_experiment(saved, file));
    State own;
    own.recent = {"/mine.png"};
    own.look.theme = Theme::dark;
    const State opened = load_experiment(file, own);
    EXPECT_EQ(opened.recipe, saved.recipe);
    EXPECT_EQ(opened.pinned, saved.pinned);
    EXPECT_EQ(opened.region, saved.region);
    EXPECT_EQ(opened.selection, saved.selection);
    EXPECT_EQ(opened.look.heads_order, saved.look.heads_order);
    EXPECT_EQ(opened.look.theme, Theme::dark);
    EXPECT_EQ(opened.recent, own.recent);
    EXPECT_TRUE(load_session(file).recent.empty());
}

TEST(Experiment, moves_with_the_files_beside_it) {
    const fs::path folder = fs::path(::testing::TempDir()) / "moves", moved = folder / "there";
    fs::create_directories(moved);
    const std::string shipped = (assets::directory() / "images/cat.jpg").string();
    State saved;
    saved.recipe.image = (folder / "pictures/a.png").string();
    saved.recipe.weights = "/elsewhere/model.safetensors";
    saved.pinned = Recipe();
    saved.pinned->image = shipped;
    saved.reference = (folder / "trace.npz").string();
    saved.look.nearest_folder = (assets::directory() / "images").string();
    const fs::path file = folder / "e.headlight.json";
    save_session(file, as_experiment(saved, file));
    EXPECT_EQ(load_session(file).recipe.image, "pictures/a.png");
    EXPECT_EQ(load_session(file).pinned->image, "assets:images/cat.jpg");
    EXPECT_EQ(load_session(file).look.nearest_folder, "assets:images");
    State opened = load_experiment(file, State{});
    EXPECT_EQ(opened.recipe, saved.recipe);
    EXPECT_EQ(opened.pinned, saved.pinned);
    EXPECT_EQ(opened.reference, saved.reference);
    EXPECT_EQ(opened.look.nearest_folder, saved.look.nearest_folder);
    fs::rename(file, moved / "e.headlight.json");
    opened = load_experiment(moved / "e.headlight.json", State{});
    EXPECT_EQ(opened.recipe.image, (moved / "pictures/a.png").string());
    EXPECT_EQ(opened.recipe.weights, saved.recipe.weights);
    EXPECT_EQ(opened.pinned->image, shipped);
    EXPECT_EQ(opened.reference, (moved / "trace.npz").string());
}

}  // namespace
}  // namespace headlight
