#pragma once

#include <optional>
#include <string>

#include "attention/layer.h"
#include "checkpoint/safetensors.h"
#include "cli/settings.h"
#include "encoder/runner.h"

namespace headlight::cli {

// What enters the layer, and what it was made of.
struct Prepared {
    LayerInput layer;
    Matrix patches;    // [B·P, D]; empty where tokens were given
    Matrix positions;  // [N, D]; empty: none were added
};

// How an image is cut for a layer.
struct PatchPlan {
    PatchSettings patches;
    int channels = 0;  // 3 or 1
};

// Patch size and colour follow from the token's width: dim = 3·patch² or patch². No width is both,
// so what the settings leave open is never guessed. Nothing: the settings do not fit the width.
std::optional<PatchPlan> image_plan(const Settings& settings, int dim);

// The tensors of an --input file. Throws WorkError: other names than pixels, tokens, query, value,
// mask and key_padding_mask, or not exactly one kind of input among them.
TensorMap read_input(const std::string& path);
Scope scope_of(const TensorMap& input);

// Throw WorkError, and the errors of the image and patches folders, where file, settings and layer
// do not fit together or the trace would not fit into memory.
Prepared prepare_tensors(const TensorMap& input, const std::string& path, const Settings& settings,
                         const AttentionConfig& config);
Prepared prepare_image(const std::string& path, const Settings& settings,
                       const AttentionConfig& config);

}  // namespace headlight::cli
