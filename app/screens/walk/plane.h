#pragma once

#include "frame/frame.h"

// The plane in which vectors that were given lie: the tokens themselves, to be dragged, and what
// the layer makes of them.
namespace headlight::screens {

// How far the third axis, which comes forward, goes left and down for a step along it.
inline constexpr float kDepthX = 0.45F, kDepthY = 0.3F;

// The vectors that the trace in view was made of; null where its tokens are none.
const VectorSet* vectors_of(const Frame& frame);

// What the layer gives is a mixture of the vectors themselves, one row of weights each: so it is
// without projections, in one head, where nothing is added.
bool mixes_vectors(const Frame& frame);

// The stage draws the tokens in the form in which they were given, and what became of them.
bool stage_shows_tokens(const Frame& frame);

// Of the vectors, of no head: as many as there can be.
ImU32 vector_color(const Frame& frame, std::size_t i);

// Draws the plane and takes the mouse on it. `name`: of the widget; a vector's tip is
// NAME.1, an output's ring NAME.output.1.
void plane(Frame& frame, const ui::Rect& rect, const std::string& name);

// "y₁ = 0.48 v₁ + 0.40 v₂ + …" of the token in focus, each vector in its color; nothing where it
// is no such mixture.
void mixture_line(Frame& frame, const ui::Rect& rect);

}  // namespace headlight::screens
