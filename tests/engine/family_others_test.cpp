#include <gtest/gtest.h>

#include "families/conventions.h"
#include "model_shapes.h"

// Hugging Face, CLIP, Google, T2T, single layers and maps.
namespace headlight::family_others_test {
namespace {

TEST(HuggingFaceNames, stack_query_key_and_value) {
    Shapes shapes = huggingface("model.vit.");
    add_linear(shapes, "model.classifier", 2, kWidth);
    shapes.erase("model.vit.encoder.layer.0.attention.attention.key.bias");
    const auto model = load(shapes);
    EXPECT_EQ(model->family, "hf-vit");
    ASSERT_TRUE(model->classifier.exists());
    const MatrixView bias = model->layers[0].qkv.bias->view();
    ASSERT_EQ(bias.cols, 3 * kWidth);
    EXPECT_FLOAT_EQ(bias(0, 1), 0.001F);
    EXPECT_EQ(bias(0, kWidth + 1), 0);
    EXPECT_FLOAT_EQ(bias(0, 2 * kWidth + 1), 0.001F);
    EXPECT_EQ(model->preprocessing.framing, Framing::stretch);
    EXPECT_EQ(model->preprocessing.interpolation, Interpolation::bilinear);
    EXPECT_TRUE(model->unused.empty());
}

TEST(HuggingFaceNames, keep_the_pooler_of_a_headless_model) {
    Shapes shapes = huggingface("");
    add_linear(shapes, "pooler.dense", kWidth, kWidth);
    EXPECT_TRUE(load(shapes)->pooler.exists());
    // A classifier on the class token itself.
    add_linear(shapes, "classifier", 3, kWidth);
    const auto model = load(shapes);
    EXPECT_FALSE(model->pooler.exists());
    EXPECT_EQ(model->unused,
              (std::vector<std::string>{"pooler.dense.bias", "pooler.dense.weight"}));
}

TEST(HuggingFaceNames, follow_the_processor_beside_them) {
    Folder folder;
    folder.with("m/model.safetensors", safetensors_of(huggingface("")))
        .with("m/config.json", R"({"model_type": "vit", "layer_norm_eps": 1e-5,
              "hidden_act": "gelu_new", "num_attention_heads": 4, "image_size": 4})")
        .with("m/preprocessor_config.json", R"({"do_resize": true, "size": {"shortest_edge": 256},
              "do_center_crop": true, "crop_size": {"height": 224, "width": 224}, "resample": 3,
              "image_mean": [0.1, 0.1, 0.1], "image_std": [0.2, 0.2, 0.2]})");
    const auto model = load_model("m/model.safetensors", folder.reader());
    EXPECT_EQ(model->layers[0].attention.heads, 4);
    EXPECT_EQ(model->layers[0].activation, Activation::gelu_tanh);
    EXPECT_EQ(model->norm.eps, 1e-5F);
    EXPECT_EQ(fact(*model, "norm epsilon").origin, "config.json");
    EXPECT_EQ(model->preprocessing.resize, (ResizeTo{256, 256}));
    EXPECT_EQ(model->preprocessing.height, 224);
    EXPECT_EQ(model->preprocessing.framing, Framing::crop);
    EXPECT_EQ(model->preprocessing.interpolation, Interpolation::bicubic);
    EXPECT_EQ(fact(*model, "image").origin, "preprocessor_config.json");

    // --config overrides both.
    ModelConfig given = parse_config(bytes_of(R"({"image_size": 8, "mean": 0})"), "--config");
    const auto told = load_model("m/model.safetensors", folder.reader(), {}, given);
    EXPECT_EQ(told->preprocessing.width, 8);
    EXPECT_EQ(told->preprocessing.mean[1], 0);
    EXPECT_EQ(told->preprocessing.std[1], 0.2F);
    EXPECT_EQ(fact(*told, "mean"), (ModelFact{"mean", "0, 0, 0", "--config"}));
}

TEST(HuggingFaceNames, refuse_relatives_that_compute_otherwise) {
    for (const char* name : {"embeddings.detection_tokens",
                             "encoder.layer.0.attention.attention.relative_position_bias.x"}) {
        Shapes shapes = huggingface("");
        shapes[name] = {kWidth};
        EXPECT_NE(error_of(shapes).find("expected a model without this tensor"), std::string::npos)
            << name;
    }
}

