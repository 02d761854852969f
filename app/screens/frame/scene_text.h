#pragma once

#include <string>

#include "scene/scene.h"

namespace headlight::screens {

// The truth in words: "star appears twice", "no pair", "no single answer: two pairs".
std::string truth_in_words(const ShapeScene& scene);

}  // namespace headlight::screens
