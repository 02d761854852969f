#pragma once

#include <memory>
#include <optional>

#include "gradient/class_maps.h"
#include "state/state.h"
#include "tasks/studies.h"

// Class maps, which show the patches that a class depends on, computed in a background task.
namespace headlight {

struct ClassMapAsked {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;  // that `trace` was computed with
    MapMethod method = MapMethod::relevance;
    std::optional<Index> of_class{};  // empty for a model without classes

    // Another layer gives another trace, but the same question.
    friend bool operator==(const ClassMapAsked& a, const ClassMapAsked& b);
};
using ClassMapFinder = Study<ClassMapAsked, ClassMap>;
extern const ClassMapFinder kClassMap, kClassMapBefore;  // of the current result, of the baseline

// Whether this method can be applied to this result.
bool is_possible(MapMethod method, const Trace& trace, const Counterfactual& change);

}  // namespace headlight
