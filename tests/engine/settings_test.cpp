// Every setting of a config is followed, refused or reported.
#include <gtest/gtest.h>

#include "model_shapes.h"

namespace headlight::settings_test {
namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// With a gate in the MLP's first product.
Shapes packed(Shapes shapes) {
    for (auto& [name, shape] : shapes)
        if (has(name, "mlp.fc1")) shape[0] *= 2;
    return shapes;
}

std::shared_ptr<const Model> given(const Shapes& shapes, const std::string& config,
                                   const std::string& beside = "") {
    Folder folder;
    folder.with("a/model.safetensors", safetensors_of(shapes));
    if (!beside.empty()) folder.with("a/config.json", beside);
    return load_model("a/model.safetensors", folder.reader(), {},
                      parse_given_config(bytes_of(config), "mine.json"));
}

std::string error_given(const Shapes& shapes, const std::string& config,
                        const std::string& beside = "") {
    try {
        given(shapes, config, beside);
    } catch (const CheckpointError& error) {
        return error.what();
    }
    return "no error";
}

// --- the curve of a gate

TEST(Gates, have_the_curve_that_is_said) {
    const Shapes shapes = packed(vit("", 1));
    EXPECT_EQ(load(shapes)->layers[0].activation, Activation::swiglu);
    EXPECT_TRUE(has(fact(*load(shapes), "activation").origin, "set activation to change it"));
    EXPECT_EQ(given(shapes, R"({"activation": "gelu"})")->layers[0].activation, Activation::geglu);
    EXPECT_EQ(given(shapes, R"({"activation": "geglu_tanh"})")->layers[0].activation,
              Activation::geglu_tanh);
    EXPECT_EQ(given(shapes, R"({"activation": "silu"})")->layers[0].activation, Activation::swiglu);
    const auto timm =
        load(shapes, R"({"architecture": "vit_a", "model_args": {"act_layer": "gelu"}})");
    EXPECT_EQ(timm->layers[0].activation, Activation::geglu);
    EXPECT_EQ(fact(*timm, "activation").origin, "config.json");
    ModelOptions options;
    options.activation = Activation::relu;
    EXPECT_EQ(load(shapes, "", options)->layers[0].activation, Activation::reglu);
}

TEST(Gates, are_refused_where_there_is_none) {
    for (const char* name : {"geglu", "swiglu", "reglu"})
        EXPECT_TRUE(
            has(error_given(vit(), std::string(R"({"activation": ")") + name + "\"}"), name));
}

// Hugging Face's DINOv2 uses SiLU in its gate, whatever hidden_act says.
TEST(Gates, of_hugging_faces_dinov2_do_not_follow_hidden_act) {
    Shapes shapes = huggingface("");
    const std::string at = "encoder.layer.0.";
    for (const char* name : {"intermediate.dense", "output.dense"})
        for (const char* end : {".weight", ".bias"}) shapes.erase(at + name + end);
    add_linear(shapes, at + "mlp.weights_in", 16, kWidth);
    add_linear(shapes, at + "mlp.weights_out", kWidth, 8);
    for (const char* name : {"layer_scale1.lambda1", "layer_scale2.lambda1"})
        shapes[at + name] = {kWidth};
    const auto model = load(shapes, R"({"model_type": "dinov2", "hidden_act": "gelu",
        "use_swiglu_ffn": true})");
    EXPECT_EQ(model->layers[0].activation, Activation::swiglu);
    EXPECT_TRUE(has(fact(*model, "activation").origin, "config.json says gelu"));
    EXPECT_EQ(given(shapes, R"({"activation": "gelu"})")->layers[0].activation, Activation::geglu);
}

// --- settings that a family does not use

TEST(Settings, without_a_use_are_named_from_a_file_of_ones_own) {
    const Shapes plain = vit();
    EXPECT_TRUE(has(error_given(plain, R"({"ref_feat_shape": 16})"), "\"ref_feat_shape\""));
    Shapes beit = vit();
    beit.erase("pos_embed");
    beit["rel_pos_bias.relative_position_bias_table"] = {12, 3};
    const auto model = given(beit, R"({"resampling": "bicubic", "num_heads": 3})");
    EXPECT_EQ(fact(*model, "note"),
              (ModelFact{"note", "BEiT does not use resampling", "mine.json"}));
    EXPECT_EQ(fact(*given(plain, R"({"layer_norm_eps": 1e-5, "qk_scale": 0.1, "num_heads": 2,
        "mean": 0.4, "std": 0.3, "image_size": 8, "resampling": "bicubic", "activation": "relu"})"),
                   "note"),
              ModelFact{});
}

TEST(Settings, without_a_use_are_named_in_the_config_beside_a_model) {
    const auto model = load(huggingface(""), R"({"model_type": "vit", "rope_theta": 100,
        "global_pool": "avg", "gate_kind": "hard", "hidden_dropout_prob": 0.1})");
    EXPECT_EQ(fact(*model, "settings without effect").value, "rope_theta, global_pool");
    EXPECT_EQ(fact(*model, "settings not read"),
              (ModelFact{"settings not read", R"("gate_kind" "hard")", "config.json"}));
    EXPECT_EQ(fact(*load(huggingface("")), "settings not read"), ModelFact{});
}

// --- sizes

TEST(ImageSize, is_a_multiple_of_the_patch) {
    const std::string error = error_given(vit(), R"({"image_size": 7})");
    EXPECT_TRUE(has(error, "image_size")) << error;
    EXPECT_TRUE(has(error, "6 and 8")) << error;
    EXPECT_EQ(error_given(vit(), R"({"image_size": [8, 6]})"), "no error");
    EXPECT_TRUE(has(error_given(vit(), R"({"image_size": [8, 5]})"), "4 and 6"));
    // Its own size may leave a remainder, as SigLIP's 384 pixels with patches of 14 do.
    EXPECT_EQ(error_given(huggingface(""), R"({"image_size": 5})", R"({"model_type": "vit",
        "image_size": 5})"),
              "no error");
}

// --- labels

TEST(Labels, never_keep_a_model_from_being_read) {
    Shapes shapes = huggingface("");
    add_linear(shapes, "classifier", 2, kWidth);
    const auto model = load(shapes, R"({"id2label": {"1": "cat", "2": "dog"}})");
    EXPECT_TRUE(model->class_names.empty());
    const ModelFact aside = fact(*model, "class names not used");
    EXPECT_TRUE(has(aside.value, "numbered from 1 to 2")) << aside.value;
    EXPECT_EQ(fact(*model, "class names").value, "unknown");
    EXPECT_EQ(load(shapes, R"({"id2label": {"cat": 0, "dog": 1}})")->class_names,
              (std::vector<std::string>{"cat", "dog"}));
    // A thousand classes with labels that do not fit are not assumed to be ImageNet's.
    Shapes thousand = huggingface("");
    add_linear(thousand, "classifier", 1000, kWidth);
    EXPECT_FALSE(load(thousand)->class_names.empty());
    EXPECT_TRUE(load(thousand, R"({"id2label": {"1": "cat"}})")->class_names.empty());
}

}  // namespace
}  // namespace headlight::settings_test
