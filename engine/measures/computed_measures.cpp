#include "measures/computed_measures.h"

#include <algorithm>

#include "gradient/attribution.h"
#include "gradient/backward.h"

namespace headlight {

namespace {

constexpr auto kComputed = std::to_array<ComputedMeasure>({
    {.id = HeadMeasure::attribution,
     .possible =
         [](const Model& model, const Counterfactual& change) {
             return why_no_gradient(model, change).empty();
         },
     .compute =
         [](const RunToMeasure& run) {
             return attribute_heads(run.trace, run.change, run.of_class, run.progress, run.stop);
         }},
});

// Each measure that is said to be computed has a row, and only those.
static_assert(std::ranges::all_of(kMeasuresOnRequest, [](const HeadMeasureInfo& row) {
    return std::ranges::count(kComputed, row.id, &ComputedMeasure::id) ==
           (row.is_computed() ? 1 : 0);
}));
static_assert(has_columns(kComputed, &ComputedMeasure::possible, &ComputedMeasure::compute));

}  // namespace

std::span<const ComputedMeasure> computed_measures() { return kComputed; }

const ComputedMeasure* computed_measure(HeadMeasure measure) {
    const auto found = std::ranges::find(kComputed, measure, &ComputedMeasure::id);
    return found == kComputed.end() ? nullptr : &*found;
}

}  // namespace headlight
