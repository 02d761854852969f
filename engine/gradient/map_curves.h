#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/prediction.h"
#include "gradient/class_maps.h"
#include "gradient/deletion.h"

// Deletion and insertion curves in the order of a class map, or in a random order.
namespace headlight {

inline constexpr std::string_view kRandomOrder = "random";

// The method whose map ranks the patches; none: a random order.
using PatchRanking = std::optional<MapMethod>;

// "relevance", "grad_cam", "random"
std::string ranking_name(const PatchRanking& ranking);
// "Grad-CAM", "random order"
std::string ranking_title(const PatchRanking& ranking);

// Parses comma-separated names, as map_methods_named() does, also "random". Throws ValueError,
// whose message starts with `option`.
std::vector<PatchRanking> patch_rankings_named(const std::string& option, const std::string& text);
// "last_attention, …, random"
std::string all_patch_rankings();

struct MapCurvesQuestion {
    PatchRanking ranking{};
    std::optional<Index> of_class{};  // none: the most probable class
    Hiding hiding = Hiding::mean_color;
    int steps = 20;          // at most one per patch
    std::uint64_t seed = 0;  // of the random order
};

struct MapCurves {
    Prediction about;        // the class, in the whole picture
    bool zero = false;       // the map is 0 everywhere, so the order is arbitrary
    std::vector<int> taken;  // the number of patches after each step
    DeletionCurves curves;
};

// Called with the current step in words, and the part of the curves' runs that is done, 0..1.
using MapCurvesProgress = std::function<void(const std::string& what, float part)>;

// `front` must be computed up to the patches of a picture, of a model with classes. Throws as
// class_map() and deletion_curves() do.
MapCurves map_curves(const Trace& front, const Counterfactual& change,
                     const MapCurvesQuestion& question, const StopFlag& stop = {},
                     const MapCurvesProgress& progress = {});

}  // namespace headlight
