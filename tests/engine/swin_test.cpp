#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "files/tensor_file.h"
#include "model_shapes.h"

// Swin's files: what is read besides the golden ones, and what is refused with which message.
namespace headlight::swin_test {
namespace {

constexpr std::int64_t kNarrow = 8;  // channels of the first stage

void add_swin_block(Shapes& shapes, const std::string& at, std::int64_t c, int window,
                    std::int64_t heads) {
    add_norm(shapes, at + "norm1", c);
    add_norm(shapes, at + "norm2", c);
    add_linear(shapes, at + "attn.qkv", 3 * c, c);
    add_linear(shapes, at + "attn.proj", c, c);
    add_linear(shapes, at + "mlp.fc1", 2 * c, c);
    add_linear(shapes, at + "mlp.fc2", c, 2 * c);
    shapes[at + "attn.relative_position_bias_table"] = {(2 * window - 1) * (2 * window - 1), heads};
}

// In timm's names, two layers in each stage; each stage has twice the heads of the one before.
Shapes swin(const std::vector<int>& windows = {2, 2}, bool older = false,
            const std::string& prefix = "") {
    Shapes shapes{{"patch_embed.proj.weight", {kNarrow, 3, 2, 2}},
                  {"patch_embed.proj.bias", {kNarrow}}};
    add_norm(shapes, "patch_embed.norm", kNarrow);
    std::int64_t c = kNarrow, heads = 1;
    for (std::size_t s = 0; s < windows.size(); ++s, c *= 2, heads *= 2) {
        const std::string stage = "layers." + std::to_string(s) + ".";
        if (s > 0) {
            const std::string merge =
                "layers." + std::to_string(older ? s - 1 : s) + ".downsample.";
            add_norm(shapes, merge + "norm", 2 * c);
            add_linear(shapes, merge + "reduction", c, 2 * c, false);
        }
        for (const char* block : {"blocks.0.", "blocks.1."})
            add_swin_block(shapes, stage + block, c, windows[s], heads);
    }
    add_norm(shapes, "norm", c / 2);
    add_linear(shapes, older ? "head" : "head.fc", 5, c / 2);
    Shapes prefixed;
    for (const auto& [name, shape] : shapes) prefixed[prefix + name] = shape;
    return prefixed;
}

Shapes without(Shapes shapes, const std::string& beginning) {
    std::erase_if(shapes, [&](const auto& tensor) { return tensor.first.starts_with(beginning); });
    return shapes;
}

Shapes with(Shapes shapes, const std::string& name, const std::vector<std::int64_t>& shape) {
    shapes[name] = shape;
    return shapes;
}

// --- What is read.

TEST(Swin, every_second_layer_of_a_stage_is_shifted_by_half_a_window) {
    const auto model = load(swin({4, 3}), R"({"image_size": 24})");
    ASSERT_EQ(model->layers.size(), 4U);
    EXPECT_EQ(model->layers[0].window, (Window{4, 0}));
    EXPECT_EQ(model->layers[1].window, (Window{4, 2}));
    EXPECT_EQ(model->layers[2].window, (Window{3, 0}));
    EXPECT_EQ(model->layers[3].window, (Window{3, 1}));
    EXPECT_EQ(model->layers[1].attention.heads, 1);
    EXPECT_EQ(model->layers[3].attention.heads, 2);
    EXPECT_EQ(model->layers[3].attention.channels, 2 * kNarrow);
    EXPECT_EQ(model->layers[3].relative_bias.grid_rows, 3);
    EXPECT_TRUE(model->layers[2].merge.exists());
    EXPECT_FALSE(model->layers[1].merge.exists() || model->layers[3].merge.exists());
    EXPECT_EQ(fact(*model, "stages").value, "2, of 2, 2 layers");
    EXPECT_EQ(fact(*model, "windows").value,
              "4 × 4, 3 × 3 tokens; every second layer of a stage shifts them by 2, 1");
    EXPECT_EQ(fact(*model, "heads").value, "1, 2, each 8 wide");
}

// Both naming schemes of the merging give the same model; they differ in a strip of shifted
// windows.
TEST(Swin, merging_belongs_to_the_stage_after_it) {
    const auto newer = load(swin()), older = load(swin({2, 2}, true));
    for (const auto& model : {newer, older}) {
        EXPECT_EQ(model->layers[2].merge.reduction.weight->view().cols, 4 * kNarrow);
        EXPECT_EQ(model->layers[2].merge.norm.eps, 1e-5F);
        EXPECT_EQ(model->family, "swin");
        EXPECT_TRUE(model->unused.empty());
    }
    EXPECT_FALSE(newer->layers[1].window.shifts_together);
    EXPECT_TRUE(older->layers[1].window.shifts_together);
}

TEST(Swin, counts_every_number_in_one_part) {
    const Shapes shapes = swin();
    std::int64_t expected = 0, found = 0;
    for (const auto& [name, shape] : shapes) {
        std::int64_t count = 1;
        for (const std::int64_t n : shape) count *= n;
        expected += count;
    }
    const auto model = load(shapes);
    for (const ModelPart& part : model->parts) found += part.parameters;
    EXPECT_EQ(found, expected);
}

// 224 pixels of Swin-T: 4-pixel patches, windows of 7, four stages.
TEST(Swin, its_last_stage_is_one_window_where_nobody_says_more) {
    const auto model = load(swin({7, 7, 7, 7}));
    EXPECT_EQ(model->preprocessing.height, 2 * 7 * 8);
    EXPECT_EQ(fact(*model, "image").origin, "convention of Swin; set image_size to change it");
    EXPECT_EQ(load(swin({7, 7, 14, 7}))->preprocessing.height, 2 * 7 * 8);  // S3's
    EXPECT_EQ(load(swin({3, 3}), R"({"image_size": [36, 24]})")->preprocessing.height, 36);
}

TEST(Swin, keeps_hugging_faces_own_epsilon_between_the_layers) {
    Shapes shapes{{"swin.embeddings.patch_embeddings.projection.weight", {kNarrow, 3, 2, 2}}};
    add_norm(shapes, "swin.embeddings.norm", kNarrow);
    std::int64_t c = kNarrow;
    for (const char* stage : {"0", "1"}) {
        const std::string at = std::string("swin.encoder.layers.") + stage + ".blocks.0.";
        for (const char* norm : {"layernorm_before", "layernorm_after"})
            add_norm(shapes, at + norm, c);
        for (const char* part : {"query", "key", "value"})
            add_linear(shapes, at + "attention.self." + part, c, c);
        add_linear(shapes, at + "attention.output.dense", c, c);
        add_linear(shapes, at + "intermediate.dense", 2 * c, c);
        add_linear(shapes, at + "output.dense", c, 2 * c);
        shapes[at + "attention.self.relative_position_bias_table"] = {9, 2};
        c *= 2;
    }
    add_norm(shapes, "swin.encoder.layers.0.downsample.norm", 4 * kNarrow);
    add_linear(shapes, "swin.encoder.layers.0.downsample.reduction", c / 2, 4 * kNarrow, false);
    add_norm(shapes, "swin.layernorm", c / 2);
    const auto model = load(shapes, R"({"layer_norm_eps": 1e-12})");
    EXPECT_EQ(model->layers[1].norm1.eps, 1e-12F);
    EXPECT_EQ(model->norm.eps, 1e-12F);
    EXPECT_EQ(model->layers[1].merge.norm.eps, 1e-5F);
    EXPECT_EQ(model->pre_norm.eps, 1e-5F);
    EXPECT_TRUE(model->gives_pooler);
    EXPECT_EQ(model->preprocessing.framing, Framing::stretch);
}

TEST(Swin, a_head_for_another_pooling_is_left_aside) {
    const auto model = load(swin(), R"({"architecture": "swin", "global_pool": ""})");
    EXPECT_EQ(model->pooling, Pooling::none);
    EXPECT_FALSE(model->classifier.exists());
    EXPECT_EQ(fact(*model, "head not used").value, "head.fc");
}

// --- What is refused.

struct Refused {
    std::string what;
    Shapes tensors;
    std::string says;
    std::string config{};
};

void PrintTo(const Refused& file, std::ostream* out) { *out << file.what; }

// Layers 0, 1 and 3 of a stage.
Shapes swin_with_gap() {
    Shapes shapes = swin();
    add_swin_block(shapes, "layers.0.blocks.3.", kNarrow, 2, 1);
    return shapes;
}

std::vector<Refused> refused() {
    const std::string first = "layers.0.blocks.0.attn.relative_position_bias_table",
                      second = "layers.0.blocks.1.attn.relative_position_bias_table";
    return {
        {"a table of no window", with(swin(), first, {10, 1}),
         "\"" + first + "\": expected (2w − 1)² rows, for windows of w × w tokens, found 10."},
        {"a table of an even square", with(swin(), first, {16, 1}),
         "expected (2w − 1)² rows, for windows of w × w tokens, found 16."},
        {"tables that differ within a stage", with(swin(), second, {25, 1}),
         "\"" + second + "\": expected [9, 1], found [25, 1]."},
        {"heads that differ within a stage", with(swin(), second, {9, 2}),
         "\"" + second + "\": expected [9, 1], found [9, 2]."},
        {"heads that do not share out the width", with(with(swin(), first, {9, 3}), second, {9, 3}),
         "num_heads: expected a divisor of the width 8, found 3 (tensor shapes)."},
        {"a stage that begins without merging", without(swin(), "layers.1.downsample."),
         "\"layers.1.downsample.norm.weight\": expected [32], found none."},
        {"merging that is missing in the older naming",
         without(swin({2, 2, 2}, true), "layers.1.downsample."),
         "\"layers.1.downsample.norm.weight\": expected [64], found none."},
        {"merging in both namings at once",
         with(swin({2, 2}, true), "layers.1.downsample.norm.weight", {32}),
         "\"layers.1.downsample.norm.weight\": expected a model without this tensor"},
        {"merging to another width", with(swin(), "layers.1.downsample.reduction.weight", {8, 32}),
         "\"layers.1.downsample.reduction.weight\": expected [16, 32], found [8, 32]."},
        {"a stage that is missing", without(swin({2, 2, 2}), "layers.1."),
         "\"layers.1\": expected a block of this number, found none, but \"layers.2.\"."},
        {"a layer that is missing", without(swin(), "layers.1.blocks.0."),
         "\"layers.1.blocks.0.attn.relative_position_bias_table\": expected [offsets, heads], "
         "found "
         "none."},
        {"a later layer that is missing", without(swin({2, 2, 2}, true), "layers.0.blocks.0.norm1"),
         "\"layers.0.blocks.0.norm1.weight\": expected [8], found none."},
        {"a layer without a number between", swin_with_gap(),
         "\"layers.0.blocks.2\": expected a block of this number, found none, but "
         "\"layers.0.blocks.3.\"."},
        {"more stages than anybody has", swin({2, 2, 2, 2, 2, 2, 2, 2, 2}),
         "expected at most 8 stages, found more."},
        {"a layer that has lost its bias", without(swin(), "layers.1.blocks.1.attn.qkv.bias"),
         "\"layers.1.blocks.1.attn.qkv.bias\": expected one, as in"},
        {"patches of no square", with(swin(), "patch_embed.proj.weight", {kNarrow, 3, 2, 4}),
         "\"patch_embed.proj.weight\": expected [width, 1 or 3 channels, patch, patch]"},
        {"frames of a film", with(swin(), "patch_embed.proj.weight", {kNarrow, 3, 2, 2, 2}),
         "\"patch_embed.proj.weight\": expected [width, 1 or 3 channels, patch, patch]"},
        {"positions beside a norm of the patches", with(swin(), "absolute_pos_embed", {1, 16, 8}),
         "\"absolute_pos_embed\": expected none if the patches have a norm"},
        {"a decoder among its own tensors", with(swin(), "layers_up.0.expand.weight", {8, 8}),
         "\"layers_up.0.expand.weight\": expected a model without this tensor"},
        {"an attention with more", with(swin(), "layers.0.blocks.0.attn.extra", {4}),
         "\"layers.0.blocks.0.attn.extra\": expected a model without this tensor"},
        {"a config of other depths", swin(),
         "depths: expected 2, 2, as in the tensors, found 2, 4 (config.json).",
         R"({"depths": [2, 4]})"},
        {"a config of other heads", swin(),
         "num_heads: expected 1, 2, as in the tensors, found 2, 4 (config.json).",
         R"({"num_heads": [2, 4]})"},
        {"one number of heads for all", swin(),
         "num_heads: expected 1, 2, as in the tensors, found 2 (config.json).",
         R"({"num_heads": 2})"},
        {"a config of other windows", swin(),
         "window_size: expected 2, 2, as in the tensors, found 7 (config.json).",
         R"({"window_size": 7})"},
        {"a picture of broken windows", swin(),
         "image_size: expected multiples of 8, for whole windows in every stage, found 20 × 20.",
         R"({"image_size": 20})"},
    };
}

class RefusedSwin : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedSwin, in_one_sentence) {
    const std::string error = error_of(GetParam().tensors, GetParam().config);
    EXPECT_NE(error.find(GetParam().says), std::string::npos) << error;
    EXPECT_TRUE(error.starts_with("a/model.safetensors: ") && error.ends_with(".")) << error;
}

INSTANTIATE_TEST_SUITE_P(All, RefusedSwin, ::testing::ValuesIn(refused()));

// timm reduces windows to the map's size if that is smaller than the config says.
TEST(Swin, a_config_may_say_windows_that_are_cut_down) {
    EXPECT_EQ(error_of(swin({4, 2}), R"({"window_size": 4, "image_size": 8})"), "no error");
    EXPECT_EQ(error_of(swin({4, 2}), R"({"window_size": [4, 2]})"), "no error");
    EXPECT_EQ(error_of(swin({2, 2}), R"({"window_size": [2, 2], "depths": [2, 2],
                                        "num_heads": [1, 2]})"),
              "no error");
}

