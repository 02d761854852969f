#pragma once

#include "state/command.h"
#include "state/workspace.h"

// Window commands that translate to another command, depending on the state. All throw
// CommandError.
namespace headlight::app {

Command toggled(const std::string& field, const State& state);  // `toggle`
Command zoomed(const std::string& how, const State& state);     // `zoom`
Command escaped(const Workspace& work);                         // `escape`

}  // namespace headlight::app