TEST(Configs, are_errors_where_they_cannot_be_read) {
    Folder folder;
    folder.with("model.safetensors", safetensors_of(huggingface("")))
        .with("config.json", "{\"hidden_act\": 3}");
    EXPECT_THROW(load_model("model.safetensors", folder.reader()), CheckpointError);
    const FileReader failing = [&](const std::string& name) -> File {
        if (name == "config.json") throw std::runtime_error("disk on fire");
        return folder.reader()(name);
    };
    EXPECT_THROW(load_model("model.safetensors", failing), std::runtime_error);
}

TEST(ClipNames, say_that_the_activation_is_a_guess) {
    const auto model = load(clip());
    EXPECT_EQ(model->family, "clip");
    EXPECT_EQ(model->layers[0].activation, Activation::quick_gelu);
    EXPECT_NE(fact(*model, "family").origin.find("set family to openclip"), std::string::npos);
    EXPECT_EQ(model->unused,
              (std::vector<std::string>{"logit_scale", "transformer.resblocks.*: 6 tensors"}));
    EXPECT_TRUE(model->gives_embedding);
    EXPECT_EQ(model->classifier.weight->view().rows, 6);
    EXPECT_FLOAT_EQ(model->classifier.weight->view()(5, 0), 0.005F);
    EXPECT_TRUE(model->class_names.empty());
    EXPECT_TRUE(model->pre_norm.exists());

    ModelOptions options;
    options.family = "openclip";
    EXPECT_EQ(load(clip(), "", options)->layers[0].activation, Activation::gelu);
    EXPECT_EQ(load(clip(1280))->family, "openclip");
    EXPECT_EQ(load(clip(1280))->layers[0].attention.heads, 16);
}

TEST(ClipNames, follow_openclips_config) {
    Folder folder;
    folder.with("open_clip_pytorch_model.safetensors", safetensors_of(clip()))
        .with("open_clip_config.json", R"({"model_cfg": {"embed_dim": 6, "quick_gelu": true,
              "vision_cfg": {"image_size": 4, "head_width": 32}},
              "preprocess_cfg": {"mean": [0, 0, 0], "std": [1, 1, 1], "interpolation": "bicubic",
              "resize_mode": "squash"}})");
    const auto model = load_model("open_clip_pytorch_model.safetensors", folder.reader());
    EXPECT_EQ(model->family, "openclip");
    EXPECT_EQ(model->layers[0].activation, Activation::quick_gelu);
    EXPECT_EQ(model->layers[0].attention.heads, 2);
    EXPECT_EQ(model->preprocessing.framing, Framing::stretch);
    EXPECT_EQ(model->preprocessing.std[0], 1);
}

Shapes siglip(std::int64_t patches = 4) {
    Shapes shapes{{"vision_model.embeddings.patch_embedding.weight", {kWidth, 3, 2, 2}},
                  {"vision_model.embeddings.patch_embedding.bias", {kWidth}},
                  {"vision_model.embeddings.position_embedding.weight", {patches, kWidth}}};
    const std::string at = "vision_model.encoder.layers.0.";
    for (const char* norm : {"layer_norm1", "layer_norm2"}) add_norm(shapes, at + norm, kWidth);
    for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"})
        add_linear(shapes, at + "self_attn." + part, kWidth, kWidth);
    add_linear(shapes, at + "mlp.fc1", 8, kWidth);
    add_linear(shapes, at + "mlp.fc2", kWidth, 8);
    add_norm(shapes, "vision_model.post_layernorm", kWidth);
    return shapes;
}

Shapes with_pool(Shapes shapes) {
    const std::string head = "vision_model.head.";
    shapes[head + "probe"] = {1, 1, kWidth};
    shapes[head + "attention.in_proj_weight"] = {3 * kWidth, kWidth};
    shapes[head + "attention.in_proj_bias"] = {3 * kWidth};
    add_linear(shapes, head + "attention.out_proj", kWidth, kWidth);
    add_norm(shapes, head + "layernorm", kWidth);
    add_linear(shapes, head + "mlp.fc1", 8, kWidth);
    add_linear(shapes, head + "mlp.fc2", kWidth, 8);
    return shapes;
}

