#pragma once

#include <span>

#include "frame/screen.h"

namespace headlight::screens {

// The program's screens, in the order of their tabs.
std::span<const Screen> all_screens();

}  // namespace headlight::screens
