#pragma once

#include <memory>

#include "attention/layer.h"
#include "trace/trace.h"

namespace headlight {

// A bare layer as a block of a model.
Block bare_block(const AttentionConfig& config, std::shared_ptr<const AttentionWeights> weights);

// Makes `block` the layer that the trace keeps: its weights, its configuration and, where the trace
// has a residual stream, its input. Results of another layer's steps are dropped. Shape and config
// are those of the block; heads, scale and temperature may be changed afterwards.
void enter_block(Trace& trace, const Block& block);

// Computes one step of the layer (Step::norm1 to Step::residual2) from the results before it;
// Step::scale also fills what Step::softmax would, and Step::mix what Step::concat would. Throws
// AttentionError for a configuration that does not fit.
void compute_layer_step(Trace& trace, const Block& block, Step step, const StopFlag& stop);

// x·Wᵀ + b for tokens [rows, in]; the bias may be missing.
Matrix linear(const MatrixView& tokens, const Linear& layer);

// Products or scores of one head that the trace does not keep (Trace::on_demand), the same numbers
// that it would hold.
Matrix compute_for_head(const Trace& trace, Tensor tensor, Index sample, Index head);

}  // namespace headlight
