#include "hub/curated.h"

#include <array>

namespace headlight::hub {

namespace {

// The same table is in README.md; tests/ui/test_models.py compares the two.
constexpr std::array kModels{
    CuratedModel{"ViT-S/16, 1000 classes", "timm/vit_small_patch16_224.augreg_in21k_ft_in1k",
                 "88 MB", "Apache 2.0"},
    CuratedModel{"DINO, maps follow objects", "timm/vit_small_patch16_224.dino", "87 MB",
                 "Apache 2.0"},
    CuratedModel{"DINOv2", "facebook/dinov2-small", "88 MB", "Apache 2.0"},
    CuratedModel{"DINOv3", "timm/vit_small_patch16_dinov3.lvd1689m", "86 MB", "DINOv3 License"},
    CuratedModel{"CLIP's vision tower", "openai/clip-vit-base-patch32", "605 MB", "MIT"},
    CuratedModel{"SigLIP's vision tower", "google/siglip-base-patch16-224", "813 MB", "Apache 2.0"},
    CuratedModel{"SigLIP 2 for any aspect ratio", "google/siglip2-base-patch16-naflex", "1.5 GB",
                 "Apache 2.0"},
    CuratedModel{"Swin-T, attention in windows", "timm/swin_tiny_patch4_window7_224.ms_in1k",
                 "113 MB", "MIT"},
    CuratedModel{"MAE's encoder", "timm/vit_base_patch16_224.mae", "343 MB", "CC BY-NC 4.0"},
};

}  // namespace

std::span<const CuratedModel> curated_models() { return kModels; }

std::string python_to_get(std::string_view name, std::string_view revision) {
    std::string call = "snapshot_download(\"" + std::string(name) + "\", ";
    if (!revision.empty()) call += "revision=\"" + std::string(revision) + "\", ";
    return "from huggingface_hub import snapshot_download\nprint(" + call +
           "allow_patterns=[\"*.safetensors\", \"*.json\"]))\n";
}

}  // namespace headlight::hub
