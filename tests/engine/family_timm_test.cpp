#include <gtest/gtest.h>

#include "model_shapes.h"

namespace headlight::family_timm_test {
namespace {

Shapes with_head(Shapes shapes, std::int64_t classes = 4, std::int64_t width = 192) {
    shapes["head.weight"] = {classes, width};
    shapes["head.bias"] = {classes};
    return shapes;
}

TEST(TimmNames, are_recognized_with_their_facts) {
    const auto model = load(with_head(vit()));
    EXPECT_EQ(model->family, "timm");
    EXPECT_EQ(model->file, "a/model.safetensors");
    EXPECT_EQ(fact(*model, "layers"), (ModelFact{"layers", "2", "tensor names"}));
    EXPECT_EQ(fact(*model, "heads").value, "3, each 64 wide");
    EXPECT_NE(fact(*model, "heads").origin.find("set num_heads"), std::string::npos);
    EXPECT_EQ(fact(*model, "norm epsilon").value, "1e-06");
    EXPECT_EQ(fact(*model, "image").value, "4 × 4");
    EXPECT_EQ(fact(*model, "activation").value, "gelu");
    EXPECT_EQ(fact(*model, "class names").value, "unknown");
    EXPECT_TRUE(model->unused.empty());
    EXPECT_EQ(model->layers[1].name, "Layer 2");
    EXPECT_EQ(model->layers[1].file_name, "layer.1");
    EXPECT_EQ(model->layers[0].attention.skip, Skip::input);
    EXPECT_TRUE(model->layers[0].attention.qkv_bias);
    EXPECT_EQ(model->preprocessing.mean[0], 0.5F);
}

TEST(TimmNames, count_every_parameter_once) {
    const auto model = load(with_head(vit()));
    std::int64_t found = 0, expected = 0;
    for (const ModelPart& part : model->parts) found += part.parameters;
    for (const auto& [name, shape] : with_head(vit())) {
        std::int64_t count = 1;
        for (const std::int64_t n : shape) count *= n;
        expected += count;
    }
    EXPECT_EQ(found, expected);
}

TEST(TimmNames, name_the_classes_of_imagenet) {
    const auto model = load(with_head(vit(), 1000));
    ASSERT_EQ(model->class_names.size(), 1000);
    EXPECT_EQ(model->class_names[0], "tench");
}

// DINO's files and a timm model without a head have the same names.
TEST(TimmNames, leave_a_headless_model_to_dino_unless_told_otherwise) {
    const auto guessed = load(vit());
    EXPECT_EQ(guessed->family, "dino");
    EXPECT_NE(fact(*guessed, "family").origin.find("set family to timm"), std::string::npos);
    EXPECT_EQ(guessed->positions.resampling, Resampling::bicubic_offset);

    ModelOptions options;
    options.family = "timm";
    const auto chosen = load(vit(), "", options);
    EXPECT_EQ(chosen->family, "timm");
    EXPECT_EQ(fact(*chosen, "family").origin, "your choice");
    EXPECT_EQ(chosen->positions.resampling, Resampling::bicubic_antialiased);

    const auto hub = load(vit(), R"({"architecture": "vit_tiny_patch16_224"})");
    EXPECT_EQ(hub->family, "timm");
    EXPECT_EQ(fact(*hub, "family").origin, "config.json");

    options.family = "clip";
    EXPECT_EQ(
        error_of(vit(), "", options),
        "a/model.safetensors: family: expected timm or deit or dino or dinov2 or mae, whose tensor "
        "names these are, found clip (your choice).");
}

TEST(TimmNames, take_the_teacher_of_a_training_file) {
    Shapes shapes = vit("teacher.backbone.");
    shapes.merge(vit("student.module.backbone."));
    shapes["teacher.head.mlp.0.weight"] = {4, 192};
    const auto model = load(shapes);
    EXPECT_EQ(model->family, "dino");
    EXPECT_EQ(fact(*model, "prefix of the names").value, "teacher.backbone.");
    EXPECT_EQ(model->unused, (std::vector<std::string>{"student.module.*: 30 tensors",
                                                       "teacher.head.mlp.0.weight"}));
}

TEST(TimmNames, list_what_is_left_over) {
    Shapes shapes = vit();
    shapes["mask_token"] = {1, 192};
    shapes["decoder_norm.weight"] = {4};
    EXPECT_EQ(load(shapes)->unused,
              (std::vector<std::string>{"decoder_norm.weight", "mask_token"}));
}

// A model with operations that Headlight lacks would show wrong numbers.
TEST(TimmNames, refuse_what_would_change_the_numbers) {
    for (const char* name : {"blocks.1.attn.relative_position_bias_table", "blocks.0.attn.q_bias",
                             "patch_embed.norm.weight"}) {
        Shapes shapes = vit();
        shapes[name] = {192};
        const std::string error = error_of(shapes);
        EXPECT_NE(error.find(name), std::string::npos) << error;
        EXPECT_NE(error.find("expected a model without this tensor"), std::string::npos) << error;
    }
    // As in BEiT, whose tokens get no other positions.
    Shapes shapes = vit();
    shapes["rel_pos_bias.relative_position_bias_table"] = {192};
    EXPECT_NE(error_of(shapes).find("because the scores have a relative bias, found both"),
              std::string::npos);
}

TEST(TimmNames, say_which_tensor_is_missing_or_odd) {
    Shapes shapes = vit("", 9);
    shapes.erase("blocks.7.norm1.bias");
    EXPECT_EQ(error_of(shapes),
              "a/model.safetensors: tensor \"blocks.7.norm1.bias\": expected [192], found none. "
              "Headlight does not compute such norms (RMSNorm).");
    shapes = vit("", 9);
    shapes.erase("blocks.7.attn.proj.bias");  // not taken for a layer without bias
    EXPECT_EQ(error_of(shapes),
              "a/model.safetensors: tensor \"blocks.7.attn.proj.bias\": expected one, as in "
              "\"blocks.0.\", found none.");
    shapes = vit("", 9);
    shapes["blocks.7.attn.proj.weight"] = {192, 191};
    EXPECT_NE(error_of(shapes).find("\"blocks.7.attn.proj.weight\": expected [192, 192], found "
                                    "[192, 191]"),
              std::string::npos);
    shapes = vit("", 3);
    std::erase_if(shapes, [](const auto& tensor) { return tensor.first.starts_with("blocks.1."); });
    EXPECT_EQ(error_of(shapes),
              "a/model.safetensors: tensor \"blocks.1\": expected a block of this number, found "
              "none, but \"blocks.2.\".");
    shapes = vit();
    shapes["patch_embed.proj.weight"] = {192, 768, 1, 1};
    EXPECT_NE(error_of(shapes).find("1 or 3 channels"), std::string::npos);
    shapes = vit("", 0);
    EXPECT_NE(error_of(shapes).find("\"blocks.0\": expected a block, found none"),
              std::string::npos);
}

TEST(TimmNames, need_a_grid_of_positions) {
    Shapes shapes = vit();
    shapes["pos_embed"] = {1, 7, 192};
    const std::string error = error_of(shapes);
    EXPECT_NE(error.find("\"pos_embed\""), std::string::npos) << error;
    EXPECT_NE(error.find("set image_size"), std::string::npos) << error;
    const auto model = load(shapes, R"({"input_size": [3, 4, 6]})");
    EXPECT_EQ(model->positions.grid_rows, 2);
    EXPECT_EQ(model->positions.grid_cols, 3);
    EXPECT_EQ(model->preprocessing.width, 6);
}

TEST(TimmNames, follow_the_config_of_the_hub) {
    const auto model = load(with_head(vit(), 2), R"({
        "architecture": "vit_tiny_patch2_clip_quickgelu_224", "num_classes": 2,
        "label_names": ["n01", "n02"], "label_descriptions": {"n02": "second"},
        "pretrained_cfg": {"mean": [0.1, 0.2, 0.3], "std": [0.4, 0.5, 0.6], "crop_pct": 0.9,
                           "interpolation": "bilinear", "input_size": [3, 224, 224],
                           "crop_mode": "center"}})");
    EXPECT_EQ(model->preprocessing.mean, (std::array{0.1F, 0.2F, 0.3F}));
    EXPECT_EQ(model->preprocessing.std, (std::array{0.4F, 0.5F, 0.6F}));
    EXPECT_EQ(model->preprocessing.height, 224);
    EXPECT_EQ(model->preprocessing.resize, (ResizeTo{248, 248}));
    EXPECT_EQ(model->preprocessing.interpolation, Interpolation::bilinear);
    EXPECT_EQ(fact(*model, "mean").origin, "config.json");
    EXPECT_EQ(model->layers[0].activation, Activation::quick_gelu);
    EXPECT_EQ(model->class_names, (std::vector<std::string>{"n01", "second"}));
    // 5 rows are a class token and 2 × 2 patches, whatever the config says.
    EXPECT_EQ(model->positions.grid_rows, 2);
}

TEST(TimmNames, let_the_person_decide) {
    ModelOptions options;
    options.num_heads = 4;
    options.layer_norm_eps = 0.5F;
    options.qk_scale = 0.25F;
    options.activation = Activation::silu;
    options.resampling = Resampling::bicubic;
    const auto model =
        load(with_head(vit()), R"({"num_heads": 6, "layer_norm_eps": 0.1})", options);
    EXPECT_EQ(model->layers[0].attention.heads, 4);
    EXPECT_EQ(model->layers[0].norm2.eps, 0.5F);
    EXPECT_EQ(model->norm.eps, 0.5F);
    EXPECT_EQ(model->layers[0].attention.scale, 0.25F);
    EXPECT_EQ(model->layers[0].activation, Activation::silu);
    EXPECT_EQ(model->positions.resampling, Resampling::bicubic);
    EXPECT_EQ(fact(*model, "heads"), (ModelFact{"heads", "4, each 48 wide", "your choice"}));
    EXPECT_EQ(load(with_head(vit()), R"({"num_heads": 6})")->layers[0].attention.heads, 6);
    EXPECT_EQ(error_of(vit(), R"({"num_heads": 5})"),
              "a/model.safetensors: num_heads: expected a divisor of the width 192, found 5 "
              "(config.json).");
}

TEST(TimmNames, decide_the_heads_by_their_norm_or_the_width) {
    Shapes shapes = with_head(vit("", 1));
    for (const char* norm : {"q_norm", "k_norm"})
        for (const char* part : {".weight", ".bias"})
            shapes["blocks.0.attn." + std::string(norm) + part] = {96};
    const auto model = load(shapes);
    EXPECT_EQ(model->layers[0].attention.heads, 2);
    EXPECT_EQ(fact(*model, "heads").origin, "tensor shapes");
    EXPECT_EQ(model->layers[0].key_norm.gamma->view().cols, 96);

    const std::vector<std::pair<std::int64_t, int>> widths{
        {384, 6}, {768, 12}, {1024, 16}, {1152, 16}, {1280, 16}, {1536, 24}, {40, 1}};
    for (const auto& [width, heads] : widths)
        EXPECT_EQ(load(vit("", 1, width))->layers[0].attention.heads, heads) << width;
}

TEST(TimmNames, pool_as_the_tensors_say) {
    Shapes without_class = with_head(vit());
    without_class.erase("cls_token");
    without_class["pos_embed"] = {1, 4, 192};
    EXPECT_EQ(load(without_class)->pooling, Pooling::patches);
    EXPECT_EQ(load(with_head(vit()), R"({"architecture": "vit", "global_pool": "avg"})")->pooling,
              Pooling::patches);

    Shapes attention = with_head(vit());
    attention["attn_pool.latent"] = {1, 1, 192};
    const auto model = load(attention);
    EXPECT_EQ(model->pooling, Pooling::none);
    EXPECT_FALSE(model->classifier.exists());
    EXPECT_EQ(model->unused,
              (std::vector<std::string>{"attn_pool.latent", "head.bias", "head.weight"}));
}

// Only timm's model names tell which GELU these towers have.
TEST(TimmNames, give_siglips_towers_their_gelu_and_heads) {
    const auto activation = [](const std::string& name) {
        return load(vit(), R"({"architecture": ")" + name + R"("})")->layers[0].activation;
    };
    EXPECT_EQ(activation("vit_base_patch16_siglip_224"), Activation::gelu);
    EXPECT_EQ(activation("vit_so400m_patch14_siglip_384"), Activation::gelu);
    EXPECT_EQ(activation("vit_so400m_patch16_siglip_384"), Activation::gelu_tanh);
    EXPECT_EQ(activation("vit_large_patch16_siglip_512"), Activation::gelu_tanh);
    EXPECT_EQ(activation("vit_base_patch32_siglip_gap_256"), Activation::gelu_tanh);
    const std::string giant = R"({"architecture": "vit_giantopt_patch16_siglip_256"})";
    EXPECT_EQ(load(vit("", 1, 1536), giant)->layers[0].attention.heads, 16);
    EXPECT_EQ(load(vit("", 1, 1536))->layers[0].attention.heads, 24);
}

TEST(TimmNames, average_both_heads_of_deit) {
    Shapes shapes = with_head(vit(), 3);
    shapes["dist_token"] = {1, 1, 192};
    shapes["pos_embed"] = {1, 6, 192};
    shapes["head_dist.weight"] = {3, 192};
    shapes["head_dist.bias"] = {3};
    const auto model = load(shapes);
    EXPECT_EQ(model->family, "deit");
    EXPECT_EQ(model->pooling, Pooling::class_and_distillation);
    ASSERT_EQ(model->classifier.weight->view().cols, 384);
    EXPECT_FLOAT_EQ(model->classifier.weight->view()(0, 2), 0.001F);
    EXPECT_FLOAT_EQ(model->classifier.weight->view()(0, 194), 0.001F);
    EXPECT_FLOAT_EQ(model->classifier.bias->view()(0, 2), 0.002F);
    EXPECT_EQ(model->preprocessing.mean[0], 0.485F);
    EXPECT_EQ(model->preprocessing.std[2], 0.225F);
}

TEST(TimmNames, read_the_layerscale_of_deit3) {
    Shapes shapes = with_head(vit("", 1));
    shapes["blocks.0.gamma_1"] = {192};
    shapes["blocks.0.gamma_2"] = {192};
    shapes["pos_embed"] = {1, 4, 192};
    const auto model = load(shapes);
    EXPECT_TRUE(model->layers[0].ls1 && model->layers[0].ls2);
    EXPECT_EQ(model->positions.cover, PositionCover::patches);
    EXPECT_EQ(model->family, "deit");
    EXPECT_EQ(model->preprocessing.mean[0], 0.485F) << "DeiT III's authors";
    const std::string origin = fact(*model, "family").origin;
    EXPECT_NE(origin.find("RoPE-ViT has the same names"), std::string::npos) << origin;
    const std::string told = R"({"architecture": "deit3_small_patch16_224"})";
    EXPECT_EQ(fact(*load(shapes, told), "family").origin, "config.json");
}

TEST(TimmNames, give_dinov2_its_own_frame) {
    Shapes shapes = vit();
    shapes["mask_token"] = {1, 192};
    for (const char* block : {"blocks.0.", "blocks.1."})
        for (const char* scale : {"ls1.gamma", "ls2.gamma"})
            shapes[std::string(block) + scale] = {192};
    const auto model = load(shapes);
    EXPECT_EQ(model->family, "dinov2");
    EXPECT_EQ(model->preprocessing.height, 224);
    EXPECT_EQ(model->preprocessing.resize, (ResizeTo{256, 256}));
    EXPECT_EQ(model->positions.resampling, Resampling::bicubic_offset);
}

}  // namespace
}  // namespace headlight::family_timm_test
