#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "state/state.h"

namespace headlight {

// The selected values that are not fields, as text: step, head (from 1), head_pinned, solo, token,
// col, shape (from 1), scene, image, switched_off, compare, pinned. Empty text where nothing is
// selected. Reports call them "state.step" and so on, lessons "step".
std::map<std::string, std::string> chosen_values(const State& state);

// The value of that name, where it is a single number or word; nothing if the name is unknown.
std::optional<std::string> chosen_value(const State& state, std::string_view name);

}  // namespace headlight
