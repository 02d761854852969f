#include "families/foreign.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace headlight {

namespace {

// All signs must be present, each alone or after a "." or "/" ("encoder.SIGN"). Signs that begin
// with "!" must be absent. The first matching row counts, so of two names with the same ending the
// longer one comes first.
struct Foreign {
    std::string_view words;
    std::array<std::string_view, 4> signs;  // empty signs are ignored
};

// No supported model may have the names of a row.
constexpr std::array kRelatives{
    Foreign{"Swin V2", {"layers.0.blocks.0.attn.cpb_mlp.0.weight"}},
    Foreign{"Swin V2 (torchvision)", {"features.1.0.attn.cpb_mlp.0.weight"}},
    Foreign{"Swin V2 (Hugging Face)",
            {"layers.0.blocks.0.attention.self.continuous_position_bias_mlp.0.weight"}},
    Foreign{"Swin V2 (timm's own)", {"stages.0.blocks.0.attn.meta_mlp.fc1.weight"}},
    Foreign{"Video Swin (torchvision)", {"features.0.0.attn.relative_position_bias_table"}},
    // For sound or for restoring pictures; their patches are cut differently than Swin's.
    Foreign{"another model with Swin's layers",
            {"layers.0.blocks.0.attn.relative_position_bias_table", "!patch_embed.proj.weight"}},
    Foreign{"another model with Swin's layers (Hugging Face)",
            {"layers.0.blocks.0.attention.self.relative_position_bias_table",
             "!embeddings.patch_embeddings.projection.weight"}},
    // DINOv3 in timm's names has both tokens; BEiT has a table.
    Foreign{"a ViT with rotary positions other than DINOv3's (timm)",
            {"blocks.0.gamma_1", "!pos_embed", "!reg_token", "!relative_position_bias_table"}},
    Foreign{"a ViT with rotary positions other than DINOv3's (timm)",
            {"blocks.0.gamma_1", "!pos_embed", "!cls_token", "!relative_position_bias_table"}},
    Foreign{"NaFlexViT (timm)", {"embeds.proj.weight", "blocks.0.norm1.weight"}},
    Foreign{"CaiT", {"blocks_token_only.0.norm1.weight"}},
    Foreign{"XCiT", {"cls_attn_blocks.0.norm1.weight"}},
    Foreign{"MViT", {"blocks.0.attn.pool_k.weight"}},
    Foreign{"SAM or ViTDet", {"blocks.0.attn.rel_pos_h"}},
    Foreign{"SAM (Hugging Face)", {"layers.0.attn.rel_pos_h"}},
    Foreign{"PVT", {"stages.0.blocks.0.attn.kv.weight"}},
    Foreign{"PVT", {"block1.0.attn.kv.weight"}},
    Foreign{"CroCo or DUSt3R", {"enc_blocks.0.norm1.weight"}},
    Foreign{"a diffusion transformer (U-ViT)", {"mid_block.attn.qkv.weight"}},
    Foreign{"a diffusion transformer (DiT)", {"t_embedder.mlp.0.weight"}},
    Foreign{"InternViT", {"encoder.layers.0.ls1", "embeddings.class_embedding"}},
    Foreign{"InternViT (Hugging Face)",
            {"encoder.layer.0.lambda_1", "encoder.layer.0.attention.q_proj.weight"}},
    Foreign{"BEiT with positions that are added (Hugging Face)",
            {"encoder.layer.0.lambda_1", "embeddings.position_embeddings"}},
    Foreign{"CoCa, which pools by attention (OpenCLIP)", {"attn_pool.query", "conv1.weight"}},
    Foreign{"a ViT whose attention and MLP run in parallel (timm's parallel blocks)",
            {"blocks.0.attn_out_proj.weight"}},
    Foreign{"a ViT whose attention and MLP run in parallel (timm's parallel blocks)",
            {"blocks.0.in_norm.weight"}},
    Foreign{"a ViT with several attentions side by side (timm's 18x2)",
            {"blocks.0.attns.0.attn.qkv.weight"}},
    Foreign{"a ViT with several attentions side by side (DeiT III's 18x2)",
            {"blocks.0.attn1.qkv.weight"}},
    Foreign{"a ViT with relative positions (timm's relpos)", {"rel_pos.mlp.fc1.weight"}},
    Foreign{"a ViT with relative positions (timm's relpos)",
            {"rel_pos.relative_position_bias_table"}},
    Foreign{"a ViT with relative positions (timm's relpos)", {"shared_rel_pos.mlp.fc1.weight"}},
    Foreign{"a ViT with relative positions (timm's relpos)",
            {"shared_rel_pos.relative_position_bias_table"}},
    Foreign{"NesT", {"levels.0.transformer_encoder.0.norm1.weight"}},
    Foreign{"FasterNet", {"stages.0.blocks.0.spatial_mixing.partial_conv3.weight"}},
    Foreign{"Swin-MLP", {"layers.0.blocks.0.spatial_mlp.weight"}},
    Foreign{"Hiera", {"pos_embed_window"}},
    Foreign{"ConViT", {"blocks.0.attn.gating_param"}},
    Foreign{"VideoMAE (Hugging Face)", {"encoder.layer.0.attention.attention.q_bias"}},
    Foreign{"TimeSformer", {"encoder.layer.0.temporal_attention.attention.qkv.weight"}},
};

constexpr std::array kStrangers{
    Foreign{"a convolutional network (ResNet)", {"layer1.0.conv1.weight"}},
    Foreign{"a convolutional network (ResNet)", {"embedder.embedder.convolution.weight"}},
    Foreign{"a convolutional network (VGG or AlexNet)", {"features.0.weight", "features.0.bias"}},
    Foreign{"a convolutional network (ConvNeXt)", {"stages.0.blocks.0.conv_dw.weight"}},
    Foreign{"a convolutional network (ConvNeXt)", {"stages.0.0.dwconv.weight"}},
    Foreign{"a convolutional network (ConvNeXt)", {"stages.0.layers.0.dwconv.weight"}},
    Foreign{"a convolutional network (ConvNeXt)", {"features.1.0.layer_scale"}},
    Foreign{"a convolutional network (DenseNet)",
            {"features.denseblock1.denselayer1.conv1.weight"}},
    Foreign{"a convolutional network (EfficientNet)", {"blocks.0.0.conv_dw.weight"}},
    Foreign{"MobileViT", {"conv_stem.convolution.weight"}},
    Foreign{"MobileViT", {"stages.2.1.transformer.0.attn.qkv.weight"}},
    Foreign{"MLP-Mixer", {"blocks.0.mlp_tokens.fc1.weight"}},
    Foreign{"MLP-Mixer", {"MixerBlock_0/token_mixing/Dense_0/kernel"}},
    Foreign{"LeViT", {"patch_embed.0.c.weight"}},
    Foreign{"LeViT", {"stem.conv1.linear.weight"}},
    Foreign{"LeViT", {"patch_embeddings.embedding_layer_1.convolution.weight"}},
    Foreign{"EfficientFormer or PoolFormer", {"network.0.0.mlp.fc1.weight"}},
    Foreign{"SegFormer", {"encoder.patch_embeddings.0.proj.weight"}},
    Foreign{"a speech model (Whisper)", {"encoder.conv1.weight", "encoder.conv2.weight"}},
    Foreign{"a speech model (wav2vec)", {"feature_extractor.conv_layers.0.conv.weight"}},
    Foreign{"a text model (GPT-2)", {"wte.weight"}},
    Foreign{"a text model (GPT-2)", {"h.0.attn.bias"}},
    Foreign{"a text model (BERT)", {"embeddings.word_embeddings.weight"}},
    Foreign{"a text model (T5)", {"shared.weight"}},
    Foreign{"a text model (such as Llama)", {"layers.0.self_attn.q_proj.weight"}},
    Foreign{"a diffusion network (U-Net)", {"down_blocks.0.resnets.0.conv1.weight"}},
    Foreign{"a diffusion network (U-Net)", {"input_blocks.0.0.weight"}},
    Foreign{"a data set (x_train, y_train)", {"x_train"}},
    // Common names come last.
    Foreign{"a network with batch norms", {"running_mean"}},
    Foreign{"a Keras or JAX model", {"kernel"}},
    Foreign{"a Keras model", {"kernel:0"}},
};

bool has_sign(const TensorReader& file, std::string_view sign) {
    if (sign.starts_with('!')) return file.prefixes_of(sign.substr(1)).empty();
    return sign.empty() || !file.prefixes_of(sign).empty();
}

std::optional<std::string> first_of(std::span<const Foreign> rows, const TensorReader& file) {
    for (const Foreign& row : rows)
        if (std::ranges::all_of(row.signs, [&](auto sign) { return has_sign(file, sign); }))
            return std::string(row.words);
    return {};
}

}  // namespace

std::optional<std::string> relative_named(const TensorReader& file) {
    return first_of(kRelatives, file);
}

std::optional<std::string> stranger_named(const TensorReader& file) {
    return first_of(kStrangers, file);
}

bool names_weights(const TensorReader& file) {
    static constexpr std::array<std::string_view, 11> kWords{
        "weight", "bias",   "kernel",   "running_mean", "running_var", "embedding",
        "gamma",  "bias:0", "kernel:0", "beta",         "moving_mean"};
    return std::ranges::any_of(kWords, [&](auto word) { return has_sign(file, word); });
}

}  // namespace headlight
