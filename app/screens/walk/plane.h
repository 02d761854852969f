#pragma once

#include "frame/frame.h"

// The plane with given vectors: the tokens, which can be dragged, and the layer's outputs.
namespace headlight::screens {

// The screen offset, left and down, for one step along the third axis, which points forward.
inline constexpr float kDepthX = 0.45F, kDepthY = 0.3F;

// The vectors that the current trace was computed from; null if its tokens are no vectors.
const VectorSet* vectors_of(const Frame& frame);

// Whether the layer's outputs are weighted sums of the vectors themselves: without projections,
// with one head, and nothing added.
bool mixes_vectors(const Frame& frame);

// Whether the stage draws the tokens in their given form, with the layer's outputs.
bool stage_shows_tokens(const Frame& frame);

// Colors of vectors, distinct from heads'; as many as there can be vectors.
ImU32 vector_color(const Frame& frame, std::size_t i);

// Draws the plane and handles the mouse. `name`: of the widget; a vector's tip is NAME.1, an
// output's ring NAME.output.1.
void plane(Frame& frame, const ui::Rect& rect, const std::string& name);

// "y₁ = 0.48 v₁ + 0.40 v₂ + …" for the focused token, each vector in its color; nothing if the
// output is no such weighted sum. A sum of many words takes several lines.
float mixture_height(Frame& frame, float width);
void mixture_line(Frame& frame, const ui::Rect& rect);

}  // namespace headlight::screens
