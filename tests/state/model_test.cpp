#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "models.h"
#include "program/ordinals.h"
#include "state/fields.h"
#include "state/session.h"
#include "support.h"

// Whole models: opening, walking through, changing, closing, and rejecting invalid ones.
#include "tests/scratch_folder.h"

namespace headlight {
namespace {

using testing::Desk;
using testing::golden_model;
using testing::model_files;

constexpr const char* kTimm = "open-model timm/model.safetensors";
constexpr const char* kVit = "open-model vit/model.safetensors";

TEST(Models, are_met_as_they_were_made) {
    Desk desk(testing::small_state(), model_files());
    desk.does("set temperature 0.5");
    ASSERT_TRUE(desk.does(kTimm));
    ASSERT_TRUE(desk->notice().text.empty()) << desk->notice().text;
    const Recipe& recipe = desk.state().recipe;
    EXPECT_EQ(recipe.image, "a.ppm");
    EXPECT_EQ(recipe.image_height, std::nullopt);
    EXPECT_EQ(recipe.temperature, 1.0F);
    EXPECT_EQ(recipe.channels, 16);  // the previous layer's, for when the model is closed
    const Trace& trace = *desk->trace();
    EXPECT_EQ(trace.model->family, "timm");
    EXPECT_EQ(trace.shape.heads, 3);
    EXPECT_EQ(desk.state().recent_models.front(), "timm/model.safetensors");
}

// As everywhere, layers are counted after the token transformers. The golden T2T has two of these,
// and one layer.
TEST(Models, open_at_the_layer_that_is_named) {
    const auto layer_at = [](const char* layer, const char* said) {
        Desk desk(testing::small_state(), model_files());
        EXPECT_TRUE(desk.does(std::string("open-model t2t/model.safetensors ") + layer)) << layer;
        EXPECT_NE(desk->notice().text.find(said), std::string::npos) << desk->notice().text;
        EXPECT_EQ(desk->trace()->layer, desk.state().recipe.layer);
        desk.does("undo");
        EXPECT_EQ(desk.state().recipe.weights, "") << "opening is one step";
        desk.does("redo");
        return layer_number(*desk->trace()->model, desk->trace()->layer);
    };
    EXPECT_EQ(layer_at("1", ""), "1");
    EXPECT_EQ(layer_at("T1", ""), "T1");
    EXPECT_EQ(layer_at("T2", ""), "T2");
    EXPECT_EQ(layer_at("2", "has 1 layer: layer 1 is shown instead of layer 2."), "1");
    EXPECT_EQ(layer_at("9", "has 1 layer: layer 1 is shown instead of layer 9."), "1");
    EXPECT_EQ(layer_at("T3", "layer T2 is shown instead of layer T3."), "T2");
}

TEST(Models, that_are_there_are_looked_at_where_a_layer_is_named) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open-model t2t/model.safetensors 1"));
    const auto shown = [&] { return layer_number(*desk->trace()->model, desk->trace()->layer); };
    for (const char* layer : {"T1", "1", "T2"}) {
        ASSERT_TRUE(desk.does(std::string("open-model t2t/model.safetensors ") + layer));
        EXPECT_EQ(shown(), layer);
    }
    ASSERT_TRUE(desk.does("open-model t2t/model.safetensors 1"));
    ASSERT_TRUE(desk.does("layer T1"));
    EXPECT_EQ(shown(), "T1") << "what was named before is over";
    EXPECT_FALSE(desk.does("open-model t2t/model.safetensors T0"));
    EXPECT_FALSE(desk.does("open-model t2t/model.safetensors 0"));
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors 2"));
    EXPECT_EQ(desk->trace()->layer, 1);
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors T1"));
    EXPECT_NE(desk->notice().text.find("layer 1 is shown instead of layer T1."), std::string::npos);
}

// As in a session with a file that has fewer layers now.
TEST(Models, with_fewer_layers_count_them_after_token_transformers) {
    State state = testing::small_state();
    state.recipe.weights = "t2t/model.safetensors";
    state.recipe.layer = 6;
    Desk desk(state, model_files());
    EXPECT_EQ(desk->trace()->layer, 2);
    EXPECT_NE(desk->notice().text.find("has 1 layer: layer 1 is shown instead of layer 5."),
              std::string::npos)
        << desk->notice().text;
}

// Only the input and the randomly initialized layer's settings stay; a new field of the recipe does
// not.
TEST(Models, are_met_without_what_was_tried_before) {
    Desk desk(testing::small_state(), model_files());
    for (const char* line : {"set score additive", "set weights_from max", "set mask causal",
                             "set activation_after relu", "set dropout_attention 0.5"})
        ASSERT_TRUE(desk.does(line)) << line;
    ASSERT_TRUE(desk.does("open-model layer/model.safetensors"));
    EXPECT_EQ(desk.state().recipe.variant, AttentionVariant{});
    EXPECT_TRUE(desk.state().recipe.mask.empty());
}

TEST(Models, are_opened_at_a_layer) {
    Desk desk(testing::small_state(), model_files());
    EXPECT_FALSE(desk.does(std::string(kTimm) + " 0"));
    EXPECT_EQ(desk.state().recipe.weights, "");
    ASSERT_TRUE(desk.does(std::string(kTimm) + " 2"));
    EXPECT_EQ(desk.state().recipe.layer, 1);
    EXPECT_EQ(desk->trace()->layer, 1);
}

TEST(Layers, that_fall_in_number_take_the_chosen_one_along) {
    Desk desk;
    const auto expect_layer = [&](int layer) {
        EXPECT_EQ(desk.state().recipe.layer, layer);
        EXPECT_EQ(desk->trace()->layer, layer);
        EXPECT_EQ(desk->notice().text, "");
    };
    const auto begin = [&] {
        ASSERT_TRUE(desk.does("set layers 4"));
        ASSERT_TRUE(desk.does("layer 3"));
    };
    begin();
    ASSERT_TRUE(desk.does("set layers 3"));
    expect_layer(2);
    ASSERT_TRUE(desk.does("set layers 1"));
    expect_layer(0);
    ASSERT_TRUE(desk.does("undo"));  // all of a gesture
    expect_layer(2);
    for (const char* line : {"set layers 2", "reset layers", "reset all", "defaults"}) {
        begin();
        ASSERT_TRUE(desk.does(line)) << line;
        expect_layer(std::string(line) == "set layers 2" ? 1 : 0);
    }
    EXPECT_FALSE(desk.say("layer 9"));
    desk.expect_notice("layer");
}

// In a session whose model has changed, and in a handwritten one.
TEST(Layers, beyond_the_last_one_show_the_last_one) {
    State state = testing::small_state();
    state.recipe.layers = 2;
    state.recipe.layer = 7;
    const Desk drawn(state);
    EXPECT_EQ(drawn.state().recipe.layer, 1);
    state = testing::small_state();
    state.recipe = with_model(state.recipe, "timm/model.safetensors");
    state.recipe.layer = 7;
    Desk desk(state, model_files());
    ASSERT_NE(desk->trace(), nullptr);
    const int last = static_cast<int>(desk->trace()->model->layers.size()) - 1;
    EXPECT_EQ(desk.state().recipe.layer, last);
    EXPECT_EQ(desk->trace()->layer, last);
    EXPECT_FALSE(desk->notice().is_error);
    EXPECT_NE(desk->notice().text.find("instead of layer 8"), std::string::npos);
    EXPECT_FALSE(desk->can_undo());
}

// Patch size, color and heads are the file's until the user changes them.
TEST(Models, a_layer_is_shown_pictures_as_its_file_reads_them) {
    Desk desk(testing::small_state(), model_files());
    for (const char* line : {"set patch_size 8", "set heads 8", "set color rgb", "set skip none"})
        desk.does(line);
    ASSERT_TRUE(desk.does("open-model layer/model.safetensors"));
    ASSERT_TRUE(desk->notice().text.empty()) << desk->notice().text;
    EXPECT_EQ(desk->trace()->grid.settings, (PatchSettings{7, 7, Ragged::pad}));
    EXPECT_EQ(desk->trace()->image->channels, 1);
    EXPECT_EQ(desk->trace()->grid.count(), 9);
    EXPECT_EQ(desk->trace()->config.heads, 2);
    EXPECT_EQ(desk->trace()->config.skip, Skip::value);
    ASSERT_TRUE(desk.does("set heads 4"));
    EXPECT_EQ(desk->trace()->config.heads, 4);
    ASSERT_TRUE(desk.does("reset heads"));
    EXPECT_EQ(desk->trace()->config.heads, 2);
}

// Unset values of a randomly initialized layer return to their defaults, also after an undo.
TEST(Models, a_drawn_layer_forgets_what_was_chosen) {
    Desk desk;
    const AttentionConfig usual = desk->trace()->config;
    for (const char* line : {"set heads 8", "set channels 32", "set skip none"}) desk.does(line);
    EXPECT_EQ(desk->trace()->config.heads, 8);
    for (const char* line : {"reset heads", "reset skip", "set channels 16"}) desk.does(line);
    EXPECT_EQ(desk->trace()->config, usual);
}

TEST(Models, open_understands_a_checkpoint_by_its_ending) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open vit/model.safetensors"));
    EXPECT_EQ(desk->trace()->model->family, "hf-vit");
    EXPECT_EQ(desk.state().recipe.image, "a.ppm");
}

