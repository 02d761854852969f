#pragma once

#include <string>
#include <vector>

#include "scene/scene.h"
#include "state/scene_edit.h"

// Shapes of a scene as hands and eyes meet them: what lies under a point, the line around them.
namespace headlight::screens {

// The uppermost shape under the point, or within `slack` units of it; -1: none.
int shape_under(const ShapeScene& scene, ScenePoint at, double slack);

// The closed lines around a shape, of a ring two, as points in so many directions.
std::vector<std::vector<ScenePoint>> contours(const Shape& shape, int directions);

// The nearest place where the whole shape lies in the frame; the middle for one that never does.
ScenePoint inside_frame(const Shape& shape, ScenePoint at);

bool has_several_twins(const ShapeScene& scene, int shape);

std::string hex_of(const Rgb& color);  // "FF8800"

}  // namespace headlight::screens
