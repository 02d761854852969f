#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernels/stop.h"
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

// Of --fewest and --most, each within its range. Throws UsageError.
void check(const ShapeCount& shapes);
// That there are so many numbers from the seed on. Throws UsageError.
void check_numbers(std::uint64_t seed, std::int64_t count);

// Writes random scenes number seed, seed + 1, … as a NumPy file, and what is true of them as
// another. Throws std::exception of one sentence: UsageError for numbers that make no sense,
// CheckpointError where a file cannot be written, Stopped.
void run_scenes(const ScenesOptions& options,
                const std::function<void(const std::string&)>& progress, const StopFlag& stop);

}  // namespace headlight::cli