TEST(Models, are_walked_through_layer_by_layer) {
    Desk desk(testing::small_state(), model_files());
    desk.does(kTimm);
    const int layers = static_cast<int>(desk->trace()->model->layers.size());
    ASSERT_GE(layers, 2);
    EXPECT_TRUE(desk.does("layer 2"));
    EXPECT_EQ(desk->trace()->layer, 1);
    EXPECT_TRUE(desk.does("layer next"));
    EXPECT_EQ(desk->trace()->layer, std::min(2, layers - 1));
    EXPECT_TRUE(desk.does("layer 1"));
    EXPECT_TRUE(desk.does("layer previous"));
    EXPECT_EQ(desk->trace()->layer, 0);
    EXPECT_FALSE(desk.does("layer " + std::to_string(layers + 1)));
    desk.expect_notice("layer");
    EXPECT_EQ(desk->trace()->layer, 0);
}

TEST(Models, are_closed_and_undo_opens_them_again) {
    Desk desk(testing::small_state(), model_files());
    const State before = desk.state();
    EXPECT_TRUE(desk.does("close-model"));  // there is none, and that is as it was asked
    EXPECT_TRUE(same_choices(desk.state(), before));
    desk.does(kTimm);
    const State opened = desk.state();
    EXPECT_TRUE(desk.does("close-model"));
    EXPECT_EQ(desk.state().recipe.weights, "");
    EXPECT_EQ(desk->trace()->config.channels, before.recipe.channels);
    EXPECT_TRUE(desk.does("undo"));
    EXPECT_TRUE(same_choices(desk.state(), opened));
    EXPECT_EQ(desk->trace()->model->family, "timm");
    EXPECT_TRUE(desk.does("undo"));
    EXPECT_TRUE(same_choices(desk.state(), before));
    EXPECT_FALSE(desk->can_undo());
    EXPECT_TRUE(desk.does("redo"));
    EXPECT_TRUE(same_choices(desk.state(), opened));
}

