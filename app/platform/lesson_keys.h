#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lessons/reader.h"
#include "state/state.h"

namespace headlight::platform {

// The command of a key while a lesson is read, whatever screen is beside it: "" where it means
// nothing there, and nothing where it means what it means elsewhere. The keys of clickers go from
// stop to stop. In lecture view others show and answer a question, or turn to more of what the stop
// says.
std::optional<std::string> command_for_lesson_key(std::string_view key,
                                                  const lessons::Reader& reader, const Look& look);

}  // namespace headlight::platform
