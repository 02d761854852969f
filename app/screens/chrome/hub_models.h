#pragma once

#include "frame/frame.h"

// Models that others have published, and how they come onto this disk: the manual's "Getting a model".
namespace headlight::screens {

// A row for each, which a click copies as two lines of Python; nothing is fetched here.
void hub_models_list(Frame& frame, ui::Rect& rest);

}  // namespace headlight::screens
