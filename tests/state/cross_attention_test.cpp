#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>

#include "files/safetensors.h"
#include "models.h"
#include "program/values.h"
#include "state/changes.h"
#include "state/session.h"
#include "support.h"
#include "tests/source_path.h"
#include "trace/token_rows.h"

// Queries that are other tokens than keys: selecting, displaying, saving and undoing.
namespace headlight {
namespace {

using testing::Desk;
using testing::small_state;

File golden_layer(const std::string& name) {
    const std::string folder = source_path("tests/golden/layers/");
    std::ifstream file(name.starts_with("/") ? name : folder + name, std::ios::binary);
    if (!file) return testing::model_files()(name);
    return testing::to_bytes(std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(CrossAttentionState, learned_queries_are_chosen_and_taken_back) {
    Desk desk;
    ASSERT_TRUE(desk.does("focus 6"));
    const State before = desk.state();
    ASSERT_TRUE(desk.does("set queries 5")) << desk->notice().text;
    EXPECT_EQ(desk->trace()->shape.queries, 5);
    EXPECT_EQ(desk->trace()->shape.keys, 16);
    // The selected patch is now a key.
    EXPECT_EQ(desk.selection().token, 0);
    EXPECT_EQ(desk.selection().key, 6);
    const auto changed = changed_fields(desk.state().recipe, *desk->trace());
    EXPECT_EQ(std::ranges::count(changed, "queries", &RecipeField::name), 1);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_TRUE(same_choices(desk.state(), before));
    ASSERT_TRUE(desk.does("redo"));
    ASSERT_TRUE(desk.does("reset all"));
    EXPECT_EQ(desk.state().recipe.queries, std::nullopt);
    // The position of row 1, column 2 of 4 × 4 patches in the default grid of 10 × 10.
    EXPECT_EQ(desk.selection().token, 36);
    EXPECT_EQ(desk.selection().key, std::nullopt);
}

TEST(CrossAttentionState, both_kinds_of_tokens_are_pinned_and_let_go) {
    Desk desk;
    EXPECT_FALSE(desk.does("focus-key 3"));
    desk.expect_notice("focus-key: queries and keys are the same tokens here. Use focus.");
    ASSERT_TRUE(desk.does("set queries 5"));
    ASSERT_TRUE(desk.does("focus-key 15"));
    ASSERT_TRUE(desk.does("focus 4"));
    EXPECT_FALSE(desk.does("focus 5"));
    EXPECT_FALSE(desk.does("focus-key 16"));
    EXPECT_EQ(desk.selection().token, 4);
    EXPECT_EQ(desk.selection().key, 15);
    ASSERT_TRUE(desk.does("step softmax"));
    ASSERT_TRUE(desk.does("cell 2 9"));
    EXPECT_EQ(desk.selection().token, 2);
    EXPECT_EQ(desk.selection().key, 9);
    EXPECT_EQ(desk.selection().col, 9);
    ASSERT_TRUE(desk.does("focus-key 11"));
    EXPECT_EQ(desk.selection().col, 11);
    ASSERT_TRUE(desk.does("step patches"));
    ASSERT_TRUE(desk.does("cell 7 100"));  // a row is a patch, which is read
    EXPECT_EQ(desk.selection().token, 2);
    EXPECT_EQ(desk.selection().key, 7);
    ASSERT_TRUE(desk.does("step queries"));
    ASSERT_TRUE(desk.does("cell 1 100"));
    EXPECT_EQ(desk.selection().token, 1);
    EXPECT_EQ(desk.selection().key, 7);
    EXPECT_EQ(from_json(to_json(desk.state()), "s"), desk.state());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(desk.does("release"));
    EXPECT_EQ(desk.selection().token, std::nullopt);
    EXPECT_EQ(desk.selection().key, std::nullopt);
    EXPECT_EQ(desk.selection().col, std::nullopt);
}

TEST(CrossAttentionState, every_step_of_the_walk_has_a_cell_to_look_at) {
    Desk desk;
    ASSERT_TRUE(desk.does("set queries 5"));
    std::vector<std::string> names;
    for (const Node& node : desk->trace()->nodes) {
        names.emplace_back(node.name());
        EXPECT_TRUE(desk.does("step " + names.back())) << names.back();
        if (node.id == Step::image) continue;
        EXPECT_TRUE(desk.does("cell 4 1")) << names.back();
    }
    EXPECT_EQ(names, (std::vector<std::string>{"image", "patches", "position", "queries", "qkv",
                                               "key_value", "heads", "products", "scale", "softmax",
                                               "mix", "concat", "project", "skip"}));
}

TEST(CrossAttentionState, what_cannot_be_computed_is_said_and_the_walk_stays) {
    Desk desk;
    ASSERT_TRUE(desk.does("set queries 5"));
    desk.does("set mask causal");
    desk.expect_notice("The mask causal compares places in one list of tokens");
    EXPECT_EQ(desk->trace()->shape.queries, 5);
    ASSERT_TRUE(desk.does("set mask \"keys 3\""));
    EXPECT_FALSE(desk->notice().is_error) << desk->notice().text;
    EXPECT_EQ(desk->trace()->view(Tensor::attention)(0, 3), 0);
    ASSERT_TRUE(desk.does("vectors four"));  // tokens of another kind have queries of their own
    EXPECT_EQ(desk.state().recipe.queries, std::nullopt);
    EXPECT_FALSE(desk.does("set queries 5"));
    desk.expect_notice(
        "queries: learned queries attend to patches of a picture, but the tokens here come from "
        "elsewhere. Use picture first.");
    ASSERT_TRUE(desk.does("picture"));
    EXPECT_EQ(desk->trace()->shape.queries, 5);
}

TEST(CrossAttentionState, a_file_of_query_and_value_is_opened_like_tokens) {
    Desk desk(small_state(), golden_layer);
    ASSERT_TRUE(desk.does("open-model keras_cross.model.safetensors"));
    desk.expect_notice("Open a file with query and value, or use learned queries on a picture.");
    const std::string file = source_path("tests/golden/layers/keras_cross.input.safetensors");
    ASSERT_TRUE(desk.does("open " + file)) << desk->notice().text;
    EXPECT_EQ(desk->notice().text, "");
    EXPECT_EQ(desk.state().recipe.variant.projections, Projections::learned);
    EXPECT_EQ(desk->trace()->shape.queries, 5);
    EXPECT_EQ(desk->trace()->shape.keys, 9);
    EXPECT_EQ(name_of_token(*desk->trace(), Side::key, 4), "token 4");
    const SharedResult first = desk->trace()->result(Tensor::output);
    ASSERT_TRUE(desk.does("sample 2"));
    EXPECT_NE(desk->trace()->result(Tensor::output)->view()(0, 0), first->view()(0, 0));
    EXPECT_EQ(from_json(to_json(desk.state()), "s"), desk.state());
    ASSERT_TRUE(desk.does("open-model keras_cross.model.safetensors")) << desk->notice().text;
    EXPECT_FALSE(desk->notice().is_error) << desk->notice().text;
    EXPECT_EQ(desk->trace()->shape.head_dim, 3);
    ASSERT_TRUE(desk.does("tokens " + file + " 2"));
    EXPECT_FALSE(desk.does("tokens " + file + " 3"));
}

// A PyTorch decoder: its layers alternate between self-attention and cross-attention to its memory.
TEST(CrossAttentionState, a_decoder_is_opened_with_its_tokens_and_its_memory) {
    const std::string golden = source_path("tests/golden/blocks/decoder");
    Desk desk(small_state(), [&](const std::string& name) -> File {
        if (name.ends_with("config.json"))
            return testing::to_bytes(R"({"num_heads": 3, "norm_first": true})");
        return golden_layer(name);
    });
    desk.does("open-model " + golden + ".model.safetensors");
    desk.expect_notice("a decoder attends to its own tokens and to a memory");
    ASSERT_TRUE(desk.does("open " + golden + ".input.safetensors")) << desk->notice().text;
    ASSERT_TRUE(desk.does("open-model " + golden + ".model.safetensors")) << desk->notice().text;
    ASSERT_TRUE(desk.does("set mask causal")) << desk->notice().text;
    ASSERT_EQ(desk->trace()->model->layers.size(), 4);
    std::ifstream file(golden + ".safetensors", std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const TensorMap expected = read_safetensors(std::as_bytes(std::span(text)), golden);
    for (int layer = 0; layer < 4; ++layer) {
        SCOPED_TRACE(layer);
        ASSERT_TRUE(desk.does("layer " + std::to_string(layer + 1))) << desk->notice().text;
        const Trace& trace = *desk->trace();
        const bool across = layer % 2 == 1;
        EXPECT_EQ(is_cross(trace), across);
        EXPECT_EQ(trace.shape.keys, across ? 7 : 5);
        EXPECT_EQ(trace.layout.count(), trace.shape.keys);
        const auto& output = expected.at("layer." + std::to_string(layer) + ".output").values;
        const MatrixView found = trace.view(Tensor::output);
        for (Index row = 0; row < 5; ++row)
            for (Index col = 0; col < 12; ++col)
                EXPECT_NEAR(found(row, col), output[static_cast<std::size_t>(row * 12 + col)],
                            1e-5);
        const auto& numbers = desk->summary()->layers.at(static_cast<std::size_t>(layer));
        EXPECT_EQ(numbers.size(), across ? 0 : 3);
    }
}

TEST(CrossAttentionState, a_model_that_is_opened_has_queries_of_its_own) {
    Desk desk(small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("set queries 5"));
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    EXPECT_FALSE(desk->notice().is_error) << desk->notice().text;
    EXPECT_EQ(desk.state().recipe.queries, std::nullopt);
    EXPECT_FALSE(is_cross(*desk->trace()));
}

// A setting without effect is not silently accepted.
TEST(CrossAttentionState, a_whole_model_refuses_what_it_decides_itself) {
    Desk desk(small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    const State before = desk.state();
    for (const char* line : {"set score dot",
                             "set weights_from max",
                             "set projections none",
                             "set skip none",
                             "set activation_after relu",
                             "set dropout_attention 0.5",
                             "set dropout_output 0.5",
                             "set dropout_seed 3",
                             "set channels 32",
                             "set heads 2",
                             "set seed 4",
                             "set bias true",
                             "set patch_size 4",
                             "set stride 4",
                             "set ragged crop",
                             "set color grey",
                             "set layers 2",
                             "set value_channels 16",
                             "set outputs 16",
                             "set queries 4",
                             "set query_seed 2",
                             "set sum_over queries",
                             "set norm_first true"}) {
        EXPECT_FALSE(desk.does(line)) << line;
        desk.expect_notice(
            ": a whole model fixes this value. You can change it only for a single attention "
            "layer.");
    }
    EXPECT_TRUE(same_choices(desk.state(), before));
    EXPECT_TRUE(desk.does("set temperature 0.5"));
    EXPECT_TRUE(desk.does("reset score"));
    ASSERT_TRUE(desk.does("close-model"));
    EXPECT_TRUE(desk.does("set score dot"));
}

}  // namespace
}  // namespace headlight
