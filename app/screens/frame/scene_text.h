#pragma once

#include <string>

#include "scene/scene.h"

namespace headlight::screens {

// The truth in words: "star appears twice", "no pair", "no single answer: two pairs".
std::string truth_in_words(const ShapeScene& scene);

// What people call a color: "light blue", "olive".
std::string color_name(const Rgb& color);
// "blue cross"; of two that would be called the same, "left blue cross" or "upper blue cross".
std::string name_of_shape(const ShapeScene& scene, int shape);

}  // namespace headlight::screens
