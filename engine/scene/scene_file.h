#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "scene/scene.h"

namespace headlight {

// An invalid scene. The message is one sentence with the file, what was expected and what was
// found.
class SceneError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Radii must be from kMinRadius to kMaxRadius, and centers inside the frame.
inline constexpr float kMinRadius = 3;
inline constexpr float kMaxRadius = 40;

// As JSON, which restores the same scene to the last bit.
//   {"background": {"from": [0.1, 0.1, 0.2], "to": [...], "direction": 30, "noise": 0.02, "grain":
//   7},
//    "shapes": [{"kind": "disc", "x": 20, "y": 31.5, "radius": 9, "rotation": 0, "color": [...]}]}
std::string to_json(const ShapeScene& scene);

// `name` appears in errors only. All members are required, and no others are allowed. Throws
// SceneError if the file is not JSON, has a value of another kind or a number out of range, or has
// more than kMaxShapes shapes.
ShapeScene scene_from_json(std::span<const std::byte> file, const std::string& name);

}  // namespace headlight
