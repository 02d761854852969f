#pragma once

#include <cstddef>
#include <cstdint>

#include "scene/random_scene.h"
#include "scene/scene.h"

// Changes to a scene that choose a color, a position or a kind automatically.
namespace headlight {

// The scene that is shown first: it has a pair, and the model was not trained on it.
inline constexpr std::uint64_t kFirstScene = kFirstTestScene + 49;

struct ScenePoint {
    float x = 0, y = 0;  // in units of the scene
};

// The middle of the largest empty circle.
ScenePoint roomiest_place(const ShapeScene& scene);

// A point that the shape covers: its middle or, for a ring, a point beside the hole.
ScenePoint body_of(const Shape& shape);

// A medium-sized shape in a color that contrasts with the background and the other shapes.
Shape new_shape(const ShapeScene& scene, ShapeKind kind, float x, float y);

bool has_twin(const ShapeScene& scene, std::size_t shape);  // or more than one

// Gives another shape the kind of this one, which no other has yet; the two differ in hue, size and
// rotation. If there is a pair of another kind, changes one of that pair, so that the question has
// one answer. Otherwise adds a shape where there is most room or, in a full scene, changes the
// topmost.
void make_twin(ShapeScene& scene, std::size_t shape);

// Gives the shape a kind that no other has.
void break_twin(ShapeScene& scene, std::size_t shape);

}  // namespace headlight
