#pragma once

#include "state/command.h"
#include "state/workspace.h"

// What the window's commands come to that mean another command at the moment. All throw
// CommandError.
namespace headlight::platform {

Command toggled(const std::string& field, const State& state);  // `toggle`
Command zoomed(const std::string& how, const State& state);     // `zoom`
Command escaped(const Workspace& work);                         // `escape`

}  // namespace headlight::platform
