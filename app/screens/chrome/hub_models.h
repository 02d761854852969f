#pragma once

#include "frame/frame.h"

// Models on the Hugging Face Hub and how to download them; see the manual's "Getting a model".
namespace headlight::screens {

// A row for each recommended model, and a field for the name of any other. The first click
// describes the model; the second downloads it in a background task and then opens it. If Headlight
// was built without downloads, a click copies two lines of Python.
void hub_models_list(Frame& frame, ui::Layout& rest);

}  // namespace headlight::screens
