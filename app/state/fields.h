#pragma once

#include "program/fields.h"
#include "state/command.h"
#include "state/state.h"

namespace headlight {

// Everything that can be set by name: the fields of the recipe, then those of Look.
using Field = FieldOf<State>;
const std::vector<Field>& all_fields();
const Field* find_field(std::string_view name);  // null if there is no such field

// The value for a slider position: the nearest value that is compatible with the other fields. A
// multiple of `unit`, either a whole number or with three digits.
std::string slider_text(const Field& field, const State& state, double value, int unit = 1);

// The argument that names a file, either to open or as the value of a file field. Null if there is
// none.
std::string* file_named(Command& command);

using LookField = FieldOf<Look>;
const std::vector<LookField>& look_fields();

}  // namespace headlight