TEST(Swin, other_models_have_no_list_of_heads) {
    EXPECT_NE(error_of(vit(), R"({"num_heads": [3, 6]})").find("expected one whole number for"),
              std::string::npos);
}

// --- Buffers that follow from the windows, as some files have them.

// A golden file with one of its tensors changed.
std::string error_of_changed(const std::string& name, const std::string& tensor,
                             const std::function<void(std::vector<float>&)>& change,
                             const std::string& as = "") {
    const std::string path = kFamilies + name + ".model.safetensors";
    const TensorFile file = open_tensor_file(path, read_disk);
    std::vector<RawTensor> tensors;
    for (const auto& [own, stored] : file.tensors()) {
        std::vector<float> numbers = file.values(own);
        if (own == tensor) change(numbers);
        const bool whole = stored.type == "I64";
        const std::vector<std::int64_t> wholes(numbers.begin(), numbers.end());
        tensors.push_back({own == tensor && !as.empty() ? as : own, stored.type, stored.shape,
                           whole ? raw(wholes) : raw(numbers)});
    }
    return error_of("m", safetensors_of(tensors));
}

TEST(SwinBuffers, are_read_and_not_listed) {
    for (const char* name : {"swin_authors", "hf_swin", "torchvision_swin"})
        EXPECT_TRUE(load_golden(name)->unused_tensors.empty()) << name;
}

