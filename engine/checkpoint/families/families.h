#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "files/tensor_reader.h"
#include "kernels/names.h"
#include "model/decisions.h"
#include "model/model.h"

// The naming families. Each function returns nothing if the file has other names. If they fit, it
// throws CheckpointError for anything that it cannot read.
namespace headlight {

// timm's VisionTransformer and DeiT; DINO, DINOv2 and MAE, which use its names.
std::optional<Model> read_timm_names(const TensorReader& file, const Decisions& decisions);
// timm's Eva: EVA, EVA-02, and timm's DINOv3.
std::optional<Model> read_eva_names(const TensorReader& file, const Decisions& decisions);
// DINOv3 in its authors' names, and in Hugging Face's.
std::optional<Model> read_dinov3_names(const TensorReader& file, const Decisions& decisions);
std::optional<Model> read_huggingface_dinov3_names(const TensorReader& file,
                                                   const Decisions& decisions);
// BEiT in timm's names, which are its authors', and in Hugging Face's.
std::optional<Model> read_beit_names(const TensorReader& file, const Decisions& decisions);
std::optional<Model> read_huggingface_beit_names(const TensorReader& file,
                                                 const Decisions& decisions);
// Swin in timm's names, old and new, which are its authors', in Hugging Face's and in
// torchvision's.
std::optional<Model> read_swin_names(const TensorReader& file, const Decisions& decisions);
std::optional<Model> read_huggingface_swin_names(const TensorReader& file,
                                                 const Decisions& decisions);
std::optional<Model> read_torchvision_swin_names(const TensorReader& file,
                                                 const Decisions& decisions);
// torchvision's VisionTransformer.
std::optional<Model> read_torchvision_names(const TensorReader& file, const Decisions& decisions);
// Hugging Face's ViT, DeiT and DINOv2.
std::optional<Model> read_huggingface_names(const TensorReader& file, const Decisions& decisions);
// CLIP's vision towers: OpenAI's and OpenCLIP's names, and Hugging Face's, with SigLIP and OWL-ViT.
std::optional<Model> read_clip_names(const TensorReader& file, const Decisions& decisions);
std::optional<Model> read_huggingface_clip_names(const TensorReader& file,
                                                 const Decisions& decisions);
// Google's ViT as its JAX code saves it.
std::optional<Model> read_jax_names(const TensorReader& file, const Decisions& decisions);
// Tokens-to-Token ViT.
std::optional<Model> read_t2t_names(const TensorReader& file, const Decisions& decisions);
// torch.nn.TransformerEncoder, and one torch.nn.TransformerEncoderLayer.
std::optional<Model> read_torch_encoder_names(const TensorReader& file, const Decisions& decisions);
// torch.nn.TransformerDecoder, and one torch.nn.TransformerDecoderLayer.
std::optional<Model> read_torch_decoder_names(const TensorReader& file, const Decisions& decisions);
// One token transformer of T2T-ViT, its Performer, or one block of timm, which has the same names.
std::optional<Model> read_token_transformer_names(const TensorReader& file,
                                                  const Decisions& decisions);
// A single attention layer.
std::optional<Model> read_layer_names(const TensorReader& file, const Decisions& decisions);
// Attention maps without a model: floating point arrays whose rows sum to 1, in a file without
// weights. Each of several arrays is a layer. From a file by `headlight trace`, the attention of
// its layers.
std::optional<Model> read_maps(const TensorReader& file, const Decisions& decisions);
// True if `headlight trace` wrote the file.
bool holds_trace(const TensorReader& file);

// A row of the list of families: whose names, which models, and the function that reads them.
// `headlight info --help`, the model panel and error messages print this list; the manual has it.
struct Family {
    std::string_view whose, models;
    bool whole;  // false: layers or maps, which are parts of other files
    std::optional<Model> (*read)(const TensorReader&, const Decisions&);
    // A tensor that every encoder of this naming has exactly once, which tells how many a file
    // has. Empty: as in another row, or none.
    std::string_view sign = {};
};

// load_model() tries the rows from last to first. Names that only one family uses are at the end.
// Names of single layers and maps, which may be parts of other files, are at the start.
inline constexpr auto kFamilies = std::to_array<Family>({
    {"attention maps",
     "maps without a model, whose rows add up to 1. Either one array: `[N, N]`, `[heads, N, N]`, "
     "`[layers, heads, N, N]`, `[layers, 1, heads, N, N]` or `[1, layers, heads, N, N]`. Or one "
     "array for each layer: `[N, N]`, `[heads, N, N]` or `[samples, heads, N, N]`",
     false, read_maps},
    {"one attention layer",
     "T2T's, `torch.nn.MultiheadAttention` (also with `kdim` and `vdim`), Keras' "
     "`MultiHeadAttention`, 1×1 convolutions, LearnOpenCV's, `K.weight Q.weight V.weight L.weight`",
     false, read_layer_names},
    {"transformer layers", "a token transformer of T2T-ViT, its performer, a block of timm", false,
     read_token_transformer_names},
    {"transformer layers",
     "`torch.nn.TransformerEncoder` and `TransformerEncoderLayer`, post- and pre-norm, with layer "
     "or batch norms",
     false, read_torch_encoder_names},
    {"decoder layers",
     "`torch.nn.TransformerDecoder` and `TransformerDecoderLayer`, for an input file with `query` "
     "and `value`",
     false, read_torch_decoder_names},
    {"timm", "VisionTransformer, DeiT, the towers of CLIP and SigLIP", true, read_timm_names,
     "patch_embed.proj.weight"},
    {"timm", "BEiT", true, read_beit_names},
    {"timm", "EVA, EVA-02, DINOv3", true, read_eva_names},
    {"DINO, DINOv2, DINOv3, MAE, BEiT, EVA-02, Swin",
     "as their authors publish them, with or without registers or a decoder", true,
     read_dinov3_names},
    {"OpenAI, OpenCLIP, EVA-CLIP", "the vision tower, also CLIPA's and those built by timm", true,
     read_clip_names},
    {"Hugging Face", "the vision towers of CLIP, SigLIP and SigLIP 2 (also NaFlex)", true,
     read_huggingface_clip_names, "embeddings.patch_embedding.weight"},
    {"Hugging Face", "ViT, DeiT, DINOv2", true, read_huggingface_names,
     "embeddings.patch_embeddings.projection.weight"},
    {"Hugging Face", "BEiT", true, read_huggingface_beit_names},
    {"Hugging Face", "DINOv3", true, read_huggingface_dinov3_names,
     "embeddings.patch_embeddings.weight"},
    {"torchvision", "VisionTransformer", true, read_torchvision_names, "conv_proj.weight"},
    {"torchvision", "Swin", true, read_torchvision_swin_names,
     "features.1.0.attn.relative_position_bias_table"},
    {"Hugging Face", "Swin", true, read_huggingface_swin_names},
    {"timm", "Swin", true, read_swin_names},
    {"Google", "ViT and SigLIP from JAX", true, read_jax_names, "Transformer/encoder_norm/scale"},
    {"T2T-ViT",
     "with its soft splits and token transformers or performers, also with lanl's tensor names",
     true, read_t2t_names, "tokens_to_token.project.weight"},
});
static_assert(has_columns(kFamilies, &Family::whose, &Family::models, &Family::read));

}  // namespace headlight
