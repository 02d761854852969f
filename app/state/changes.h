#pragma once

#include <vector>

#include "program/fields.h"
#include "trace/trace.h"

// What a person has changed of a model: interface rule "what was changed is seen".
namespace headlight {

// What the field says where nothing is left open: a layer alone has no positions of its own, and is
// given sinusoidal ones.
std::string effective_value(const RecipeField& field, const Recipe& recipe, const Trace& trace);

// Whether the recipe says something else there than as_made() does, of what means something to the
// model of that trace.
bool is_changed(const RecipeField& field, const Recipe& recipe, const Trace& trace);

// All such fields, in the order of their table. Of those that set others too (`parts`) either they
// or their parts.
std::vector<const RecipeField*> changed_fields(const Recipe& recipe, const Trace& trace);

}  // namespace headlight
