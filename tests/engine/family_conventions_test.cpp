#include <gtest/gtest.h>

#include <cmath>

#include "files/tensor_file.h"
#include "model_shapes.h"

// Conventions that change the numbers but are in no tensor: each follows a config or the names, or
// is refused.
namespace headlight::family_conventions_test {
namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

Shapes with_head(Shapes shapes, const std::string& name = "head") {
    add_linear(shapes, name, 4, 192);
    return shapes;
}

std::shared_ptr<const Model> load_open_clip(const Shapes& shapes, const std::string& vision) {
    Folder folder;
    folder.with("m.safetensors", safetensors_of(shapes))
        .with("open_clip_config.json",
              R"({"model_cfg": {"quick_gelu": true, "vision_cfg": {)" + vision + "}}}");
    return load_model("m.safetensors", folder.reader());
}

// --- OpenCLIP's own towers

TEST(OpenClipTowers, pool_as_their_config_says) {
    const auto clipa = load_open_clip(clip(), R"("pool_type": "avg", "final_ln_after_pool": true)");
    EXPECT_EQ(clipa->pooling, Pooling::patches);
    EXPECT_TRUE(clipa->pooled_norm.exists());
    EXPECT_FALSE(clipa->norm.exists());
    EXPECT_TRUE(clipa->gives_embedding);
    EXPECT_EQ(fact(*clipa, "pooling").origin, "open_clip_config.json");

    const auto mean = load_open_clip(clip(), R"("pool_type": "avg")");
    EXPECT_EQ(mean->pooling, Pooling::patches);
    EXPECT_TRUE(mean->norm.exists());
    EXPECT_FALSE(mean->pooled_norm.exists());

    EXPECT_EQ(load_open_clip(clip(), "")->pooling, Pooling::class_token);
    const auto none = load_open_clip(clip(), R"("pool_type": "none")");
    EXPECT_EQ(none->pooling, Pooling::none);
    EXPECT_FALSE(none->classifier.exists());
    EXPECT_EQ(fact(*none, "projection not used").value, "proj");
}

TEST(OpenClipTowers, have_heads_64_wide_unless_told_otherwise) {
    EXPECT_EQ(load_open_clip(clip(1280), "")->layers[0].attention.heads, 20);
    EXPECT_EQ(load_open_clip(clip(1280), R"("head_width": 80)")->layers[0].attention.heads, 16);
}

TEST(OpenClipTowers, take_the_epsilon_and_gelu_of_their_config) {
    EXPECT_EQ(load_open_clip(clip(), R"("norm_kwargs": {"eps": 1e-6})")->norm.eps, 1e-6F);
    const std::string exact = R"({"model_cfg": {"vision_cfg": {"act_kwargs": {)";
    EXPECT_EQ(load(clip(), exact + R"("approximate": "tanh"}}}})")->layers[0].activation,
              Activation::gelu_tanh);
    EXPECT_EQ(load(clip(), exact + "}}}}")->layers[0].activation, Activation::gelu);
}

// --- its towers from timm

TEST(OpenClipTrunks, are_the_models_that_timm_calls_so) {
    const auto activation = [](const std::string& vision) {
        return load_open_clip(vit("visual.trunk."), vision)->layers[0].activation;
    };
    EXPECT_EQ(activation(R"("timm_model_name": "vit_so400m_patch16_siglip_256")"),
              Activation::gelu_tanh);
    EXPECT_EQ(activation(R"("timm_model_name": "vit_base_patch16_siglip_224")"), Activation::gelu);
    EXPECT_EQ(activation(R"("timm_model_name": "vit_base_patch16_clip_quickgelu_224")"),
              Activation::quick_gelu);
}

TEST(OpenClipTrunks, pool_as_their_config_says_and_give_embeddings) {
    const Shapes shapes = with_head(vit("visual.trunk."), "visual.trunk.head");
    const std::string name = R"("timm_model_name": "vit_base_patch16_224")";
    EXPECT_EQ(load_open_clip(shapes, name)->pooling, Pooling::patches) << "OpenCLIP's default";
    const auto model = load_open_clip(shapes, name + R"(, "timm_pool": "token")");
    EXPECT_EQ(model->pooling, Pooling::class_token);
    EXPECT_TRUE(model->gives_embedding);
    EXPECT_FALSE(load(with_head(vit()))->gives_embedding);
}

// --- timm

TEST(TimmPooling, is_the_configs_before_the_tensors) {
    Shapes shapes = with_head(vit());
    add_norm(shapes, "fc_norm", 192);
    shapes.erase("norm.weight");
    shapes.erase("norm.bias");
    EXPECT_EQ(load(shapes)->pooling, Pooling::patches);
    const auto model = load(shapes, R"({"architecture": "vit", "global_pool": "token"})");
    EXPECT_EQ(model->pooling, Pooling::class_token);
    EXPECT_TRUE(model->pooled_norm.exists());
    EXPECT_EQ(fact(*model, "pooling").origin, "config.json");
    const auto told = load(shapes, R"({"architecture": "vit",
        "model_args": {"global_pool": "token", "fc_norm": true}})");
    EXPECT_EQ(told->pooling, Pooling::class_token);
}

