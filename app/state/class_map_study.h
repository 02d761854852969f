#pragma once

#include <memory>
#include <optional>

#include "gradient/class_maps.h"
#include "state/state.h"
#include "tasks/studies.h"

// What a class depends on, as a map over the patches, computed beside the interface.
namespace headlight {

struct ClassMapAsked {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;  // that it was made under
    MapMethod method = MapMethod::relevance;
    std::optional<Index> of_class{};  // none: of a model without classes

    // A look at another layer is another trace, but no other question.
    friend bool operator==(const ClassMapAsked& a, const ClassMapAsked& b);
};
using ClassMapFinder = Study<ClassMapAsked, ClassMap>;
extern const ClassMapFinder kClassMap;

// Whether there is such a map of such a result.
bool is_possible(MapMethod method, const Trace& trace, const Counterfactual& change);

}  // namespace headlight
