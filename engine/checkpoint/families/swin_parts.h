#pragma once

#include <string>
#include <vector>

#include "model/builder.h"

namespace headlight {

// Swin ("Swin Transformer: Hierarchical Vision Transformer using Shifted Windows", arXiv
// 2103.14030), whoever names it.
struct SwinNames {
    std::string patches = "patch_embed.proj", patch_norm = "patch_embed.norm";
    LayerNames layer;
    std::string table = "attn.relative_position_bias_table";
    // What follows from the window and the map, as some codes save it.
    std::string index = "attn.relative_position_index", mask = "attn_mask";
    bool shifts_together = false;  // Window's
};

// Where the names of a stage begin: those of its layers, and of the merging before it.
struct SwinStage {
    std::string blocks, merge;
};

// The pictures that it learned from: as its masks have them, or else such that the last stage's map
// is one window. Throws CheckpointError where there are more stages than of any model.
PixelSize swin_picture(const TensorReader& at, const SwinNames& names,
                       const std::vector<SwinStage>& stages);

// Patches, positions or their norm, and all layers. The width of the last stage.
Index read_swin(ModelBuilder& builder, const SwinNames& names,
                const std::vector<SwinStage>& stages);

// The model with all that is said of it. Throws CheckpointError where a config contradicts the
// tensors, or its pictures' tokens do not fill the windows.
Model finish_swin(ModelBuilder& builder, const std::vector<std::string_view>& unneeded);

}  // namespace headlight
