#pragma once

#include <cstdint>
#include <vector>

#include "analysis/pointing.h"
#include "frame/frame.h"

// Where the model thinks the twin of a shape is: what each of its patches points to.
namespace headlight::screens {

// Of what use it is to ask a patch.
enum class Taught {
    pair,        // its shape has a twin, which it was taught to point to
    single,      // its shape has none
    several,     // more than one other is of its kind
    background,  // of no shape
    unknown      // of a photograph
};

struct PatchPointing {
    int patch = 0;
    Pointing to;
    int row = 0, col = 0;  // of the cell
    int grid = 0;          // cells across and down, where they are not the picture's patches
    Taught taught = Taught::unknown;
    std::optional<double> object{};  // probability that it shows one, where the model says so
};

// Of the token in focus; nothing where it is no patch, or the model does not point.
std::optional<PatchPointing> focused_pointing(Frame& frame);
std::string pointing_in_words(const PatchPointing& pointing);

// The shape that covers most of each patch, or -1; null where that is not known.
const std::vector<std::int16_t>* shapes_of_patches(Frame& frame);

// An arrow over the picture, from the patch to the middle of its cell; none from the background.
void draw_pointing(Frame& frame, const ui::Rect& picture);

// The words on a line; nothing where the model does not point.
void pointing_line(Frame& frame, ui::Rect& rect);
float pointing_line_height(const Frame& frame);

}  // namespace headlight::screens
