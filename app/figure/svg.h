#pragma once

#include <string>
#include <vector>

#include "ui/context.h"
#include "ui/drawn.h"

namespace headlight::figure {

// What made a picture, written into its file: {"model", "vit.safetensors"}, {"layer", "9"}, …
struct Fact {
    std::string name, value;
};
using Provenance = std::vector<Fact>;
std::string text_of(const Provenance& facts);  // a line each

// What was drawn within an area, as an SVG file (SVG 1.1, a user unit for each pixel): text as
// text, as wide as it was drawn whatever fonts the reader has; lines and areas as shapes; of
// matrices and photographs their own pixels, embedded as PNG and not smoothed. A background without
// alpha is left out. width_cm: how wide it is printed, all of it scaled; 0: 1/96 inch a unit. What
// lies outside of the area, or is clipped away, is left out, and what reaches beyond its edges is
// clipped there. `ui`: whose fonts it was drawn with. Throws std::runtime_error where a picture in
// it is too large for a PNG.
std::string svg_of(const ui::Recording& recording, const ui::Rect& area, const ui::Context& ui,
                   ImU32 background, const Provenance& facts, double width_cm = 0);

}  // namespace headlight::figure
