#pragma once

#include "program/fields.h"
#include "state/command.h"
#include "state/state.h"

namespace headlight {

// Everything that can be set by name: the recipe's fields, then those of the look.
using Field = FieldOf<State>;
const std::vector<Field>& all_fields();
const Field* find_field(std::string_view name);  // null: no such field

// What a slider says of a place on it: the nearest value that goes together with the other fields,
// a multiple of `unit`, whole or of three digits.
std::string slider_text(const Field& field, const State& state, double value, int unit = 1);

// The argument that is the name of a file, of what is opened, or of what a field of files is set
// to; null: there is none.
std::string* file_named(Command& command);

using LookField = FieldOf<Look>;
const std::vector<LookField>& look_fields();

}  // namespace headlight
