#pragma once

#include <string>

#include "patches/region.h"
#include "trace/trace.h"

// --region: a mask of the part of a picture that attention is added up over.
namespace headlight::cli {

// The mask of that image: `named` itself, or of a folder the image in it that has the same name but
// for the ending. Throws WorkError where the folder has none.
std::string mask_of(const std::string& named, const std::string& image);

// The patches of a layer's grid that lie inside it. Throws WorkError where the layer was given
// tokens instead of a picture; ImageError.
Region region_in_mask(const std::string& mask, const Trace& layer);

}  // namespace headlight::cli
