#pragma once

#include "frame/picture_tools.h"

namespace headlight::screens {

// The mouse tools for a picture that is a scene of shapes, and for models that point.
const PictureTools& scene_picture_tools();

}  // namespace headlight::screens
