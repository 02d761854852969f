#pragma once

#include "frame/picture_tools.h"

namespace headlight::screens {

// What a scene of shapes and a model that points bring to the picture.
const PictureTools& scene_picture_tools();

}  // namespace headlight::screens
