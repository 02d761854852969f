#pragma once

#include "ops/ops.h"

// The functions in the table of ops.cpp, grouped by source file.
namespace headlight::ops {

// picture.cpp
void compute_frame(const Node&, Trace&, const Tools&);
void compute_gather(const Node&, Trace&, const Tools&);
void explain_frame(Arithmetic&, const Node&, const Trace&, Index head);
void explain_gather(Arithmetic&, const Node&, const Trace&, Index head);

// given.cpp
void compute_given(const Node&, Trace&, const Tools&);
void compute_array(const Node&, Trace&, const Tools&);
void compute_drawn(const Node&, Trace&, const Tools&);
void compute_curve(const Node&, Trace&, const Tools&);
void compute_windows(const Node&, Trace&, const Tools&);
void explain_given(Arithmetic&, const Node&, const Trace&, Index head);
void explain_windows(Arithmetic&, const Node&, const Trace&, Index head);

// tokens.cpp
void compute_stack(const Node&, Trace&, const Tools&);
void compute_positions(const Node&, Trace&, const Tools&);
void compute_learned(const Node&, Trace&, const Tools&);
void compute_pool(const Node&, Trace&, const Tools&);
void explain_stack(Arithmetic&, const Node&, const Trace&, Index head);
void explain_learned(Arithmetic&, const Node&, const Trace&, Index head);
void explain_pool(Arithmetic&, const Node&, const Trace&, Index head);
void compute_point(const Node&, Trace&, const Tools&);
void explain_point(Arithmetic&, const Node&, const Trace&, Index head);

// linear.cpp
void compute_linear(const Node&, Trace&, const Tools&);
void compute_project(const Node&, Trace&, const Tools&);
void explain_linear(Arithmetic&, const Node&, const Trace&, Index head);

// norm.cpp
void compute_norm(const Node&, Trace&, const Tools&);
void compute_batch_norm(const Node&, Trace&, const Tools&);
void explain_batch_norm(Arithmetic&, const Node&, const Trace&, Index head);
void compute_norm_heads(const Node&, Trace&, const Tools&);
void explain_norm(Arithmetic&, const Node&, const Trace&, Index head);

// heads.cpp
void compute_cut(const Node&, Trace&, const Tools&);
void compute_mix(const Node&, Trace&, const Tools&);
void compute_join(const Node&, Trace&, const Tools&);
void explain_cut(Arithmetic&, const Node&, const Trace&, Index head);
void explain_mix(Arithmetic&, const Node&, const Trace&, Index head);
void explain_join(Arithmetic&, const Node&, const Trace&, Index head);

// rotary.cpp
void compute_rotate(const Node&, Trace&, const Tools&);
void explain_rotate(Arithmetic&, const Node&, const Trace&, Index head);

// scores.cpp
void compute_multiply(const Node&, Trace&, const Tools&);
void compute_scale(const Node&, Trace&, const Tools&);
void compute_softmax(const Node&, Trace&, const Tools&);
void explain_multiply(Arithmetic&, const Node&, const Trace&, Index head);
void explain_scale(Arithmetic&, const Node&, const Trace&, Index head);
void explain_relative(Arithmetic&, const Node&, const Trace&, Index head);
void explain_mask(Arithmetic&, const Node&, const Trace&, Index head);
void explain_softmax(Arithmetic&, const Node&, const Trace&, Index head);

void explain_largest(Arithmetic&, const Node&, const Trace&, Index head);

// score.cpp
void compute_unit(const Node&, Trace&, const Tools&);
void compute_linear_heads(const Node&, Trace&, const Tools&);
void compute_learned_keys(const Node&, Trace&, const Tools&);
void compute_additive(const Node&, Trace&, const Tools&);
void explain_unit(Arithmetic&, const Node&, const Trace&, Index head);
void explain_learned_keys(Arithmetic&, const Node&, const Trace&, Index head);
void explain_additive(Arithmetic&, const Node&, const Trace&, Index head);

// performer.cpp
void compute_features(const Node&, Trace&, const Tools&);
void compute_share(const Node&, Trace&, const Tools&);
void explain_features(Arithmetic&, const Node&, const Trace&, Index head);
void explain_share(Arithmetic&, const Node&, const Trace&, Index head);

// cells.cpp
void compute_add(const Node&, Trace&, const Tools&);
void compute_stretch(const Node&, Trace&, const Tools&);
void compute_activate(const Node&, Trace&, const Tools&);
void explain_add(Arithmetic&, const Node&, const Trace&, Index head);
void explain_stretch(Arithmetic&, const Node&, const Trace&, Index head);
void compute_turn(const Node&, Trace&, const Tools&);
void explain_turn(Arithmetic&, const Node&, const Trace&, Index head);
void compute_dropout(const Node&, Trace&, const Tools&);
void explain_dropout(Arithmetic&, const Node&, const Trace&, Index head);
void explain_activate(Arithmetic&, const Node&, const Trace&, Index head);

// The shape of a node's products and weighted sums. For the layer: its own shape. In attention
// pooling, after the layers: one query and all tokens as keys.
AttentionShape shape_of(const Node& node, const Trace& trace);

// For explanations. take: the cell is a copy of `value`. add_products: adds left[row, :] times
// right[:, col], or right[col, :] if the right operand is stored transposed.
void take(Arithmetic& a, float value);
void add_products(Arithmetic& a, const MatrixView& left, const MatrixView& right,
                  bool right_by_row);

}  // namespace headlight::ops
