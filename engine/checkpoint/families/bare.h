#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/builder.h"

// Decisions about bare layers of any naming: heads, and patches whose pixels match the tokens'
// width.
namespace headlight {

// There are no learned positions, so the size in a config is the input size.
Decisions shown_as_named(const Decisions& decisions);

// The number of heads of a layer: from its shapes, if they show it, or by a convention (0:
// unknown). A config overrides both.
struct HeadsKnown {
    std::optional<int> of_shapes;
    Decided<int> usual;
    std::string scale_origin = "head_dim^-0.5";  // origin of the layer's scale
};
// 64 channels per head if that divides evenly.
Decided<int> usual_heads_of(const std::string& family, int channels);
void decide_heads(ModelBuilder& builder, const HeadsKnown& known, AttentionConfig& attention);

// Patch size and color from the width of a token: dim = 3·patch² or patch². No number is both.
void decide_patch(ModelBuilder& builder, int dim);

// A file with more tensors computes more: key biases, norms of queries, the rest of a block. Throws
// CheckpointError for the first unused tensor that is not harmless; `what` describes the rest of
// the file.
void expect_nothing_beside(const TensorReader& file, const std::string& what,
                           const std::function<bool(const std::string&)>& is_harmless = {});

// Finishes the model of these layers; `unused` are the file's tensors that were not read.
Model finish_bare(ModelBuilder& builder, std::vector<Layer> layers,
                  std::vector<std::string> unused);

}  // namespace headlight