TEST(TimmPooling, says_that_a_class_token_is_a_convention) {
    EXPECT_EQ(fact(*load(with_head(vit())), "pooling").origin,
              "usual for models with a class token");
}

Shapes dinov3() {
    Shapes shapes = with_head(vit());
    shapes.erase("pos_embed");
    shapes["reg_token"] = {1, 4, 192};
    for (const std::string block : {"blocks.0.", "blocks.1."}) {
        shapes.erase(block + "attn.qkv.bias");
        shapes[block + "gamma_1"] = shapes[block + "gamma_2"] = {192};
    }
    return shapes;
}

TEST(TimmPooling, of_dinov3_is_the_mean) {
    const auto model = load(dinov3());
    EXPECT_EQ(model->family, "timm-dinov3");
    EXPECT_EQ(model->pooling, Pooling::patches);
    EXPECT_EQ(fact(*model, "pooling").origin, "convention of timm DINOv3");
    EXPECT_EQ(load(dinov3(), R"({"global_pool": "token"})")->pooling, Pooling::class_token);
}

// timm pools only the patches.
TEST(TimmPooling, by_attention_is_left_aside_beside_other_tokens) {
    Shapes shapes = vit();
    shapes["attn_pool.latent"] = {1, 1, 192};
    for (const char* part : {"q", "proj", "mlp.fc1", "mlp.fc2"})
        add_linear(shapes, "attn_pool." + std::string(part), 192, 192);
    add_linear(shapes, "attn_pool.kv", 384, 192);
    add_norm(shapes, "attn_pool.norm", 192);
    const auto beside = load(shapes);
    EXPECT_EQ(beside->pooling, Pooling::none);
    EXPECT_FALSE(beside->attention_pool.exists());
    EXPECT_TRUE(has(fact(*beside, "pooling").origin, "does not compute"));
    shapes.erase("cls_token");
    shapes["pos_embed"] = {1, 4, 192};
    EXPECT_EQ(load(shapes)->pooling, Pooling::attention);
}

TEST(TimmHeads, are_known_of_models_whose_width_misleads) {
    const auto heads = [](const std::string& name, std::int64_t width) {
        return load(vit("", 1, width), R"({"architecture": ")" + name + R"("})")
            ->layers[0]
            .attention.heads;
    };
    EXPECT_EQ(heads("test_vit", 64), 2);
    EXPECT_EQ(heads("test_vit2", 64), 2);
    EXPECT_EQ(heads("test_vit3", 96), 3);
    EXPECT_EQ(heads("vit_base_patch16_gap_224", 768), 16);
    EXPECT_EQ(heads("vit_base_patch16_224", 768), 12);
    EXPECT_TRUE(has(fact(*load(vit("", 1, 128)), "heads").origin, "a guess"));
    EXPECT_FALSE(has(fact(*load(vit("", 1, 192)), "heads").origin, "a guess"));
}

Shapes post_norm() {
    Shapes shapes = with_head(vit());
    for (const char* name : {"cls_token", "norm.weight", "norm.bias"}) shapes.erase(name);
    shapes["pos_embed"] = {1, 4, 192};
    add_norm(shapes, "fc_norm", 192);
    for (const std::string block : {"blocks.0.", "blocks.1."}) {
        shapes.erase(block + "attn.qkv.bias");
        shapes[block + "ls1.gamma"] = shapes[block + "ls2.gamma"] = {192};
    }
    return shapes;
}

TEST(TimmNorms, that_follow_are_refused) {
    const std::string error =
        error_of(post_norm(), R"({"architecture": "vit_base_patch16_rpn_224"})");
    EXPECT_TRUE(has(error, "found vit_base_patch16_rpn_224 (config.json), whose norms follow"))
        << error;
    EXPECT_TRUE(has(error_of(post_norm()), "the names of vit_base_patch16_rpn_224")) << "no config";
    EXPECT_EQ(load(post_norm(), R"({"architecture": "vit_base_patch16_224"})")->family, "timm");
    const std::string eva = R"({"architecture": "eva02_enormous_patch14_clip_224"})";
    Shapes shapes = vit();
    for (const std::string block : {"blocks.0.", "blocks.1."}) {
        shapes.erase(block + "attn.qkv.bias");
        shapes[block + "attn.q_bias"] = shapes[block + "attn.v_bias"] = {192};
    }
    EXPECT_TRUE(has(fact(*load(shapes), "norms").origin, "EVA-02-E"));
    EXPECT_TRUE(has(error_of(shapes, eva), "whose norms follow them"));
}

TEST(TimmNorms, of_beit3_have_an_epsilon_of_their_own) {
    Shapes shapes = vit("", 1);
    add_norm(shapes, "blocks.0.attn.norm", 192);
    add_norm(shapes, "blocks.0.mlp.norm", 8);
    EXPECT_EQ(load(shapes, R"({"architecture": "beit3_base_patch16_224"})")->norm.eps, 1e-5F);
    EXPECT_EQ(load(shapes, R"({"family": "timm"})")->norm.eps, 1e-5F);
    EXPECT_EQ(load(shapes, R"({"architecture": "vit_base_patch16_224"})")->norm.eps, 1e-6F);
}

