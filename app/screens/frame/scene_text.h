#pragma once

#include <string>

#include "scene/scene.h"

namespace headlight::screens {

// The correct answer as text: "star appears twice", "no pair", "no single answer: two pairs".
std::string truth_in_words(const ShapeScene& scene);

// The everyday name of a color: "light blue", "olive".
std::string color_name(const Rgb& color);
// "blue cross"; if two would have the same name, "left blue cross" or "upper blue cross".
std::string name_of_shape(const ShapeScene& scene, int shape);

}  // namespace headlight::screens
