#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scene/render.h"
#include "scene/scene.h"

namespace headlight {

// The answer for a scene without a pair.
inline constexpr int kNoPair = kShapeKinds;

// The answer to the question of the shipped model: which kind appears twice? Returns the kind as a
// number, or kNoPair if every kind appears at most once. Nothing if there is no single answer: a
// kind three times, or two kinds twice.
std::optional<int> answer_of(const ShapeScene& scene);

// "disc", and "no pair" for kNoPair.
std::string answer_name(int answer);

// For each shape the index of the other one of its kind; -1 if there is none or more than one.
std::vector<int> twins_of(const ShapeScene& scene);

// What is under each patch of a picture, [grid, grid] row by row.
struct SceneTruth {
    std::vector<std::int16_t> shape;      // the shape that covers most of the patch, at least a
                                          // quarter; or -1
    std::vector<std::int16_t> kind;       // kind of that shape; kShapeKinds: background
    std::vector<std::int32_t> twin_cell;  // the patch with the center of its twin; or -1
};

// The cell that contains the shape's center, in a grid × grid division of the scene, row by row.
int cell_of(const Shape& shape, int grid);

// `picture` must be of the scene, and its size a multiple of `patch`.
SceneTruth truth_of(const ShapeScene& scene, const ScenePicture& picture, int patch);

}  // namespace headlight
