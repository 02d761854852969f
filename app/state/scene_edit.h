#pragma once

#include <cstddef>
#include <cstdint>

#include "scene/random_scene.h"
#include "scene/scene.h"

// Changes to a scene in which something is left to be chosen: a color, a place, a kind.
namespace headlight {

// The scene that is shown first: with a pair, and never trained on.
inline constexpr std::uint64_t kFirstScene = kFirstTestScene + 49;

struct ScenePoint {
    float x = 0, y = 0;  // in units of the scene
};

// The middle of the largest empty circle.
ScenePoint roomiest_place(const ShapeScene& scene);

// A place that the shape covers: its middle, but of a ring beside the hole.
ScenePoint body_of(const Shape& shape);

// A shape of middling size in a color that stands out from the background and the other shapes.
Shape new_shape(const ShapeScene& scene, ShapeKind kind, float x, float y);

bool has_twin(const ShapeScene& scene, std::size_t shape);  // or more than one

// Another shape gets the kind of this one, which no other has yet; the two differ in hue, size and
// rotation. Where there is a pair of another kind, one of that pair does, so that the question has
// one answer; else a new shape where there is most room; of a full scene the uppermost.
void make_twin(ShapeScene& scene, std::size_t shape);

// The shape gets a kind that no other has.
void break_twin(ShapeScene& scene, std::size_t shape);

}  // namespace headlight