TEST(SwinBuffers, must_be_what_the_windows_make_them) {
    const std::string index = "layers.0.blocks.0.attn.relative_position_index",
                      mask = "layers.0.blocks.1.attn_mask";
    EXPECT_EQ(error_of_changed("swin_authors", index, [](auto& n) { n[1] = 7; }),
              "m: tensor \"" + index +
                  "\": expected 11 for tokens 0 and 1 of a window of 3 × 3, found 7.");
    EXPECT_EQ(error_of_changed("swin_authors", mask, [](auto& n) { n.back() = -100; }),
              "m: tensor \"" + mask +
                  "\": expected −100 for tokens of different regions in shifted windows of 3 × 3, "
                  "else 0, found other numbers.");
    EXPECT_EQ(error_of_changed(
                  "swin_authors", mask, [](auto&) {}, "layers.0.blocks.0.attn_mask"),
              "m: tensor \"layers.0.blocks.0.attn_mask\": expected none, because the windows of "
              "this layer are not shifted, found one.");
    EXPECT_EQ(error_of_changed("torchvision_swin", "features.3.1.attn.relative_position_index",
                               [](auto& n) { std::ranges::reverse(n); }),
              "m: tensor \"features.3.1.attn.relative_position_index\": expected 3 for tokens 0 "
              "and 1 of a window of 2 × 2, found 5.");
}

// The masks of the first stage are for 12 × 18 tokens of 2 pixels.
TEST(SwinBuffers, masks_say_what_the_pictures_are) {
    const auto model =
        load_model(kFamilies + "swin_authors.model.safetensors", [](const std::string& path) {
            if (path.ends_with(".json")) throw FileMissing(path);
            return read_disk(path);
        });
    EXPECT_EQ(model->preprocessing.height, 24);
    EXPECT_EQ(model->preprocessing.width, 36);
}

}  // namespace
}  // namespace headlight::swin_test
