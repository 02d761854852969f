#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "state/state.h"

namespace headlight {

// What was chosen and is no field, as text: step, head (from 1), head_pinned, solo, token, col,
// shape (from 1), scene, image, switched_off, compare, pinned. Empty where nothing is chosen.
// Reports call them "state.step" and so on, lessons "step".
std::map<std::string, std::string> chosen_values(const State& state);

// One of them that is a single number or word; nothing where there is none of that name.
std::optional<std::string> chosen_value(const State& state, std::string_view name);

}  // namespace headlight
