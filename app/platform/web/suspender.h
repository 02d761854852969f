#pragma once

#include "tasks/suspender.h"

namespace headlight::app {

// By JavaScript Promise Integration; null if the browser lacks it.
Suspender* page_suspender();

}  // namespace headlight::app