TEST(TimmArguments, are_read_or_refused) {
    const auto with = [](const std::string& arguments) {
        return R"({"architecture": "vit_tiny_patch16_224", "model_args": {)" + arguments + "}}";
    };
    EXPECT_EQ(load(vit(), with(R"("act_layer": "quick_gelu")"))->layers[0].activation,
              Activation::quick_gelu);
    EXPECT_EQ(load(vit(), with(R"("num_heads": 6, "img_size": 4, "dynamic_img_size": true)"))
                  ->layers[0]
                  .attention.heads,
              6);
    EXPECT_EQ(error_of(vit(), with(R"("pool_include_prefix": true)")),
              "config.json: model arguments: expected none that change what timm VisionTransformer "
              "computes, found \"pool_include_prefix\", which Headlight does not read.");
    EXPECT_TRUE(has(error_of(vit(), with(R"("ref_feat_shape": [14, 14])")), "\"ref_feat_shape\""));
    EXPECT_EQ(error_of(vit(), with(R"("ref_feat_shape": null)")), "no error");
    const auto turned =
        load(dinov3(), R"({"model_args": {"rope_temperature": 50}, "global_pool": "avg"})");
    ASSERT_TRUE(turned->rotary);
    EXPECT_NEAR(turned->rotary->periods[1] / turned->rotary->periods[0], std::pow(50, 1 / 16.0),
                1e-4);
}

TEST(TimmNames, have_gates_in_a_product_of_their_own) {
    Shapes shapes = vit("", 1);
    for (const char* end : {".weight", ".bias"}) {
        const auto shape = shapes["blocks.0.mlp.fc1" + std::string(end)];
        shapes.erase("blocks.0.mlp.fc1" + std::string(end));
        shapes["blocks.0.mlp.fc1_g" + std::string(end)] = shape;
        shapes["blocks.0.mlp.fc1_x" + std::string(end)] = shape;
    }
    const auto model = load(shapes);
    EXPECT_EQ(model->layers[0].activation, Activation::swiglu);
    EXPECT_EQ(model->layers[0].mlp_in.weight->view().rows, 16);
}

// --- Hugging Face

TEST(HuggingFacePooler, ends_with_tanh_or_is_refused) {
    Shapes shapes = huggingface("");
    add_linear(shapes, "pooler.dense", kWidth, kWidth);
    EXPECT_TRUE(load(shapes, R"({"pooler_act": "tanh"})")->pooler.exists());
    EXPECT_TRUE(
        has(error_of(shapes, R"({"pooler_act": "gelu"})"), "expected tanh after it, found gelu"));
    EXPECT_EQ(error_of(huggingface(""), R"({"pooler_act": "gelu"})"), "no error") << "no pooler";
}

TEST(HuggingFaceMsn, has_an_epsilon_of_its_own) {
    EXPECT_EQ(load(huggingface(""), R"({"model_type": "vit_msn"})")->norm.eps, 1e-6F);
    EXPECT_EQ(load(huggingface(""), R"({"model_type": "vit"})")->norm.eps, 1e-12F);
}

TEST(HuggingFaceDinov3, may_have_no_registers) {
    Shapes shapes{{"embeddings.cls_token", {1, 1, kWidth}},
                  {"embeddings.register_tokens", {1, 0, kWidth}},
                  {"embeddings.patch_embeddings.weight", {kWidth, 3, 2, 2}},
                  {"embeddings.patch_embeddings.bias", {kWidth}}};
    for (const char* name : {"layer.0.norm1", "layer.0.norm2", "norm"})
        add_norm(shapes, name, kWidth);
    for (const char* part : {"q_proj", "k_proj", "v_proj", "o_proj"})
        add_linear(shapes, "layer.0.attention." + std::string(part), kWidth, kWidth);
    add_linear(shapes, "layer.0.mlp.up_proj", 8, kWidth);
    add_linear(shapes, "layer.0.mlp.down_proj", kWidth, 8);
    const auto model = load(shapes);
    EXPECT_EQ(model->family, "hf-dinov3");
    EXPECT_EQ(model->prefix.count(), 1);
    EXPECT_TRUE(model->unused.empty());
}

// --- EVA-02 in its authors' names

TEST(Eva02Names, of_the_authors_need_their_tables) {
    Shapes shapes;
    const TensorFile file =
        open_tensor_file(kFamilies + "eva02_authors.model.safetensors", read_disk);
    for (const auto& [name, tensor] : file.tensors()) shapes[name] = tensor.shape;
    shapes.erase("visual.rope.freqs_cos");
    const std::string error = error_of(shapes);
    EXPECT_TRUE(has(error, "rope.freqs_cos\": expected the table of EVA-02's rotary positions"))
        << error;
}

}  // namespace
}  // namespace headlight::family_conventions_test