TEST(Models, fields_can_be_left_to_them) {
    Desk desk(testing::small_state(), model_files());
    desk.does(kTimm);
    const auto says = [&](std::string_view field) {
        return find_field(field)->of_model(*desk->trace());
    };
    EXPECT_EQ(says("num_heads"), "3");
    EXPECT_EQ(says("layer_norm_eps"), "1e-06");
    EXPECT_EQ(says("activation"), "gelu");
    for (const char* line :
         {"set num_heads 4", "set layer_norm_eps 0.001", "set activation relu", "set image_size 32",
          "set mean \"0.4, 0.5, 0.6\"", "set std \"0.2 0.2 0.2\"", "set framing stretch"})
        EXPECT_TRUE(desk.does(line)) << line << ": " << desk->notice().text;
    EXPECT_TRUE(desk->notice().text.empty()) << desk->notice().text;
    EXPECT_EQ(desk->trace()->shape.heads, 4);
    EXPECT_EQ(desk->trace()->model->layers[0].norm1.eps, 0.001F);
    EXPECT_EQ(desk->trace()->mean, (std::vector{0.4F, 0.5F, 0.6F}));
    for (const char* field : {"num_heads", "layer_norm_eps", "activation", "image_height",
                              "image_width", "mean", "std", "framing"}) {
        EXPECT_NE(find_field(field)->get(desk.state()), "model") << field;
        EXPECT_TRUE(desk.does(std::string("reset ") + field)) << field;
        EXPECT_EQ(find_field(field)->get(desk.state()), "model") << field;
    }
    EXPECT_EQ(desk->trace()->shape.heads, 3);
}

