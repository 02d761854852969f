#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "state/fields.h"

// The fields of state/fields.h as the right column shows them: which of them, and in which words.
namespace headlight::screens {

// Whether it changes anything here, and is nobody else's to say.
bool is_shown(const Field& field, const State& state, const Trace& trace);

std::string label_of(const Field& field, const Trace& trace);
std::string help_of(const Field& field, const Trace& trace);
float label_share(const Field& field);  // of a row that holds label and control

// Of a choice: what can be chosen here, and how people call it.
std::vector<std::string_view> options_of(const Field& field, const Trace& trace);
std::string words_of(const FieldInfo& field, std::string_view option);
// "temperature 0.312"
std::string change_in_words(const RecipeField& field, const Recipe& recipe, const Model& model);

}  // namespace headlight::screens
