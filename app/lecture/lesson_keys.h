#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lessons/reader.h"
#include "state/state.h"

namespace headlight::app {

// The command of a key while a lesson is open, on any screen. "" if the key does nothing there;
// empty if it keeps its usual meaning. Presenter remotes move between stops. In lecture view, other
// keys show and answer a question, or turn the pages of a stop.
std::optional<std::string> command_for_lesson_key(std::string_view key,
                                                  const lessons::Reader& reader, const Look& look);

}  // namespace headlight::app
