#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "files/npy.h"
#include "model_shapes.h"
#include "zip_file.h"

// Files of other architectures, identified by their names: each is refused with its name, or opened
// with everything that Headlight supports.
namespace headlight::foreign_models_test {
namespace {

struct Refused {
    std::string what;
    Shapes tensors;
    std::string says;
};

void PrintTo(const Refused& model, std::ostream* out) { *out << model.what; }

// NAME.weight and NAME.bias of a norm for each name.
Shapes norms(Shapes shapes, const std::vector<std::string>& names) {
    for (const std::string& name : names) add_norm(shapes, name, 8);
    return shapes;
}

Shapes linears(Shapes shapes, const std::vector<std::string>& names) {
    for (const std::string& name : names) add_linear(shapes, name, 8, 8);
    return shapes;
}

Shapes convolution(Shapes shapes, const std::string& name, std::int64_t in, std::int64_t side) {
    shapes[name + ".weight"] = {8, in, side, side};
    shapes[name + ".bias"] = {8};
    return shapes;
}

Shapes batch_norm(Shapes shapes, const std::string& name) {
    add_norm(shapes, name, 8);
    shapes[name + ".running_mean"] = shapes[name + ".running_var"] = {8};
    shapes[name + ".num_batches_tracked"] = {};
    return shapes;
}

Shapes with(Shapes shapes, const Shapes& more) {
    shapes.insert(more.begin(), more.end());
    return shapes;
}

// Many architectures have similar blocks: norms, one product for query, key and value, an MLP.
Shapes block(Shapes shapes, const std::string& at) {
    return linears(norms(std::move(shapes), {at + "norm1", at + "norm2"}),
                   {at + "attn.qkv", at + "attn.proj", at + "mlp.fc1", at + "mlp.fc2"});
}

const Shapes kClass{{"cls_token", {1, 1, 8}}};
const Shapes kPositions{{"cls_token", {1, 1, 8}}, {"pos_embed", {1, 5, 8}}};

Shapes without(Shapes shapes, const std::string& name) {
    shapes.erase(name);
    return shapes;
}

// With LayerScale in its two blocks.
Shapes scaled(Shapes shapes, const std::string& name) {
    for (const char* block : {"blocks.0.", "blocks.1."})
        for (const char* number : {"1", "2"}) shapes[block + name + number] = {192};
    return shapes;
}

// A ViT without added positions.
Shapes turned() { return without(vit(), "pos_embed"); }

// Keys without a bias.
Shapes unbiased_keys(Shapes shapes) {
    for (const std::string block : {"blocks.0.", "blocks.1."}) {
        shapes.erase(block + "attn.qkv.bias");
        shapes[block + "attn.q_bias"] = shapes[block + "attn.v_bias"] = {192};
    }
    return shapes;
}

// For 2 × 2 patches.
Shapes beit() {
    return with(scaled(unbiased_keys(turned()), "gamma_"),
                {{"blocks.0.attn.relative_position_bias_table", {12, 3}},
                 {"blocks.1.attn.relative_position_bias_table", {12, 3}}});
}

std::vector<Refused> vision_transformers() {
    return {
        {"DINOv3 whose periods are none",
         with(turned(), {{"storage_tokens", {1, 4, 192}}, {"rope_embed.periods", {16}}}),
         "\"rope_embed.periods\": expected positive periods, found 0"},
        {"DINOv3 with other periods than its heads have",
         with(turned(), {{"storage_tokens", {1, 4, 192}}, {"rope_embed.periods", {7}}}),
         "\"rope_embed.periods\": expected 8 periods, a quarter of head_dim"},
        {"a ViT with rotary positions of its own (naver's in timm)", scaled(turned(), "gamma_"),
         "names of a ViT with rotary positions other than DINOv3's (timm)"},
        {"a ViT with rotary positions and a mean for its head (timm)",
         without(scaled(with(turned(), {{"reg_token", {1, 1, 192}}}), "gamma_"), "cls_token"),
         "names of a ViT with rotary positions other than DINOv3's (timm)"},
        {"EVA with both kinds of biases",
         with(vit("", 1), {{"blocks.0.attn.q_bias", {192}}, {"blocks.0.attn.v_bias", {192}}}),
         "\"blocks.0.attn.qkv.bias\": expected a model without this tensor"},
        {"EVA-02-E",
         with(without(vit("", 1, 1792), "blocks.0.attn.qkv.bias"),
              {{"blocks.0.attn.q_bias", {1792}}, {"blocks.0.attn.v_bias", {1792}}}),
         "found a model as wide as EVA-02-E, whose norms follow them"},
        {"BEiT with offsets of no grid",
         without(with(beit(), {{"rel_pos_bias.relative_position_bias_table", {13, 3}}}),
                 "blocks.0.attn.relative_position_bias_table"),
         "expected (2n − 1)² + 3 rows, for n × n patches and a class token, found 13"},
        {"Swin V2",
         block(norms(convolution({{"layers.0.blocks.0.attn.logit_scale", {2, 1, 1}},
                                  {"layers.0.blocks.0.attn.cpb_mlp.0.weight", {512, 2}},
                                  {"layers.0.blocks.0.attn.cpb_mlp.2.weight", {2, 512}}},
                                 "patch_embed.proj", 3, 4),
                     {"patch_embed.norm", "norm"}),
               "layers.0.blocks.0."),
         "names of Swin V2, which"},
        {"Swin V2 (torchvision)",
         norms(convolution({{"features.1.0.attn.logit_scale", {2, 1, 1}},
                            {"features.1.0.attn.cpb_mlp.0.weight", {512, 2}}},
                           "features.0.0", 3, 4),
               {"features.0.2", "features.1.0.norm1", "features.1.0.norm2", "norm"}),
         "names of Swin V2 (torchvision)"},
        {"Swin V2 (Hugging Face)",
         linears(convolution(
                     {{"swinv2.encoder.layers.0.blocks.0.attention.self.logit_scale", {2, 1, 1}}},
                     "swinv2.embeddings.patch_embeddings.projection", 3, 4),
                 {"swinv2.encoder.layers.0.blocks.0.attention.self.continuous_position_bias_mlp.0",
                  "swinv2.encoder.layers.0.blocks.0.attention.self.query"}),
         "names of Swin V2 (Hugging Face)"},
        {"Video Swin (torchvision)",
         block({{"patch_embed.proj.weight", {8, 3, 2, 4, 4}},
                {"features.0.0.attn.relative_position_bias_table", {2535, 2}}},
               "features.0.0."),
         "names of Video Swin"},
        {"CLAP's tower of sounds",
         linears(convolution({{"audio_encoder.layers.0.blocks.0.attention.self.relative_position_"
                               "bias_table",
                               {225, 4}}},
                             "audio_encoder.patch_embed.proj", 1, 4),
                 {"audio_encoder.layers.0.blocks.0.attention.self.query"}),
         "names of another model with Swin's layers (Hugging Face)"},
        {"CaiT",
         linears(norms(block(convolution(with(kPositions, {{"blocks.0.gamma_1", {8}},
                                                           {"blocks.0.gamma_2", {8}}}),
                                         "patch_embed.proj", 3, 16),
                             "blocks.0."),
                       {"blocks_token_only.0.norm1", "norm"}),
                 {"blocks.0.attn.proj_l", "blocks.0.attn.proj_w", "blocks_token_only.0.attn.q"}),
         "names of CaiT"},
        {"XCiT",
         norms(block({{"cls_token", {1, 1, 8}},
                      {"patch_embed.proj.0.0.weight", {8, 3, 3, 3}},
                      {"pos_embed.token_projection.weight", {8, 64, 1, 1}},
                      {"blocks.0.attn.temperature", {2, 1, 1}}},
                     "blocks.0."),
               {"cls_attn_blocks.0.norm1", "norm"}),
         "names of XCiT"},
        {"SAM",
         block(convolution({{"image_encoder.pos_embed", {1, 4, 4, 8}},
                            {"image_encoder.blocks.0.attn.rel_pos_h", {7, 4}},
                            {"image_encoder.blocks.0.attn.rel_pos_w", {7, 4}},
                            {"image_encoder.neck.0.weight", {8, 8, 1, 1}},
                            {"image_encoder.neck.2.weight", {8, 8, 3, 3}}},
                           "image_encoder.patch_embed.proj", 3, 16),
               "image_encoder.blocks.0."),
         "names of SAM"},
        {"SAM (Hugging Face)",
         linears(convolution({{"vision_encoder.pos_embed", {1, 4, 4, 8}},
                              {"vision_encoder.layers.0.attn.rel_pos_h", {7, 4}},
                              {"vision_encoder.neck.conv2.weight", {8, 8, 3, 3}}},
                             "vision_encoder.patch_embed.projection", 3, 16),
                 {"vision_encoder.layers.0.attn.qkv", "vision_encoder.layers.0.mlp.lin1"}),
         "names of SAM (Hugging Face)"},
        {"PVT",
         linears(norms(convolution({}, "patch_embed.proj", 3, 7),
                       {"patch_embed.norm", "stages.0.blocks.0.norm1"}),
                 {"stages.0.blocks.0.attn.q", "stages.0.blocks.0.attn.kv"}),
         "names of PVT"},
        {"MViT",
         block(convolution({{"stages.0.blocks.0.attn.pool_k.weight", {8, 1, 3, 3}},
                            {"stages.0.blocks.0.attn.rel_pos_h", {7, 4}}},
                           "patch_embed.proj", 3, 7),
               "stages.0.blocks.0."),
         "names of MViT"},
        {"CroCo",
         block(block(convolution({{"mask_token", {1, 1, 8}}}, "patch_embed.proj", 3, 16),
                     "enc_blocks.0."),
               "dec_blocks.0."),
         "names of CroCo"},
        {"naver's ViT with rotary positions", with(vit(), {{"freqs", {2, 2, 96}}}),
         "tensor \"freqs\": expected a model without this tensor"},
        {"U-ViT",
         block(block(block(convolution(kPositions, "patch_embed.proj", 3, 2), "in_blocks.0."),
                     "mid_block."),
               "out_blocks.0."),
         "names of a diffusion transformer (U-ViT)"},
        {"a ViT that is told the time", with(vit(), {{"time_embed.0.weight", {192, 192}}}),
         "tensor \"time_embed.0.weight\": expected a model without this tensor"},
        {"DiT",
         linears(
             block(convolution({{"pos_embed", {1, 4, 8}}}, "x_embedder.proj", 4, 2), "blocks.0."),
             {"t_embedder.mlp.0", "blocks.0.adaLN_modulation.1", "final_layer.linear"}),
         "names of a diffusion transformer (DiT)"},
        {"VideoMAE",
         linears({{"videomae.embeddings.patch_embeddings.projection.weight", {8, 3, 2, 16, 16}},
                  {"videomae.encoder.layer.0.attention.attention.q_bias", {8}},
                  {"videomae.encoder.layer.0.attention.attention.v_bias", {8}}},
                 {"videomae.encoder.layer.0.attention.attention.query"}),
         "names of VideoMAE"},
        {"ViLT",
         with(huggingface("vilt."),
              {{"vilt.embeddings.text_embeddings.word_embeddings.weight", {9, kWidth}}}),
         "\"vilt.embeddings.text_embeddings.word_embeddings.weight\": expected a model without "
         "this tensor"},
        {"CoCa's tower", with(clip(), {{"visual.attn_pool.query", {9, 8}}}),
         "names of CoCa, which pools by attention (OpenCLIP)"},
        {"BEiT with added positions (Hugging Face)",
         with(huggingface(""), {{"encoder.layer.0.lambda_1", {kWidth}}}),
         "names of BEiT with positions that are added (Hugging Face)"},
        {"BEiT with added positions", scaled(unbiased_keys(vit()), "gamma_"),
         "as in BEiT with added positions and in timm's models with different rotary positions"},
        {"InternViT",
         with(huggingface(""), {{"encoder.layer.0.lambda_1", {kWidth}},
                                {"encoder.layer.0.attention.q_proj.weight", {kWidth, kWidth}}}),
         "names of InternViT (Hugging Face)"},
        {"InternViT as its authors name it",
         {{"embeddings.class_embedding", {1, 1, 8}}, {"encoder.layers.0.ls1", {8}}},
         "names of InternViT, which"},
        {"a ViT with parallel blocks",
         linears(norms(convolution(kPositions, "patch_embed.proj", 3, 16), {"blocks.0.in_norm"}),
                 {"blocks.0.in_proj", "blocks.0.attn_out_proj", "blocks.0.mlp_out_proj"}),
         "names of a ViT whose attention and MLP run in parallel"},
        {"a ViT of 18 × 2 (timm)",
         linears(convolution(kPositions, "patch_embed.proj", 3, 16),
                 {"blocks.0.attns.0.attn.qkv", "blocks.0.attns.1.attn.qkv"}),
         "names of a ViT with several attentions side by side (timm's 18x2)"},
        {"a ViT of 18 × 2 (DeiT III)",
         linears(convolution(kPositions, "patch_embed.proj", 3, 16),
                 {"blocks.0.attn.qkv", "blocks.0.attn1.qkv"}),
         "names of a ViT with several attentions side by side (DeiT III's 18x2)"},
        {"a ViT with relative positions",
         with(turned(), {{"blocks.0.attn.rel_pos.mlp.fc1.weight", {512, 2}}}),
         "names of a ViT with relative positions (timm's relpos)"},
        {"a ViT with shared relative positions",
         with(turned(), {{"shared_rel_pos.mlp.fc1.weight", {512, 2}}}),
         "names of a ViT with relative positions (timm's relpos)"},
        {"NesT", block({}, "levels.0.transformer_encoder.0."), "names of NesT"},
        {"FasterNet",
         convolution(convolution({}, "patch_embed.proj", 3, 4),
                     "stages.0.blocks.0.spatial_mixing.partial_conv3", 2, 3),
         "names of FasterNet"},
        {"Swin-MLP",
         with(convolution({}, "patch_embed.proj", 3, 4),
              {{"layers.0.blocks.0.spatial_mlp.weight", {147, 49, 1}}}),
         "names of Swin-MLP"},
        {"SAM 2's tower", with(vit(), {{"pos_embed_window", {1, 192, 8, 8}}}), "names of Hiera"},
        {"ConViT", with(vit(), {{"blocks.0.attn.gating_param", {3}}}), "names of ConViT"},
        {"a ViT with RMSNorm", without(vit(), "blocks.0.norm1.bias"),
         "\"blocks.0.norm1.bias\": expected [192], found none. Headlight does not compute such "
         "norms (RMSNorm)"},
    };
}

std::vector<Refused> others() {
    return {
        {"ConvNeXt (timm)",
         linears(convolution(convolution({{"stages.0.blocks.0.gamma", {8}}}, "stem.0", 3, 4),
                             "stages.0.blocks.0.conv_dw", 1, 7),
                 {"stages.0.blocks.0.mlp.fc1", "head.fc"}),
         "names of a convolutional network (ConvNeXt)"},
        {"ConvNeXt (Hugging Face)",
         convolution(convolution({}, "convnext.embeddings.patch_embeddings", 3, 4),
                     "convnext.encoder.stages.0.layers.0.dwconv", 1, 7),
         "names of a convolutional network (ConvNeXt)"},
        {"ResNet-50",
         batch_norm(with(batch_norm({{"conv1.weight", {8, 3, 7, 7}}}, "bn1"),
                         {{"layer1.0.conv1.weight", {8, 8, 1, 1}},
                          {"layer1.0.conv2.weight", {8, 8, 3, 3}},
                          {"fc.weight", {4, 8}}}),
                    "layer1.0.bn1"),
         "names of a convolutional network (ResNet)"},
        {"VGG-16",
         linears(convolution(convolution({}, "features.0", 3, 3), "features.2", 8, 3),
                 {"classifier.0", "classifier.3", "classifier.6"}),
         "names of a convolutional network (VGG or AlexNet)"},
        {"MLP-Mixer",
         linears(norms(convolution({}, "stem.proj", 3, 16), {"blocks.0.norm1", "blocks.0.norm2"}),
                 {"blocks.0.mlp_tokens.fc1", "blocks.0.mlp_channels.fc1", "head"}),
         "names of MLP-Mixer"},
        {"GPT-2",
         norms({{"wte.weight", {9, 8}},
                {"wpe.weight", {16, 8}},
                {"h.0.attn.bias", {1, 1, 16, 16}},
                {"h.0.attn.c_attn.weight", {8, 24}},
                {"h.0.attn.c_proj.weight", {8, 8}},
                {"h.0.mlp.c_fc.weight", {8, 32}}},
               {"h.0.ln_1", "h.0.ln_2", "ln_f"}),
         "names of a text model (GPT-2)"},
        {"GPT-2's causal buffer alone",
         {{"h.0.attn.bias", {1, 1, 16, 16}}},
         "names of a text model (GPT-2)"},
        {"BERT",
         linears(norms({{"bert.embeddings.word_embeddings.weight", {9, 8}},
                        {"bert.embeddings.position_embeddings.weight", {16, 8}},
                        {"bert.embeddings.token_type_embeddings.weight", {2, 8}}},
                       {"bert.embeddings.LayerNorm"}),
                 {"bert.encoder.layer.0.attention.self.query", "bert.pooler.dense"}),
         "names of a text model (BERT)"},
        {"Whisper",
         linears({{"model.encoder.conv1.weight", {8, 80, 3}},
                  {"model.encoder.conv2.weight", {8, 8, 3}},
                  {"model.encoder.embed_positions.weight", {16, 8}},
                  {"model.decoder.embed_tokens.weight", {9, 8}}},
                 {"model.encoder.layers.0.self_attn.q_proj",
                  "model.encoder.layers.0.self_attn.out_proj", "model.encoder.layers.0.fc1"}),
         "names of a speech model (Whisper)"},
        {"SegFormer",
         linears(
             convolution({{"segformer.encoder.block.0.0.attention.self.sr.weight", {8, 8, 8, 8}}},
                         "segformer.encoder.patch_embeddings.0.proj", 3, 7),
             {"segformer.encoder.block.0.0.attention.self.query"}),
         "names of SegFormer"},
        {"LeViT",
         batch_norm({{"patch_embed.0.c.weight", {8, 3, 3, 3}},
                     {"blocks.0.m.attention_biases", {4, 196}},
                     {"blocks.0.m.qkv.c.weight", {24, 8}}},
                    "patch_embed.0.bn"),
         "names of LeViT"},
        {"EfficientFormer",
         linears(convolution(convolution({}, "patch_embed.0", 3, 3), "patch_embed.3", 8, 3),
                 {"network.0.0.mlp.fc1", "network.0.0.mlp.fc2"}),
         "names of EfficientFormer"},
        {"MobileViT",
         linears(batch_norm({{"mobilevit.conv_stem.convolution.weight", {8, 3, 3, 3}}},
                            "mobilevit.conv_stem.normalization"),
                 {"mobilevit.encoder.layer.2.transformer.layer.0.attention.attention.query"}),
         "names of MobileViT"},
        {"Keras' 1 × 1 convolutions",
         {{"conv/kernel", {1, 1, 8, 8}}, {"conv/bias", {8}}, {"dense/kernel", {8, 8}}},
         "names of a Keras or JAX model"},
        {"nobody's network",
         {{"stage.pointwise", {1, 3, 8, 8}}, {"out.weight", {4, 8}}},
         "2 tensors such as \"out.weight\" (F32 [4, 8])"},
    };
}

// Layers with more than one attention layer.
std::vector<Refused> layers() {
    Shapes lone;
    for (const auto& [name, shape] : vit("", 1))
        if (name.starts_with("blocks.0.")) lone[name.substr(9)] = shape;
    const Shapes mha{{"self_attn.in_proj_weight", {24, 8}},
                     {"self_attn.in_proj_bias", {24}},
                     {"self_attn.out_proj.weight", {8, 8}},
                     {"self_attn.out_proj.bias", {8}}};
    const Shapes t2t{{"qkv.weight", {12, 6}}, {"proj.weight", {4, 4}}};
    return {
        {"a block of timm with a part of its own", with(lone, {{"attn.extra", {4}}}),
         "\"attn.extra\": expected one transformer layer and no other tensors"},
        {"torch.nn.Transformer",
         {{"decoder.layers.0.linear1.weight", {8, 8}},
          {"decoder.layers.0.multihead_attn.in_proj_weight", {24, 8}},
          {"decoder.layers.0.self_attn.in_proj_weight", {24, 8}},
          {"encoder.layers.0.linear1.weight", {8, 8}},
          {"encoder.layers.0.self_attn.in_proj_weight", {24, 8}}},
         "chosen with --part encoder or --part decoder"},
        {"a layer that norms its queries", with(t2t, {{"q_norm.weight", {4}}}),
         "\"q_norm.weight\": expected one attention layer and no other tensors"},
        {"a layer with a key of its own", with(mha, {{"self_attn.bias_k", {1, 1, 8}}}),
         "\"self_attn.bias_k\": expected one attention layer and no other tensors"},
    };
}

class ForeignModels : public ::testing::TestWithParam<Refused> {};

TEST_P(ForeignModels, are_refused_as_what_they_are) {
    const std::string error = error_of(GetParam().tensors);
    EXPECT_NE(error.find(GetParam().says), std::string::npos) << error;
    EXPECT_TRUE(error.starts_with("a/model.safetensors: ") && error.ends_with(".")) << error;
}

INSTANTIATE_TEST_SUITE_P(VisionTransformers, ForeignModels,
                         ::testing::ValuesIn(vision_transformers()));
INSTANTIATE_TEST_SUITE_P(Others, ForeignModels, ::testing::ValuesIn(others()));
INSTANTIATE_TEST_SUITE_P(Layers, ForeignModels, ::testing::ValuesIn(layers()));

// --- Supported models with parts that their encoders do not need.

struct Opened {
    std::string what, family;
    Shapes tensors;  // of the encoder
    std::vector<std::string> unused;
};

void PrintTo(const Opened& model, std::ostream* out) { *out << model.what; }

// CLIP's tower as Hugging Face names it.
Shapes huggingface_clip(const std::string& prefix, const std::string& pre_norm) {
    const std::string at = prefix + "encoder.layers.0.";
    Shapes shapes{{prefix + "embeddings.class_embedding", {kWidth}},
                  {prefix + "embeddings.patch_embedding.weight", {kWidth, 3, 2, 2}},
                  {prefix + "embeddings.position_embedding.weight", {5, kWidth}}};
    for (const std::string& norm :
         {prefix + pre_norm, prefix + "post_layernorm", at + "layer_norm1", at + "layer_norm2"})
        add_norm(shapes, norm, kWidth);
    for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"})
        add_linear(shapes, at + "self_attn." + part, kWidth, kWidth);
    add_linear(shapes, at + "mlp.fc1", 8, kWidth);
    add_linear(shapes, at + "mlp.fc2", kWidth, 8);
    return shapes;
}

// OpenAI's tower without the text tower.
Shapes clip_tower() {
    Shapes shapes = clip();
    std::erase_if(shapes, [](const auto& t) { return !t.first.starts_with("visual."); });
    return shapes;
}

// torchvision's.
Shapes torchvision() {
    const std::string at = "encoder.layers.encoder_layer_0.";
    Shapes shapes{{"class_token", {1, 1, kWidth}},
                  {"encoder.pos_embedding", {1, 5, kWidth}},
                  {"conv_proj.weight", {kWidth, 3, 2, 2}},
                  {"conv_proj.bias", {kWidth}},
                  {at + "self_attention.in_proj_weight", {3 * kWidth, kWidth}},
                  {at + "self_attention.in_proj_bias", {3 * kWidth}}};
    for (const std::string& norm : {at + "ln_1", at + "ln_2", std::string("encoder.ln")})
        add_norm(shapes, norm, kWidth);
    add_linear(shapes, at + "self_attention.out_proj", kWidth, kWidth);
    add_linear(shapes, at + "mlp.0", 8, kWidth);
    add_linear(shapes, at + "mlp.3", kWidth, 8);
    add_linear(shapes, "heads.head", 4, kWidth);
    return shapes;
}

std::vector<Opened> opened() {
    return {
        {"DINOv3 (timm)",
         "timm-dinov3",
         scaled(with(unbiased_keys(turned()), {{"reg_token", {1, 4, 192}}}), "gamma_"),
         {"mask_token"}},
        {"EVA", "eva", unbiased_keys(vit()), {"mask_token"}},
        {"BEiT's pretraining",
         "beit",
         beit(),
         {"blocks.0.attn.relative_position_index", "blocks.1.attn.relative_position_index",
          "lm_head.weight", "mask_token"}},
        {"torchvision's VisionTransformer", "torchvision", torchvision(), {}},
        {"MAE's pretraining",
         "mae",
         vit(),
         {"decoder_blocks.0.attn.qkv.weight", "decoder_blocks.0.norm1.weight",
          "decoder_embed.weight", "decoder_norm.weight", "decoder_pos_embed", "decoder_pred.weight",
          "mask_token"}},
        {"DINO's training",
         "dino",
         vit("teacher.backbone."),
         {"student.module.head.last_layer.weight_g", "teacher.head.last_layer.weight_v",
          "teacher.head.mlp.0.weight"}},
        {"DINO with its projection",
         "dino",
         vit(),
         {"head.last_layer.weight_g", "head.last_layer.weight_v", "head.mlp.0.weight",
          "head.mlp.2.bias"}},
        {"DINOv2's training",
         "dinov2",
         with(vit("backbone.", 1),
              {{"backbone.blocks.0.ls1.gamma", {192}}, {"backbone.blocks.0.ls2.gamma", {192}}}),
         {"backbone.mask_token", "dino_head.mlp.0.weight", "ibot_head.last_layer.weight_v"}},
        {"SimMIM (Hugging Face)",
         "hf-vit",
         huggingface("vit."),
         {"decoder.0.bias", "decoder.0.weight", "vit.embeddings.mask_token"}},
        {"DPT, a ViT with a decoder behind it",
         "hf-vit",
         huggingface("dpt."),
         {"head.head.0.weight", "neck.convs.0.weight",
          "neck.fusion_stage.layers.0.projection.weight"}},
        {"OpenAI's CLIP",
         "clip",
         clip_tower(),
         {"context_length", "input_resolution", "ln_final.weight", "logit_scale",
          "positional_embedding", "text_projection", "token_embedding.weight",
          "transformer.resblocks.0.ln_1.weight", "vocab_size"}},
        {"CLIP (Hugging Face)",
         "hf-clip",
         huggingface_clip("vision_model.", "pre_layrnorm"),
         {"logit_scale", "text_model.embeddings.position_ids",
          "text_model.embeddings.token_embedding.weight", "text_projection.weight",
          "vision_model.embeddings.position_ids"}},
        {"OWL-ViT, whose tower is CLIP's",
         "hf-clip",
         huggingface_clip("owlvit.vision_model.", "pre_layernorm"),
         {"box_head.dense0.weight", "class_head.dense0.weight", "layer_norm.weight",
          "owlvit.logit_scale", "owlvit.text_model.final_layer_norm.weight"}},
    };
}

class ModelsWithMore : public ::testing::TestWithParam<Opened> {};

TEST_P(ModelsWithMore, open_and_list_what_their_encoder_does_not_need) {
    Shapes tensors = GetParam().tensors;
    for (const std::string& name : GetParam().unused) tensors[name] = {1};
    const auto model = load(tensors);
    EXPECT_EQ(model->family, GetParam().family);
    EXPECT_EQ(model->unused_tensors, GetParam().unused);
}

INSTANTIATE_TEST_SUITE_P(Models, ModelsWithMore, ::testing::ValuesIn(opened()));

// Opened as the encoders that they are: MAE uses ImageNet's pixel normalization, OWL-ViT uses
// CLIP's.
TEST(EncodersOfMore, are_read_as_they_are) {
    const auto mae = load(with(vit(), {{"decoder_pos_embed", {1, 5, 8}}}));
    EXPECT_EQ(mae->preprocessing.mean[0], 0.485F);
    EXPECT_EQ(mae->norm.eps, 1e-6F);
    EXPECT_TRUE(mae->positions.table && mae->norm.exists());
    EXPECT_TRUE(load(huggingface_clip("", "pre_layernorm"))->pre_norm.exists());
}

// --- Files without floating point weights.

TEST(ForeignFiles, quantised_weights_are_no_numbers) {
    std::vector<RawTensor> tensors;
    for (const auto& [name, shape] : vit("", 1)) {
        std::size_t count = 1;
        for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
        const bool quantised = name == "blocks.0.attn.qkv.weight";
        tensors.push_back({name, quantised ? "I8" : "F32", shape,
                           quantised ? std::string(count, '\1') : raw(std::vector<float>(count))});
    }
    EXPECT_EQ(error_of("m", safetensors_of(tensors)),
              "m: tensor \"blocks.0.attn.qkv.weight\": expected floating point numbers, found I8 "
              "(quantized).");
}

std::string npy(const std::string& type, const std::vector<std::int64_t>& shape,
                const std::string& numbers) {
    return npy_header(type, shape) + numbers;
}

TEST(ForeignFiles, data_sets_and_images_are_refused) {
    const std::string digits(60 * 28 * 28, '\7');
    const Bytes mnist =
        bytes_of(testing::zip_of({{"x_train.npy", npy("|u1", {60, 28, 28}, digits)},
                                  {"y_train.npy", npy("|u1", {60}, std::string(60, '\1'))}}));
    const std::string error = error_of("mnist.npz", mnist);
    EXPECT_NE(error.find("names of a data set (x_train, y_train)"), std::string::npos) << error;

    const std::string image =
        error_of("cat.npy", bytes_of(npy("|u1", {3, 28, 28}, std::string(3 * 28 * 28, '\7'))));
    EXPECT_NE(image.find("one tensor, \"cat\" (U8 [3, 28, 28])"), std::string::npos) << image;
    const std::string pixels = error_of(
        "cat.npy", bytes_of(npy("<f4", {3, 28, 28}, raw(std::vector<float>(3 * 28 * 28, 0.5F)))));
    EXPECT_NE(
        pixels.find(
            "\"cat\": expected attention, whose rows add up to 1, found a row that adds up to 14"),
        std::string::npos)
        << pixels;
}

}  // namespace
}  // namespace headlight::foreign_models_test
