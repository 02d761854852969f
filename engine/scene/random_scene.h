#pragma once

#include <cstdint>

#include "scene/scene.h"

namespace headlight {

// Scenes with this number or higher are never used for training.
inline constexpr std::uint64_t kFirstTestScene = 2'000'000'000;

// The number of shapes in a random scene: uniform from `fewest` to `most`.
struct ShapeCount {
    int fewest = 3;
    int most = kMaxShapes;
};

// Scene number `seed`, the same on every machine. The shapes do not touch. In six of seven scenes
// one kind, uniformly chosen, appears twice; all other kinds appear at most once. The two shapes of
// a pair differ in color, size and rotation. Requires 2 ≤ fewest ≤ most ≤ kMaxShapes.
ShapeScene random_scene(std::uint64_t seed, const ShapeCount& count = {});

double luma_of(const Rgb& color);  // brightness, 0 to 1 (ITU-R BT.601)

}  // namespace headlight
