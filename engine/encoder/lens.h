#pragma once

#include <functional>
#include <optional>
#include <span>

#include "ops/ops.h"
#include "trace/trace.h"

namespace headlight {

// True if the model's output is class logits.
bool has_classes(const Model& model);
// True if the logit lens applies: the input of each layer is as wide as the input of the model's
// end. (That is not so for T2T's first layer.)
bool has_lens(const Model& model);

// The logits that the model would give if it ended after each of its layers. The model's own end
// (final norm, pooling, classifier) is applied to the residual stream there. Result [layers + 1,
// classes]: row 0 is for the input of the first layer, row l for the output of layer l. The last
// row is the model's output.
//
// If a token is given, its row replaces the pooled row.
//
// The "logit lens": nostalgebraist, "interpreting GPT: the logit lens", 2020. The final norm and
// the classifier were not trained on early layers, so those rows are an interpretation, not outputs
// of the model.
//
// For the first sample. Throws RecipeError if the model has no lens or no such token, Stopped on a
// stop request.
Matrix logit_lens(const Trace& trace, std::optional<Index> token, const StopFlag& stop = {});

// The logits of several tokens [tokens, classes], before the layer with that index or, for the
// number of layers, after the last one: the same index as in Trace::stream.
using TakeAnswers = std::function<void(int layer, const MatrixView& logits)>;
// The same for many tokens, which go through the model's end together. Calls `take` layer by layer,
// because the logits of all layers can take much memory. Up to rounding error, each row equals that
// of its token alone.
void logit_lens(const Trace& trace, std::span<const Index> tokens, const TakeAnswers& take,
                const StopFlag& stop = {});

}  // namespace headlight
