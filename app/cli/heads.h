#pragma once

#include <cstdint>
#include <string>

#include "cli/audience.h"
#include "scene/random_scene.h"

namespace headlight::cli {

struct HeadsOptions {
    std::string model;
    std::string config;  // JSON file, or empty
    std::string part;    // an encoder of the file, or empty
    std::int64_t scenes = 2000;
    std::uint64_t seed = kFirstTestScene;
    ShapeCount shapes;
};

// Prints what each head of a model attends to in random scenes, and how often the model is right
// with and without that head. Throws std::exception with one sentence, and Stopped.
void run_heads(const HeadsOptions& options, const Audience& audience);

}  // namespace headlight::cli