TEST(Models, three_numbers_are_three_numbers) {
    Desk desk;
    for (const char* line :
         {"set mean 0.5", "set mean \"1 2 3 4\"", "set mean \"a b c\"", "set std \"1 1 0\""}) {
        EXPECT_FALSE(desk.does(line)) << line;
        desk.expect_notice("expected");
    }
    EXPECT_EQ(desk.state().recipe.mean, std::nullopt);
}

TEST(Models, a_file_that_is_none_leaves_everything_as_it_was) {
    for (const char* before : {"pause", kTimm}) {
        Desk desk(testing::small_state(), model_files());
        desk.does(before);
        desk.does("set temperature 0.5");
        const State good = desk.state();
        for (const char* name : {"bad.safetensors", "none.safetensors", "lost.pth"}) {
            EXPECT_TRUE(desk.does(std::string("open-model ") + name));
            desk.expect_notice(name);
            EXPECT_TRUE(same_choices(desk.state(), good)) << before << ", " << name;
            EXPECT_EQ(desk->trace_recipe(), good.recipe);
        }
        EXPECT_TRUE(desk.does("undo"));  // of the temperature: the bad files are forgotten
        EXPECT_EQ(desk.state().recipe.temperature, 1.0F);
    }
}

TEST(Models, half_opened_is_not_opened) {
    auto go = std::make_shared<std::atomic<bool>>(false);
    Desk desk(testing::small_state(), [go, files = model_files()](const std::string& name) {
        while (name == "vit/model.safetensors" && !*go)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return files(name);
    });
    desk.does(kTimm);
    const State good = desk.state();
    EXPECT_TRUE(desk.say(kVit));
    EXPECT_TRUE(desk.say("cancel"));
    EXPECT_TRUE(same_choices(desk.state(), good));
    EXPECT_NE(desk->notice().text.find("vit was not opened"), std::string::npos);
    *go = true;
    desk.settle();
    EXPECT_EQ(desk->trace()->model->family, "timm");
    EXPECT_TRUE(same_choices(desk.state(), good));
}

TEST(Models, a_pickle_is_not_run_but_its_way_out_is_said) {
    Desk desk(testing::small_state(), model_files());
    desk.does("open-model lost.pth");
    desk.expect_notice("\nimport torch");
    desk.expect_notice("\nopen(\"lost.safetensors\", ");
}

TEST(Models, another_image_keeps_the_model_and_another_model_the_image) {
    Desk desk(testing::small_state(), model_files());
    desk.does(kTimm);
    desk.does("open b.ppm");
    EXPECT_EQ(desk->trace()->model->family, "timm");
    desk.does(kVit);
    EXPECT_EQ(desk->trace()->model->family, "hf-vit");
    EXPECT_EQ(desk->trace_recipe().image, "b.ppm");
}