TEST(SiglipNames, pool_by_attention) {
    const auto model = load(with_pool(siglip()));
    EXPECT_EQ(model->family, "siglip");
    EXPECT_EQ(model->pooling, Pooling::attention);
    EXPECT_TRUE(model->gives_pooler);
    EXPECT_EQ(model->layers[0].activation, Activation::gelu_tanh);
    EXPECT_EQ(model->attention_pool.activation, Activation::gelu_tanh);
    EXPECT_EQ(model->prefix.count(), 0);
    EXPECT_TRUE(model->unused.empty());
    EXPECT_EQ(fact(*model, "pooling").value, "attention of a learned query, and an MLP");
    // Keys start after the query's rows: number 64 · 64 of the packed weight.
    EXPECT_FLOAT_EQ(model->attention_pool.key_value.weight->view()(0, 0),
                    0.001F * (kWidth * kWidth % 997));
    EXPECT_FLOAT_EQ(model->attention_pool.key_value.bias->view()(0, 0), 0.001F * kWidth);
}

TEST(SiglipNames, say_where_the_pooling_is_missing) {
    const auto model = load(siglip());
    EXPECT_EQ(model->pooling, Pooling::none);
    EXPECT_FALSE(model->gives_pooler);
    EXPECT_EQ(fact(*model, "pooling").origin, "SigLIP's pooling is not in this file");
}

// Reports whatever is missing from it or additional.
TEST(SiglipNames, refuse_half_a_pooling) {
    const Shapes whole = with_pool(siglip());
    for (const auto& [name, shape] : whole) {
        if (name.find(".head.") == std::string::npos) continue;
        Shapes part = whole;
        part.erase(name);
        EXPECT_NE(error_of(part).find("head."), std::string::npos) << name;
    }
    Shapes more = whole;
    more["vision_model.head.gate"] = {kWidth};
    EXPECT_NE(error_of(more).find("head.gate"), std::string::npos) << error_of(more);
    Shapes two = whole;
    two["vision_model.head.probe"] = {1, 2, kWidth};
    EXPECT_NE(error_of(two).find("head.probe"), std::string::npos) << error_of(two);
}

Shapes naflex() {
    Shapes shapes = with_pool(siglip(9));
    shapes["vision_model.embeddings.patch_embedding.weight"] = {kWidth, 3 * 2 * 2};
    return shapes;
}

TEST(SiglipNames, take_pictures_of_any_aspect) {
    const auto model = load(naflex(), R"({"max_num_patches": 30})");
    EXPECT_EQ(model->family, "siglip2-naflex");
    EXPECT_EQ(model->patch_size, 2);
    EXPECT_EQ(model->positions.resampling, Resampling::bilinear_antialiased);
    EXPECT_EQ(model->positions.grid_rows, 3);
    EXPECT_EQ(model->preprocessing.limit, (PatchLimit{2, 30}));
    EXPECT_EQ(model->preprocessing.height, 10);
    EXPECT_EQ(fact(*model, "image").value, "no more than 30 patches");
    EXPECT_EQ(load(naflex())->preprocessing.limit, (PatchLimit{2, 256}));
    // Stored by row, column, channel: channel 1 of the first pixel is number 1 of 12; here it
    // follows the 4 pixels of channel 0.
    EXPECT_FLOAT_EQ(model->embedding.weight->view()(0, 4), 0.001F);
    EXPECT_FLOAT_EQ(model->embedding.weight->view()(0, 1), 0.003F);
}

TEST(SiglipNames, take_a_size_of_ones_own) {
    const auto model = load(naflex(), R"({"size": {"height": 6, "width": 8}})");
    EXPECT_FALSE(model->preprocessing.limit);
    EXPECT_EQ(model->preprocessing.height, 6);
    EXPECT_EQ(model->preprocessing.width, 8);
}

// Only for the model made for it.
TEST(SiglipNames, of_one_size_know_no_limit) {
    EXPECT_FALSE(load(with_pool(siglip()), R"({"max_num_patches": 30})")->preprocessing.limit);
}

