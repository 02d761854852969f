#pragma once

#include "attention/layer.h"
#include "encoder/head_place.h"
#include "trace/trace.h"

// A model's layers, one after the other: who reads the residual stream where.
namespace headlight {

// What the person changed in all layers.
struct Counterfactual {
    std::optional<float> scale;  // instead of the model's
    float temperature = 1.0F;
    std::vector<HeadPlace> switched_off{};  // their A·V is put to zero
};

// Squares [N, N] of all heads are kept up to this many bytes; beyond, the attention alone.
inline constexpr double kMaxSquaresBytes = 512.0 * 1024 * 1024;

// The stream reaches block b: trace.stream[b] is set from the tokens, from a soft split, or is the
// output of the block before.
void begin_block(Trace& trace, int b);

// And leaves it: for the next block, for the next soft split, or for the end of the model.
void end_block(Trace& trace, int b, SharedResult output);

// Makes block b the layer that the trace keeps in full: its place in the image, its input, weights
// and steps. trace.stream[b] must be set (of attention-only import: nothing).
void look_at(Trace& trace, int b, const Counterfactual& change);

// The heads of block b that are switched off; it has so many. Throws RecipeError for one that it
// has not.
std::vector<Index> heads_off(const std::vector<HeadPlace>& switched_off, int b, int heads);

// Computes block b as a whole, from trace.stream[b], into a trace of its own that keeps nothing but
// its input, attention and output.
Trace run_block(const Trace& trace, int b, const Counterfactual& change, const StopFlag& stop);

}  // namespace headlight
