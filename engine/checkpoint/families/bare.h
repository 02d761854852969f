#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/builder.h"

// What is decided about layers that stand alone, whatever they are called: heads, and the patches
// that are as wide as their tokens.
namespace headlight {

// No positions were learned for another size: the one that a config names is what it is shown.
Decisions shown_as_named(const Decisions& decisions);

// Who says how many heads the layer has: a config, its shapes, or a convention (0: nobody).
struct HeadsKnown {
    std::optional<int> of_shapes;
    Decided<int> usual;
    std::string scale_origin = "head_dim^-0.5";  // of the scale that the layer comes with
};
// 64 channels each, where they come out even.
Decided<int> usual_heads_of(const std::string& family, int channels);
void decide_heads(ModelBuilder& builder, const HeadsKnown& known, AttentionConfig& attention);

// Patch size and color follow from the token's width: dim = 3·patch² or patch². No width is both.
void decide_patch(ModelBuilder& builder, int dim);

// A file with more tensors computes more: key biases, norms of queries, the rest of a block. Throws
// CheckpointError for the first that nothing was read for and that is not harmless; `what` is the
// rest of the file.
void expect_nothing_beside(const TensorReader& file, const std::string& what,
                           const std::function<bool(const std::string&)>& is_harmless = {});

// The model of these layers; `unused` is what nothing of the file was read for.
Model finish_bare(ModelBuilder& builder, std::vector<Layer> layers,
                  std::vector<std::string> unused);

}  // namespace headlight