TEST(Models, stand_in_sessions_with_their_layer_and_options) {
    Desk desk(testing::small_state(), model_files());
    desk.does(kTimm);
    desk.does("layer 2");
    desk.does("set activation relu");
    desk.does("set mean \"0.4 0.5 0.6\"");
    desk.does("set rollout max");
    const State back = from_json(to_json(desk.state()), "session");
    EXPECT_EQ(back, desk.state());
    Desk again(back, model_files());
    EXPECT_EQ(again->trace()->layer, 1);
    EXPECT_EQ(again->trace_recipe(), desk->trace_recipe());
}

TEST(Models, a_folder_stands_for_the_model_in_it) {
    namespace fs = std::filesystem;
    const ScratchFolder scratch;
    const fs::path& folder = scratch.path();
    fs::create_directory(folder / "empty");
    scratch.write("model.safetensors", "x");
    Desk desk;
    EXPECT_FALSE(desk.does("open-model " + (folder / "empty").string()));
    desk.expect_notice("model.safetensors");
    EXPECT_TRUE(desk.say("open " + folder.string()));
    EXPECT_EQ(desk.state().recipe.weights, (folder / "model.safetensors").string());
}

TEST(Models, a_cell_after_the_last_layer_is_no_token_of_a_token_transformer) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open-model t2t/model.safetensors")) << desk->notice().text;
    ASSERT_TRUE(desk.does("layer T1"));
    ASSERT_TRUE(desk.say("focus 3"));
    ASSERT_TRUE(desk.say("step norm"));
    ASSERT_TRUE(desk.say("cell 1 2"));
    EXPECT_EQ(desk.selection().token, 3);
    EXPECT_EQ(desk.selection().col, 2);
    ASSERT_TRUE(desk.does("layer 1"));
    ASSERT_TRUE(desk.say("cell 1 2"));
    EXPECT_EQ(desk.selection().token, 1);
}

// As in `trace --layers` and the names of the layers.
TEST(Models, layers_are_counted_after_the_token_transformers) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open-model t2t/model.safetensors")) << desk->notice().text;
    const Model& model = *desk->trace()->model;
    ASSERT_EQ(model.token_transformers(), 2);
    const int count = static_cast<int>(model.layers.size()) - 2;
    for (int layer = 1; layer <= count; ++layer) {
        ASSERT_TRUE(desk.does("layer " + std::to_string(layer)));
        EXPECT_EQ(desk.state().recipe.layer, layer + 1);
        EXPECT_EQ(desk->trace()->model_layer().name, "Layer " + std::to_string(layer));
    }
    ASSERT_TRUE(desk.does("layer T2"));
    EXPECT_EQ(desk->trace()->model_layer().name, "T2T 2");
    for (const std::string& bad :
         std::vector<std::string>{"T0", "T3", "T", "Tx", "t1", "0", std::to_string(count + 1)}) {
        EXPECT_FALSE(desk.does("layer " + bad)) << bad;
        desk.expect_notice('"' + bad + '"');
    }
    ASSERT_TRUE(desk.does("switch-head 1 2"));
    ASSERT_TRUE(desk.does("switch-head T1 1"));
    EXPECT_EQ(desk.state().recipe.switched_off, (std::vector<HeadPlace>{{0, 0}, {2, 1}}));
    EXPECT_EQ(heads_text(desk.state().recipe.switched_off, &model), "T1.1 1.2");
    ASSERT_TRUE(desk.does("set switched_off \"1.1 T2.1\"")) << desk->notice().text;
    EXPECT_EQ(desk.state().recipe.switched_off, (std::vector<HeadPlace>{{1, 0}, {2, 0}}));
    ASSERT_TRUE(desk.does("open-head 1 1"));
    EXPECT_EQ(desk.state().recipe.layer, 2);
}

TEST(Models, heads_that_there_are_not_cannot_be_switched_off) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open-model vit/model.safetensors")) << desk->notice().text;
    const State before = desk.state();
    for (const char* bad : {"99.1", "1.99", "0.1", "1.0", "1.1 99.1", "T1.1"}) {
        EXPECT_FALSE(desk.does(std::string("set switched_off \"") + bad + '"')) << bad;
        EXPECT_EQ(desk.state(), before) << bad;
    }
    EXPECT_TRUE(desk.does("set switched_off \"1.1 1.2\""));
}

