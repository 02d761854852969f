#pragma once

#include <functional>

#include "frame/frame.h"

// Models that other programs have downloaded to the Hub's cache or torch.hub's.
namespace headlight::screens {

// Lists the models that Headlight supports with name, kind and size. One click opens a model. The
// others are behind "Other models", with the reason. The files are examined in a background task,
// so the list grows. Draws nothing if there are none; `title` draws the line above the list.
void local_models_list(Frame& frame, ui::Layout& rest, const std::function<void()>& title);

}  // namespace headlight::screens