TEST(SiglipNames, refuse_patches_that_are_no_squares) {
    Shapes shapes = naflex();
    shapes["vision_model.embeddings.patch_embedding.weight"] = {kWidth, 14};
    EXPECT_NE(error_of(shapes).find("n × n patches of 3 channels"), std::string::npos)
        << error_of(shapes);
}

TEST(SiglipNames, know_the_giants_heads) {
    EXPECT_EQ(conventions::siglip(1536).num_heads, 16);
    EXPECT_FALSE(conventions::siglip(1152).num_heads);
}

Shapes t2t() {
    Shapes shapes{{"cls_token", {1, 1, kWidth}}, {"pos_embed", {1, 5, kWidth}}};
    const auto add_block = [&](const std::string& at, std::int64_t in, std::int64_t out) {
        add_norm(shapes, at + "norm1", in);
        add_norm(shapes, at + "norm2", out);
        add_linear(shapes, at + "attn.qkv", 3 * out, in, false);
        add_linear(shapes, at + "attn.proj", out, out);
        add_linear(shapes, at + "mlp.fc1", 8, out);
        add_linear(shapes, at + "mlp.fc2", out, 8);
    };
    add_block("tokens_to_token.attention1.", 147, 4);
    add_block("tokens_to_token.attention2.", 36, 4);
    add_linear(shapes, "tokens_to_token.project", kWidth, 36);
    add_block("blocks.0.", kWidth, kWidth);
    add_norm(shapes, "norm", kWidth);
    return shapes;
}

TEST(T2TNames, have_their_splits_and_scales) {
    const auto model = load(t2t());
    EXPECT_EQ(model->family, "t2t");
    ASSERT_EQ(model->splits.size(), 3);
    EXPECT_EQ(model->splits[0], (SoftSplit{7, 4, 2}));
    EXPECT_EQ(model->patch_size, 0);
    EXPECT_EQ(model->token_transformers(), 2);
    ASSERT_EQ(model->layers.size(), 3);
    EXPECT_EQ(model->layers[0].file_name, "t2t.1");
    EXPECT_EQ(model->layers[2].file_name, "layer.0");
    EXPECT_FLOAT_EQ(*model->layers[0].attention.scale, 1 / std::sqrt(147.0F));
    EXPECT_FLOAT_EQ(*model->layers[1].attention.scale, 1 / 6.0F);
    EXPECT_FALSE(model->layers[2].attention.scale);
    EXPECT_EQ(model->layers[0].attention.skip, Skip::value);
    EXPECT_EQ(model->layers[2].attention.skip, Skip::input);
    EXPECT_EQ(model->preprocessing.height, 32);
    EXPECT_NE(fact(*model, "scale of the layers").origin.find("set qk_scale"), std::string::npos);

    const auto told = load(t2t(), R"({"qk_scale": 0.125})");
    EXPECT_FLOAT_EQ(*told->layers[0].attention.scale, 1 / std::sqrt(147.0F));
    EXPECT_EQ(told->layers[2].attention.scale, 0.125F);
}

TEST(T2TNames, refuse_what_is_no_token_transformer) {
    Shapes shapes = t2t();
    shapes["tokens_to_token.attention1.w"] = {2, 4};  // of a performer, whose kqv is missing
    EXPECT_NE(error_of(shapes).find("attention1.w\": expected a model without this tensor"),
              std::string::npos)
        << error_of(shapes);
    shapes = t2t();
    shapes["tokens_to_token.soft_split0.weight"] = {4, 3, 7, 7};
    EXPECT_NE(error_of(shapes).find("its variant with convolutions"), std::string::npos)
        << error_of(shapes);
    shapes = t2t();
    shapes["tokens_to_token.attention1.norm1.weight"] = {75};
    EXPECT_NE(error_of(shapes).find("windows of 7 × 7 with 3 channels"), std::string::npos)
        << error_of(shapes);
}

TEST(GoogleNames, refuse_the_hybrid) {
    const std::string error =
        error_of({{"Transformer/encoder_norm/scale", {4}}, {"conv_root/kernel", {7, 7, 3, 4}}});
    EXPECT_NE(error.find("a ResNet before the transformer"), std::string::npos) << error;
}

