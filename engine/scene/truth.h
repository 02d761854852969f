#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scene/render.h"
#include "scene/scene.h"

namespace headlight {

// The answer of a scene in which no kind appears twice.
inline constexpr int kNoPair = kShapeKinds;

// The question that the shipped model answers: which kind appears twice. The kind as a number,
// kNoPair where every kind appears at most once, nothing where the question has no single answer:
// a kind three times, or two kinds twice.
std::optional<int> answer_of(const ShapeScene& scene);

// "disc", and "no pair" for kNoPair.
std::string answer_name(int answer);

// For each shape the other one of its kind, or -1 where there is none or more than one.
std::vector<int> twins_of(const ShapeScene& scene);

// What lies under the patches of a picture, [grid, grid] row by row.
struct SceneTruth {
    std::vector<std::int16_t> shape;  // which covers most of the patch, at least a quarter; or -1
    std::vector<std::int16_t> kind;   // of that shape; or kShapeKinds: background
    std::vector<std::int32_t> twin_cell;  // the patch in which its twin's center lies; or -1
};

// The cell in which the shape's center lies, of grid × grid cells over the scene, row by row.
int cell_of(const Shape& shape, int grid);

// Requires picture to be of the scene, and its size a multiple of the patches'.
SceneTruth truth_of(const ShapeScene& scene, const ScenePicture& picture, int patch);

}  // namespace headlight
