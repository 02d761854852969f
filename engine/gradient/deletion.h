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

// Whether a map is faithful: what becomes of a class when patches are hidden in the map's order, or
// shown in it. Petsiuk, Das and Saenko, "RISE", arXiv 1806.07421, section 4.1 (deletion and
// insertion).
namespace headlight {

// How a patch is hidden.
enum class Hiding {
    mean_color,  // its pixels have the model's mean color: 0 where it reads them
    keys,        // no token attends to it, in any layer
};
template <>
inline constexpr auto kNames<Hiding> = std::to_array<std::string_view>({"mean_color", "keys"});

// Patches by what a map says of them, the largest first; of equal ones that which comes first.
std::vector<int> order_of(const Matrix& map);
// Of so many patches, drawn from a seed.
std::vector<int> random_order(int patches, std::uint64_t seed);

struct ClassCurve {
    std::vector<double> probability;  // of the class, by step
    std::vector<double> logit;
    // Under the probability, where the part of the patches that were taken goes from 0 to 1, by
    // trapezoids.
    double area = 0;
};

struct DeletionQuestion {
    PatchGrid grid;          // where the map's patches lie
    std::vector<int> order;  // all of them
    Index of_class = 0;
    Hiding hiding = Hiding::mean_color;
    int steps = 20;  // at most one for each patch
};
// After each step, beginning with none: so many of the order's patches are taken.
std::vector<int> patches_taken(int patches, int steps);

struct DeletionCurves {
    ClassCurve deletion;   // the first patches are hidden
    ClassCurve insertion;  // the first patches are shown, all others hidden
};

// `front` has come as far as its patches, of a picture. progress: after each run, 0..1. Throws
// RecipeError where the model has no such class, or its patches cannot be hidden so; Stopped.
DeletionCurves deletion_curves(const Trace& front, const Counterfactual& change,
                               const DeletionQuestion& question, const StopFlag& stop = {},
                               const std::function<void(float)>& progress = {});

}  // namespace headlight