// big_vision's names: modules numbered by kind, positions added before the class token.
TEST(GoogleNames, are_read_in_their_newer_form) {
    const std::string at = "params/Transformer/encoderblock_0/";
    Shapes shapes{{"params/embedding/kernel", {2, 2, 3, 8}},
                  {"params/embedding/bias", {8}},
                  {"params/pos_embedding", {1, 4, 8}},
                  {"params/cls", {1, 1, 8}},
                  {"params/head/kernel", {8, 3}},
                  {"params/head/bias", {3}}};
    for (const std::string& norm :
         {at + "LayerNorm_0", at + "LayerNorm_1", std::string("params/Transformer/encoder_norm")}) {
        shapes[norm + "/scale"] = {8};
        shapes[norm + "/bias"] = {8};
    }
    for (const char* part : {"query", "key", "value"}) {
        shapes[at + "MultiHeadDotProductAttention_0/" + part + "/kernel"] = {8, 2, 4};
        shapes[at + "MultiHeadDotProductAttention_0/" + part + "/bias"] = {2, 4};
    }
    shapes[at + "MultiHeadDotProductAttention_0/out/kernel"] = {2, 4, 8};
    shapes[at + "MultiHeadDotProductAttention_0/out/bias"] = {8};
    shapes[at + "MlpBlock_0/Dense_0/kernel"] = {8, 5};
    shapes[at + "MlpBlock_0/Dense_0/bias"] = {5};
    shapes[at + "MlpBlock_0/Dense_1/kernel"] = {5, 8};
    shapes[at + "MlpBlock_0/Dense_1/bias"] = {8};
    const auto model = load(shapes);
    EXPECT_EQ(model->family, "google");
    EXPECT_EQ(model->layers[0].attention.heads, 2);
    EXPECT_EQ(model->positions.cover, PositionCover::patches);
    EXPECT_TRUE(model->unused.empty());
    // Kernel [row, column, channel, output]: channel 1 of row 0, column 1 is number 4 of 12.
    EXPECT_FLOAT_EQ(model->embedding.weight->view()(0, 4 + 1), 0.001F * (4 * 8));

    const std::string pool = "params/MAPHead_0/";
    shapes[pool + "probe"] = {1, 1, 8};
    EXPECT_NE(error_of(shapes).find("MAPHead_0"), std::string::npos) << error_of(shapes);
    for (const char* part : {"query", "key", "value"}) {
        shapes[pool + "MultiHeadDotProductAttention_0/" + part + "/kernel"] = {8, 2, 4};
        shapes[pool + "MultiHeadDotProductAttention_0/" + part + "/bias"] = {2, 4};
    }
    shapes[pool + "MultiHeadDotProductAttention_0/out/kernel"] = {2, 4, 8};
    shapes[pool + "MultiHeadDotProductAttention_0/out/bias"] = {8};
    shapes[pool + "LayerNorm_0/scale"] = shapes[pool + "LayerNorm_0/bias"] = {8};
    shapes[pool + "MlpBlock_0/Dense_0/kernel"] = {8, 5};
    shapes[pool + "MlpBlock_0/Dense_0/bias"] = {5};
    shapes[pool + "MlpBlock_0/Dense_1/kernel"] = {5, 8};
    shapes[pool + "MlpBlock_0/Dense_1/bias"] = {8};
    EXPECT_EQ(load(shapes)->pooling, Pooling::attention);
    EXPECT_TRUE(load(shapes)->unused.empty());
    EXPECT_EQ(load(shapes)->classifier.weight->view().rows, 3);
}

