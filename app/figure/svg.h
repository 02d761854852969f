#pragma once

#include <string>
#include <vector>

#include "ui/context.h"
#include "ui/drawn.h"

namespace headlight::figure {

// An item of a picture's provenance, written into its file: {"model", "vit.safetensors"}, {"layer",
// "9"}, …
struct Fact {
    std::string name, value;
};
using Provenance = std::vector<Fact>;
std::string text_of(const Provenance& facts);  // one line each

// What was drawn within an area, as an SVG file (SVG 1.1, one user unit per pixel). Text stays
// text, with its drawn width whatever fonts the reader has; lines and areas are shapes. Matrices
// and photographs are embedded as PNG with their own pixels, unsmoothed. A fully transparent
// background is left out. width_cm: printed width; 0: 1/96 inch per unit. What is outside the area
// or clipped is left out; shapes across the edge are clipped. `ui`: the context with the fonts
// used. Throws std::runtime_error if an image in it is too large for a PNG.
std::string svg_of(const ui::Recording& recording, const ui::Rect& area, const ui::Context& ui,
                   ImU32 background, const Provenance& facts, double width_cm = 0);

}  // namespace headlight::figure
