#pragma once

#include <optional>

#include "ops/ops.h"
#include "trace/trace.h"

namespace headlight {

// Whether the model answers with classes.
bool has_classes(const Model& model);
// Whether a lens can be made of that: what enters a layer is as wide as what the end reads. (Of
// T2T's first layer it is not.)
bool has_lens(const Model& model);

// What the model would answer if it ended after each of its layers: the residual stream there, read
// by the model's own end (final norm, pooling, classifier). Row 0 reads what enters the first
// layer, row l what layer l leaves: [layers + 1, classes], logits. The last row is the model's
// answer.
//
// With a token that token's row speaks for the image, in the place of whatever is pooled.
//
// The "logit lens": nostalgebraist, "interpreting GPT: the logit lens", 2020. An early layer's rows
// are not what the final norm and the classifier were trained on, so what it says of them is a
// reading, no answer of the model's.
//
// Throws RecipeError where the model has no lens or the token is none of its layers', Stopped
// when told to stop. Of the first sample.
Matrix logit_lens(const Trace& trace, std::optional<Index> token, const StopFlag& stop = {});

}  // namespace headlight
