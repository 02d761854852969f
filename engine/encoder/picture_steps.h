#pragma once

#include "checkpoint/files.h"
#include "encoder/recipe.h"
#include "trace/trace.h"

// From the file of a picture to the patches.
namespace headlight {

// The picture as the model will see it. `decode` false: the trace's source is the file already.
// Throws ImageError, or what the file reader throws.
void frame_picture(Trace& trace, const Recipe& recipe, const FileReader& read_file, bool decode);

// Patches, or T2T's first soft split, or of attention-only import the grid alone. Sets batch and
// grid. Throws PatchError; RecipeError where no layer over so many patches would fit into memory.
void cut_patches(Trace& trace, const Recipe& recipe);

}  // namespace headlight
