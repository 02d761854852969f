#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "state/fields.h"

// Which fields of state/fields.h the right column shows, and their labels.
namespace headlight::screens {

// Whether the field has an effect here and is not set by something else.
bool is_shown(const Field& field, const State& state, const Trace& trace);

std::string label_of(const Field& field, const Trace& trace);
std::string help_of(const Field& field, const Trace& trace);
float label_share(const Field& field);  // part of the row's width

// The options of a choice that are available here, by their labels.
std::vector<std::string_view> options_of(const Field& field, const Trace& trace);
std::string words_of(const FieldInfo& field, std::string_view option);
// "temperature 0.312"
std::string change_in_words(const RecipeField& field, const Recipe& recipe, const Model& model);

}  // namespace headlight::screens
