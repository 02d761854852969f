#pragma once

#include <cstdint>
#include <vector>

#include "image/image.h"
#include "scene/scene.h"

namespace headlight {

// A scene drawn at size × size pixels, anti-aliased by the signed distance of each pixel's center.
// Values are 8-bit colors, so a saved PNG restores the same picture. They depend only on the scene,
// not on the machine.
struct ScenePicture {
    int size = 0;
    std::vector<std::uint8_t> pixels;  // [size, size, 3]
    // [size, size]: the topmost shape that covers at least half of the pixel, or -1.
    std::vector<std::int16_t> shape_at;
};

ScenePicture draw_scene(const ShapeScene& scene, int size = kSceneSize);

Image to_image(const ScenePicture& picture);  // [size, size, 3] in [0, 1]

}  // namespace headlight
