#pragma once

#include "frame/frame.h"

// Models that others have published, and how they come onto this disk: the manual's "Getting a
// model".
namespace headlight::screens {

// A row for each, and a field for the name of any other. A click asks the Hub what it is, a second
// fetches it beside the interface, and it opens when it is there. In a Headlight without downloads
// a click copies two lines of Python.
void hub_models_list(Frame& frame, ui::Rect& rest);

}  // namespace headlight::screens
