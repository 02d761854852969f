#pragma once

#include <cstdint>

#include "scene/scene.h"

namespace headlight {

// Scenes from this number on are never trained on.
inline constexpr std::uint64_t kFirstTestScene = 2'000'000'000;

// How many shapes a random scene has: any number from `fewest` to `most`, all equally often.
struct ShapeCount {
    int fewest = 3;
    int most = kMaxShapes;
};

// Scene number `seed`, the same on every machine: shapes that do not touch, every kind at most
// once — but in six of seven scenes one kind, all equally often, appears twice. Such a pair differs
// in color, size and rotation. Requires 2 ≤ fewest ≤ most ≤ kMaxShapes.
ShapeScene random_scene(std::uint64_t seed, const ShapeCount& count = {});

double luma_of(const Rgb& color);  // brightness, 0 to 1 (ITU-R BT.601)

}  // namespace headlight
