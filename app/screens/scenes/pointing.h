#pragma once

#include <cstdint>
#include <vector>

#include "analysis/pointing.h"
#include "frame/frame.h"

// Where the model expects the twin of a shape: the cell that each patch points to.
namespace headlight::screens {

// What the model was trained to do for a patch.
enum class Taught {
    pair,        // its shape has a twin, the training target
    single,      // its shape has none
    several,     // several other shapes are of its kind
    background,  // in no shape
    unknown      // in a photograph
};

struct PatchPointing {
    int patch = 0;
    Pointing to;
    int row = 0, col = 0;  // of the target cell
    int grid = 0;          // cells across and down, if not the picture's patches
    Taught taught = Taught::unknown;
    std::optional<double> object{};  // probability of an object, if the model predicts it
};

// For the focused token; empty if it is no patch, or the model does not point.
std::optional<PatchPointing> focused_pointing(Frame& frame);
std::string pointing_in_words(const PatchPointing& pointing);

// The shape that covers most of each patch, or -1; null if it is not known.
const std::vector<std::int16_t>* shapes_of_patches(Frame& frame);

// Whether there is an arrow for the focused token; none for the background.
bool has_arrow(Frame& frame);
// An arrow over the picture from the patch to the middle of its cell, if it has one.
void draw_pointing(Frame& frame, const ui::Rect& picture);

// One line of text; nothing if the model does not point.
void pointing_line(Frame& frame, ui::Rect& rect);
float pointing_line_height(const Frame& frame);

}  // namespace headlight::screens
