#pragma once

#include "gradient/pull_back.h"

// The functions in the table of pull_back.cpp, grouped by source file.
namespace headlight::gradient {

// products.cpp
void back_linear(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_linear_heads(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_multiply(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_mix(const Node&, const Trace&, Gradients&, const StopFlag&);

// cells.cpp
void back_add(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_stretch(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_activate(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_dropout(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_scale(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_pass(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_none(const Node&, const Trace&, Gradients&, const StopFlag&);

// rows.cpp
void back_norm(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_batch_norm(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_norm_heads(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_unit(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_rotate(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_softmax(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_features(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_share(const Node&, const Trace&, Gradients&, const StopFlag&);

// places.cpp
void back_gather(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_stack(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_cut(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_turn(const Node&, const Trace&, Gradients&, const StopFlag&);
void back_pool(const Node&, const Trace&, Gradients&, const StopFlag&);

// The sum of the gradients over all names of the node's result.
Matrix result_gradient(const Node& node, const Gradients& gradients);

}  // namespace headlight::gradient
