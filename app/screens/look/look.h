#pragma once

#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// Draws the Look screen: a large picture with the selected head's attention, the model's answer,
// and every head as a small picture.
void look(Frame& frame, ui::Layout rect);
// Called when another screen replaces it: releases the results that it holds.
void look_left(Memory& memory);
bool look_takes_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
