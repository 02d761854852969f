#pragma once

#include <string>
#include <vector>

#include "model_files.h"

// The golden models of tests/golden/families, and how each is recognized. Every test of all
// families uses these rows.
namespace headlight {

struct GoldenFamily {
    std::string name, family;
    int layers, heads, width;
    Index prefix;
    int grid_rows, grid_cols;
    PositionCover cover;
    Resampling resampling;
    Activation activation;
    float eps;
    Pooling pooling;
    Index head_rows;  // 0: none
    std::string ending = "safetensors";
};

inline void PrintTo(const GoldenFamily& family, std::ostream* out) { *out << family.name; }

inline std::vector<GoldenFamily> golden_families() {
    using G = GoldenFamily;
    using P = PositionCover;
    using R = Resampling;
    using A = Activation;
    return {
        G{"timm", "timm", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu, 1e-6F,
          Pooling::class_token, 5},
        G{"timm_registers", "timm", 2, 3, 24, 3, 4, 4, P::patches, R::bicubic_antialiased, A::gelu,
          1e-6F, Pooling::class_token, 5},
        G{"timm_pooled", "timm", 2, 4, 32, 0, 2, 5, P::all, R::bicubic_antialiased, A::gelu, 1e-6F,
          Pooling::patches, 3},
        G{"timm_swiglu", "timm", 2, 2, 24, 3, 3, 3, P::all, R::bicubic_antialiased, A::swiglu,
          1e-6F, Pooling::class_token, 0},
        G{"timm_geglu", "timm", 2, 2, 24, 3, 3, 3, P::all, R::bicubic_antialiased, A::geglu, 1e-6F,
          Pooling::class_token, 0},
        G{"deit_distilled", "deit", 2, 3, 24, 2, 3, 3, P::all, R::bicubic_antialiased, A::gelu,
          1e-6F, Pooling::class_and_distillation, 5},
        G{"dino", "dino", 2, 3, 24, 1, 4, 4, P::all, R::bicubic_offset, A::gelu, 1e-6F,
          Pooling::class_token, 0},
        G{"dinov2", "dinov2", 2, 3, 24, 1, 5, 5, P::all, R::bicubic_offset, A::gelu, 1e-6F,
          Pooling::class_token, 0},
        G{"dinov2_registers", "dinov2", 4, 3, 24, 5, 5, 5, P::without_registers,
          R::bicubic_antialiased, A::swiglu, 1e-6F, Pooling::class_token, 0},
        G{"mae", "mae", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu, 1e-6F,
          Pooling::class_token, 0},
        G{"clip_openai", "clip", 2, 3, 24, 1, 3, 3, P::all, R::bicubic, A::quick_gelu, 1e-5F,
          Pooling::class_token, 16},
        G{"clip_open", "openclip", 2, 2, 24, 1, 4, 4, P::all, R::bicubic_antialiased, A::gelu,
          1e-5F, Pooling::class_token, 10},
        G{"clip_pooled", "openclip", 2, 2, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu,
          1e-5F, Pooling::patches, 10},
        G{"clip_huggingface", "hf-clip", 2, 3, 24, 1, 4, 4, P::all, R::bicubic, A::quick_gelu,
          1e-5F, Pooling::class_token, 16},
        G{"siglip", "siglip", 2, 3, 24, 0, 3, 3, P::all, R::bicubic, A::gelu_tanh, 1e-6F,
          Pooling::attention, 0},
        G{"siglip_classes", "siglip", 2, 3, 24, 0, 3, 3, P::all, R::bicubic, A::gelu_tanh, 1e-6F,
          Pooling::patches, 5},
        G{"siglip_naflex", "siglip2-naflex", 2, 3, 24, 0, 4, 4, P::all, R::bilinear_antialiased,
          A::gelu_tanh, 1e-6F, Pooling::attention, 0},
        G{"timm_siglip", "timm", 2, 3, 24, 0, 3, 3, P::all, R::bicubic_antialiased, A::gelu, 1e-6F,
          Pooling::attention, 0},
        G{"timm_siglip_classes", "timm", 2, 2, 24, 0, 3, 3, P::all, R::bicubic_antialiased,
          A::gelu_tanh, 1e-6F, Pooling::attention, 5},
        G{"google_siglip", "google", 2, 3, 24, 0, 3, 3, P::all, R::linear_corners, A::gelu_tanh,
          1e-6F, Pooling::attention, 0, "npz"},
        G{"hf_vit", "hf-vit", 2, 3, 24, 1, 4, 4, P::all, R::bicubic, A::gelu, 1e-12F,
          Pooling::class_token, 3},
        G{"hf_vit_newer", "hf-vit", 2, 2, 24, 1, 3, 3, P::all, R::bicubic, A::gelu, 1e-12F,
          Pooling::class_token, 0},
        G{"hf_deit", "hf-deit", 2, 3, 24, 2, 3, 3, P::all, R::bicubic, A::gelu, 1e-12F,
          Pooling::class_and_distillation, 5},
        G{"hf_dinov2", "hf-dinov2", 2, 3, 24, 1, 5, 5, P::all, R::bicubic, A::gelu, 1e-6F,
          Pooling::class_and_patches, 5},
        G{"hf_dinov2_registers", "hf-dinov2", 2, 3, 24, 4, 5, 5, P::without_registers,
          R::bicubic_antialiased, A::swiglu, 1e-6F, Pooling::class_token, 0},
        G{"google", "google", 2, 3, 24, 1, 3, 3, P::all, R::linear_corners, A::gelu_tanh, 1e-6F,
          Pooling::class_token, 5, "npz"},
        G{"google_resampled", "google", 2, 2, 24, 1, 5, 5, P::all, R::linear_corners, A::gelu_tanh,
          1e-6F, Pooling::class_token, 5, "npz"},
        G{"dinov3", "dinov3", 2, 2, 32, 5, 0, 0, P::all, R::bicubic_antialiased, A::gelu, 1e-5F,
          Pooling::class_token, 0},
        G{"dinov3_gated", "dinov3", 2, 3, 24, 2, 0, 0, P::all, R::bicubic_antialiased, A::swiglu,
          1e-5F, Pooling::class_token, 0},
        G{"hf_dinov3", "hf-dinov3", 2, 2, 32, 5, 0, 0, P::all, R::bicubic_antialiased, A::gelu,
          1e-5F, Pooling::class_token, 0},
        G{"hf_dinov3_gated", "hf-dinov3", 2, 3, 24, 3, 0, 0, P::all, R::bicubic_antialiased,
          A::swiglu, 1e-5F, Pooling::class_token, 0},
        G{"timm_dinov3", "timm-dinov3", 2, 2, 32, 5, 0, 0, P::all, R::bicubic_antialiased, A::gelu,
          1e-5F, Pooling::patches, 0},
        G{"timm_dinov3_gated", "timm-dinov3", 2, 3, 24, 5, 0, 0, P::all, R::bicubic_antialiased,
          A::swiglu, 1e-5F, Pooling::patches, 0},
        G{"eva02", "eva02", 2, 2, 32, 1, 3, 3, P::all, R::bicubic_antialiased, A::swiglu, 1e-6F,
          Pooling::patches, 5},
        G{"eva02_small", "eva02", 2, 3, 24, 1, 4, 4, P::all, R::bicubic_antialiased, A::swiglu,
          1e-6F, Pooling::patches, 5},
        G{"eva02_reference", "eva02", 2, 3, 24, 1, 4, 4, P::all, R::bicubic_antialiased, A::swiglu,
          1e-6F, Pooling::patches, 5},
        G{"eva02_clip", "eva02", 2, 2, 32, 1, 3, 3, P::all, R::bicubic_antialiased, A::swiglu,
          1e-6F, Pooling::class_token, 5},
        G{"eva02_authors", "eva02", 2, 2, 32, 1, 3, 3, P::all, R::bicubic_antialiased, A::swiglu,
          1e-6F, Pooling::class_token, 5},
        G{"eva", "eva", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu, 1e-6F,
          Pooling::patches, 5},
        G{"torchvision", "torchvision", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_corners, A::gelu,
          1e-6F, Pooling::class_token, 5},
        G{"torchvision_resized", "torchvision", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_corners,
          A::gelu, 1e-6F, Pooling::class_token, 5},
        G{"torchvision_older", "torchvision", 2, 2, 24, 1, 2, 2, P::all, R::bicubic_corners,
          A::gelu, 1e-6F, Pooling::class_token, 5},
        G{"beit", "beit", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu, 1e-6F,
          Pooling::patches, 5},
        G{"beit_wide", "beit", 2, 3, 24, 1, 2, 4, P::all, R::bicubic_antialiased, A::gelu, 1e-6F,
          Pooling::patches, 5},
        G{"beit_shared", "beit", 2, 2, 24, 1, 2, 2, P::all, R::bicubic_antialiased, A::gelu, 1e-6F,
          Pooling::class_token, 5},
        G{"hf_beit", "hf-beit", 2, 3, 24, 1, 3, 3, P::all, R::bicubic_antialiased, A::gelu, 1e-12F,
          Pooling::patches, 5},
        G{"hf_beit_tall", "hf-beit", 2, 3, 24, 1, 4, 2, P::all, R::bicubic_antialiased, A::gelu,
          1e-12F, Pooling::patches, 5},
        G{"swin", "swin", 4, 4, 32, 0, 0, 0, P::all, R::bicubic_antialiased, A::gelu, 1e-5F,
          Pooling::patches, 5},
        G{"swin_authors", "swin", 5, 2, 16, 0, 0, 0, P::all, R::bicubic_antialiased, A::gelu, 1e-5F,
          Pooling::patches, 5},
        G{"swin_positions", "swin", 2, 2, 16, 0, 4, 4, P::all, R::bicubic, A::gelu, 1e-5F,
          Pooling::patches, 5},
        G{"hf_swin", "hf-swin", 5, 6, 48, 0, 0, 0, P::all, R::bicubic_antialiased, A::gelu, 1e-5F,
          Pooling::patches, 5},
        G{"hf_swin_bare", "hf-swin", 3, 2, 16, 0, 0, 0, P::all, R::bicubic_antialiased, A::gelu,
          1e-5F, Pooling::patches, 0},
        G{"torchvision_swin", "torchvision-swin", 4, 4, 32, 0, 0, 0, P::all, R::bicubic_antialiased,
          A::gelu, 1e-5F, Pooling::patches, 5},
        G{"t2t", "t2t", 1, 3, 24, 1, 2, 2, P::all, R::bicubic, A::gelu, 1e-5F, Pooling::class_token,
          5},
        G{"t2t_scaled", "t2t", 1, 2, 24, 1, 1, 2, P::all, R::bicubic, A::gelu, 1e-5F,
          Pooling::class_token, 5},
        G{"t2t_performer", "t2t", 1, 3, 24, 1, 2, 2, P::all, R::bicubic, A::gelu, 1e-5F,
          Pooling::class_token, 5},
        G{"t2t_lanl", "t2t-lanl", 2, 3, 24, 1, 3, 2, P::all, R::bicubic, A::gelu, 1e-5F,
          Pooling::class_token, 5},
    };
}

// These models, and attention maps without a model.
inline std::vector<GoldenModel> golden_files() {
    std::vector<GoldenModel> files{{"maps"}, {"maps_layers", "npz"}};
    for (const GoldenFamily& family : golden_families())
        files.push_back({family.name, family.ending});
    return files;
}

}  // namespace headlight
