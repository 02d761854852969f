#pragma once

#include <string>

#include "patches/region.h"
#include "trace/trace.h"

// --region: a mask of a part of the picture, in which attention is summed.
namespace headlight::cli {

// The mask for that image: `named` itself or, if it is a folder, the image in it with the same name
// except for the extension. Throws WorkError if the folder has none.
std::string mask_of(const std::string& named, const std::string& image);

// The patches of a layer's grid inside the mask. Throws WorkError if the layer's input is tokens
// instead of a picture; ImageError.
Region region_in_mask(const std::string& mask, const Trace& layer);

}  // namespace headlight::cli
