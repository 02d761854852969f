#pragma once

#include <optional>

#include "files/tensor_reader.h"
#include "model/decisions.h"
#include "model/model.h"

// The naming families. Each function returns nothing where the file's names are not its own; where
// they are, it throws CheckpointError for what it cannot read.
namespace headlight {

// timm's VisionTransformer and DeiT; DINO, DINOv2 and MAE, which keep its names.
std::optional<Model> read_timm_names(const TensorReader& file, const Decisions& decisions);
// timm's Eva: EVA, EVA-02, and DINOv3 as timm has it.
std::optional<Model> read_eva_names(const TensorReader& file, const Decisions& decisions);
// DINOv3 in its authors' names, and in Hugging Face's.
std::optional<Model> read_dinov3_names(const TensorReader& file, const Decisions& decisions);
std::optional<Model> read_huggingface_dinov3_names(const TensorReader& file,
                                                   const Decisions& decisions);
// BEiT in timm's names, which are its authors', and in Hugging Face's.
std::optional<Model> read_beit_names(const TensorReader& file, const Decisions& decisions);
std::optional<Model> read_huggingface_beit_names(const TensorReader& file,
                                                 const Decisions& decisions);
// Swin in timm's names, older and newer, which are its authors', in Hugging Face's and in
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
// One token transformer of T2T-ViT, its performer, or one block of timm's, whose names are the
// same.
std::optional<Model> read_token_transformer_names(const TensorReader& file,
                                                  const Decisions& decisions);
// A single attention layer.
std::optional<Model> read_layer_names(const TensorReader& file, const Decisions& decisions);
// Attention maps without a model: floating point numbers whose rows share out 1, in a file that
// names no weights. Of several arrays each is a layer. Of what `headlight trace` wrote, its layers' attention.
std::optional<Model> read_maps(const TensorReader& file, const Decisions& decisions);
// Whether `headlight trace` wrote it.
bool holds_trace(const TensorReader& file);

}  // namespace headlight
