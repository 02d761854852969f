#pragma once

#include <string>
#include <vector>

#include "model/builder.h"

namespace headlight {

// Swin ("Swin Transformer: Hierarchical Vision Transformer using Shifted Windows", arXiv
// 2103.14030), in any naming.
struct SwinNames {
    std::string patches = "patch_embed.proj", patch_norm = "patch_embed.norm";
    LayerNames layer;
    std::string table = "attn.relative_position_bias_table";
    // Buffers that follow from the window and the map, which some codes save.
    std::string index = "attn.relative_position_index", mask = "attn_mask";
    bool shifts_together = false;  // see Window
};

// The prefixes of a stage: of its layers, and of the merging before it.
struct SwinStage {
    std::string blocks, merge;
};

// The picture size in training: from its masks, or else such that the last stage's map is one
// window. Throws CheckpointError if there are more stages than in any model.
PixelSize swin_picture(const TensorReader& at, const SwinNames& names,
                       const std::vector<SwinStage>& stages);

// Reads patches, positions or their norm, and all layers. Returns the width of the last stage.
Index read_swin(ModelBuilder& builder, const SwinNames& names,
                const std::vector<SwinStage>& stages);

// Finishes the model and records its facts. Throws CheckpointError if a config contradicts the
// tensors, or if the tokens of its picture size do not fill the windows.
Model finish_swin(ModelBuilder& builder, const std::vector<std::string_view>& unneeded);

}  // namespace headlight
