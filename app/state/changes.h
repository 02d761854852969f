#pragma once

#include <vector>

#include "program/fields.h"
#include "trace/trace.h"

// What the user has changed in a model; the interface always shows it.
namespace headlight {

// The field's value with defaults filled in. A single layer has no positions of its own and gets
// sinusoidal ones.
std::string effective_value(const RecipeField& field, const Recipe& recipe, const Trace& trace);

// Whether the recipe differs from as_made() in this field, and the field has an effect on the model
// of that trace.
bool is_changed(const RecipeField& field, const Recipe& recipe, const Trace& trace);

// All changed fields, in the order of their table. For a field that sets others too (`parts`),
// either the field or its parts.
std::vector<const RecipeField*> changed_fields(const Recipe& recipe, const Trace& trace);

}  // namespace headlight