// A model in a file on the disk, which other programs write.
class ModelOnDisk : public ::testing::Test {
  protected:
    void SetUp() override { save(golden_model("timm")); }

    void save(const Bytes& bytes) const {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        // Works however coarse the file system's clock is.
        std::filesystem::last_write_time(
            path, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(++saved));
    }
    [[nodiscard]] FileReader disk() const {
        return [path = path, others = model_files()](const std::string& name) {
            if (name.ends_with("/config.json")) return others("timm/config.json");
            if (name != path) return others(name);
            std::ifstream file(path, std::ios::binary);
            return File(testing::to_bytes(std::string(std::istreambuf_iterator<char>(file), {})));
        };
    }

    ScratchFolder scratch;
    const std::string path = scratch / "watched.safetensors";
    mutable int saved = 0;
};

TEST_F(ModelOnDisk, that_changed_is_said_once_and_read_again_when_asked) {
    Desk desk(testing::small_state(), disk());
    ASSERT_TRUE(desk.does("open-model " + path));
    desk.does("layer 2");
    const auto shown = desk->trace();
    EXPECT_FALSE(desk->look_after_model());
    ASSERT_TRUE(desk.does("open-model " + path));  // as it was met first
    EXPECT_EQ(desk->trace()->model, shown->model);
    desk.does("layer 2");

    Bytes trained = golden_model("timm");
    trained.back() ^= std::byte{1};
    save(trained);
    EXPECT_TRUE(desk->look_after_model());
    desk.expect_notice("changed on disk");
    EXPECT_EQ(desk->trace()->model, shown->model);
    EXPECT_FALSE(desk->look_after_model());  // reported only once

    ASSERT_TRUE(desk.does("open-model " + path));
    EXPECT_NE(desk->trace()->model, shown->model);
    EXPECT_EQ(desk.state().recipe.layer, 1);  // the same experiment with the changed file
    EXPECT_FALSE(desk->look_after_model());
    std::filesystem::remove(path);
    EXPECT_FALSE(desk->look_after_model());  // nothing else has changed
}

TEST_F(ModelOnDisk, that_is_damaged_when_it_is_read_again_leaves_the_last_picture) {
    Desk desk(testing::small_state(), disk());
    ASSERT_TRUE(desk.does("open-model " + path));
    const auto shown = desk->trace();
    Bytes half = golden_model("timm");
    half.resize(half.size() / 2);
    save(half);
    desk.does("open-model " + path);
    desk.expect_notice("expected");
    EXPECT_EQ(desk->trace(), shown);
    save(golden_model("timm"));
    ASSERT_TRUE(desk.does("open-model " + path));
    EXPECT_NE(desk->trace(), shown);
    EXPECT_TRUE(desk->notice().text.empty()) << desk->notice().text;
}

// Patches of 2 × 2: by default the picture is small, but the user may change it.
TEST(Model, of_tiny_patches_alone_is_shown_a_small_picture) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model tiny/model.safetensors")) << desk->notice().text;
    ASSERT_TRUE(desk.does("reset image_height"));
    ASSERT_TRUE(desk.does("reset image_width"));
    EXPECT_EQ(desk->trace()->shape.queries, 1024);
    EXPECT_EQ(desk->trace()->preprocessing.height, 64);
    const auto& facts = desk->trace()->model->facts;
    const auto size = std::ranges::find(facts, "image", &ModelFact::what);
    ASSERT_NE(size, facts.end());
    EXPECT_EQ(size->value, "64 × 64");
    EXPECT_TRUE(size->origin.starts_with("no more than 1024 patches")) << size->origin;
    ASSERT_TRUE(desk.does("set image_size 80"));
    EXPECT_EQ(desk->trace()->shape.queries, 1600);
    ASSERT_TRUE(desk.does("open-model encoder/model.safetensors"));
    EXPECT_EQ(desk->trace()->shape.queries, 64);
}

}  // namespace
}  // namespace headlight
