#pragma once

#include <functional>

#include "frame/frame.h"

// Models that other programs have left on this disk, in the Hub's cache and in torch.hub's.
namespace headlight::screens {

// Lists those that Headlight recognizes by name, kind and size. One click opens a model. The others
// are behind "Other models", with the reason. Headlight looks at the files in the background, so
// the list grows. Draws nothing if there are none; `title` draws the line above the list.
void local_models_list(Frame& frame, ui::Rect& rest, const std::function<void()>& title);

}  // namespace headlight::screens
