#pragma once

#include <cstdint>
#include <string>

#include "cli/audience.h"
#include "scene/random_scene.h"

namespace headlight::cli {

struct ScenesOptions {
    std::int64_t count = 0;
    std::uint64_t seed = 0;
    int size = kSceneSize;
    ShapeCount shapes;
    std::string out;
    std::string truth;  // or empty
    int patch = 8;
};

// Checks the ranges of --fewest and --most. Throws UsageError.
void check(const ShapeCount& shapes);
// Checks that `count` numbers exist from the seed on. Throws UsageError.
void check_numbers(std::uint64_t seed, std::int64_t count);

// Writes random scenes with the numbers seed, seed + 1, … as a NumPy file, and their correct
// answers as another. Throws std::exception with one sentence: UsageError for invalid numbers,
// CheckpointError if a file cannot be written, Stopped.
void run_scenes(const ScenesOptions& options, const Audience& audience);

}  // namespace headlight::cli