TEST(LayerNames, make_a_model_of_one_block) {
    const Shapes layer{{"attn.qkv.weight", {12, 6}}, {"attn.proj.weight", {4, 4}}};
    const auto model = load(layer, R"({"num_heads": 2, "qk_scale": 0.5})");
    EXPECT_EQ(model->family, "t2t-layer");
    EXPECT_TRUE(model->is_bare_layer());
    const AttentionConfig& attention = model->layers[0].attention;
    EXPECT_EQ(attention.dim, 6);
    EXPECT_EQ(attention.channels, 4);
    EXPECT_EQ(attention.heads, 2);
    EXPECT_EQ(attention.scale, 0.5F);
    EXPECT_EQ(attention.skip, Skip::value);
    EXPECT_EQ(model->layers[0].file_name, "layer.0");
    EXPECT_EQ(load(layer)->layers[0].attention.heads, 1);
    EXPECT_TRUE(load(layer)->heads_are_known);
    EXPECT_NE(error_of(layer, R"({"num_heads": 3})").find("num_heads"), std::string::npos);
    const auto mha = load({{"in_proj_weight", {12, 4}}, {"out_proj.weight", {4, 4}}});
    EXPECT_EQ(mha->family, "mha-layer");
    EXPECT_FALSE(mha->heads_are_known);
    EXPECT_EQ(load({{"in_proj_weight", {384, 128}}, {"out_proj.weight", {128, 128}}})
                  ->layers[0]
                  .attention.heads,
              2);
}

// The patch size follows from the width, and the preprocessing from a config beside the file.
TEST(LayerNames, say_how_pictures_become_tokens) {
    const Shapes rgb{{"qkv.weight", {12, 48}}, {"proj.weight", {4, 4}}};
    EXPECT_EQ(load(rgb)->patch_size, 4);
    EXPECT_EQ(load(rgb)->image_channels, 3);
    // A picture with at most 1,024 patches.
    EXPECT_EQ(load(rgb)->preprocessing.width, 128);
    EXPECT_EQ(load(rgb)->preprocessing.height, 128);
    EXPECT_EQ(load({{"qkv.weight", {12, 49}}, {"proj.weight", {4, 4}}})->image_channels, 1);
    EXPECT_EQ(load({{"qkv.weight", {12, 6}}, {"proj.weight", {4, 4}}})->patch_size, 0);
    const auto model = load(rgb, R"({"image_mean": 0.25, "crop_size": {"height": 4, "width": 6}})");
    EXPECT_EQ(model->preprocessing.width, 6);
    EXPECT_EQ(model->preprocessing.mean[1], 0.25F);
    EXPECT_EQ(fact(*model, "mean").origin, "config.json");
}

TEST(LayerNames, are_shown_the_size_that_their_config_names) {
    const Shapes layer{{"qkv.weight", {12, 49}}, {"proj.weight", {4, 4}}};
    const auto model = load(layer, R"({"num_heads": 2, "image_size": [70, 63]})");
    EXPECT_EQ(model->preprocessing.height, 70);
    EXPECT_EQ(model->preprocessing.width, 63);
    EXPECT_EQ(fact(*model, "image").origin, "config.json");
}

// The tensors do not tell how the tokens are pooled.
TEST(LayerNames, have_a_head_where_a_config_says_what_it_reads) {
    const Shapes layer{{"qkv.weight", {12, 49}},
                       {"proj.weight", {4, 4}},
                       {"head.weight", {3, 4}},
                       {"head.bias", {3}}};
    EXPECT_FALSE(load(layer)->classifier.exists());
    EXPECT_EQ(load(layer)->unused_tensors.size(), 2U);
    const std::string averaged =
        R"({"global_pool": "avg", "id2label": {"0": "a", "1": "b", "2": "c"}})";
    const auto model = load(layer, averaged);
    EXPECT_EQ(model->pooling, Pooling::patches);
    EXPECT_EQ(model->classifier.weight->view().rows, 3);
    EXPECT_EQ(model->class_names, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_TRUE(model->unused_tensors.empty());
    Shapes wide = layer;
    wide["head.weight"] = {3, 5};
    EXPECT_NE(error_of(wide, averaged).find("head.weight"), std::string::npos);
}

TEST(OtherModels, are_refused_in_words_that_say_what_is_read) {
    const std::string error = error_of({{"w1", {4, 3, 3, 2}}});
    EXPECT_NE(error.find("reads vision transformers"), std::string::npos) << error;
    EXPECT_NE(error.find("one tensor, \"w1\" (F32 [4, 3, 3, 2])"), std::string::npos) << error;
}

}  // namespace
}  // namespace headlight::family_others_test
