#pragma once

#include "state/command.h"
#include "state/workspace.h"

namespace headlight::platform {

// The window's commands of state/keys.h that mean another command at the moment: `toggle`, `zoom`
// and `escape`. Others come back as they are. Throws CommandError.
Command meaning(const Command& command, const Workspace& work);

}  // namespace headlight::platform
