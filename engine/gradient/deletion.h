#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/names.h"
#include "kernels/stop.h"
#include "patches/patches.h"
#include "program/program.h"
#include "trace/trace.h"

// Tests whether a map is faithful: how a class's probability changes when patches are hidden, or
// shown, in the order of the map. Petsiuk, Das and Saenko, "RISE", arXiv 1806.07421, section 4.1
// (deletion and insertion).
namespace headlight {

// How a patch is hidden.
enum class Hiding {
    mean_color,  // its pixels get the model's mean color, which is 0 after normalization
    keys,        // no token attends to it, in any layer
};
template <>
inline constexpr auto kNames<Hiding> = std::to_array<std::string_view>({"mean_color", "keys"});

// The patches in descending order of the map; ties in ascending order of index.
std::vector<int> order_of(const Matrix& map);
// A random order of `patches` patches, from a seed.
std::vector<int> random_order(int patches, std::uint64_t seed);

struct ClassCurve {
    std::vector<double> probability;  // of the class, by step
    std::vector<double> logit;
    // Area under `probability` over the fraction of patches taken, 0 to 1, by the trapezoidal rule.
    double area = 0;
};

struct DeletionQuestion {
    PatchGrid grid;          // grid of the map's patches
    std::vector<int> order;  // all patches
    Index of_class = 0;
    Hiding hiding = Hiding::mean_color;
    int steps = 20;  // at most one per patch
};
// The number of patches taken after each step, starting with 0.
std::vector<int> patches_taken(int patches, int steps);

struct DeletionCurves {
    ClassCurve deletion;   // the first patches in the order are hidden
    ClassCurve insertion;  // the first patches in the order are shown, all others hidden
};

// `front` must be computed up to the patches of a picture. progress: after each run, 0..1. Throws
// RecipeError if the model has no such class, or if its patches cannot be hidden this way, and
// Stopped.
DeletionCurves deletion_curves(const Trace& front, const Counterfactual& change,
                               const DeletionQuestion& question, const StopFlag& stop = {},
                               const std::function<void(float)>& progress = {});

}  // namespace headlight
