#pragma once

#include <string>
#include <vector>

#include "scene/scene.h"
#include "state/scene_edit.h"

// Geometry of a scene's shapes: hit testing and outlines.
namespace headlight::screens {

// The topmost shape at the point, or within `slack` units of it; -1 if there is none.
int shape_under(const ShapeScene& scene, ScenePoint at, double slack);

// The closed outlines of a shape (a ring has two), as points in `directions` directions.
std::vector<std::vector<ScenePoint>> contours(const Shape& shape, int directions);

// The nearest place at which the whole shape is inside the frame; the middle for one that is too
// large.
ScenePoint inside_frame(const Shape& shape, ScenePoint at);

bool has_several_twins(const ShapeScene& scene, int shape);

std::string hex_of(const Rgb& color);  // "FF8800"

}  // namespace headlight::screens
