#pragma once

#include <filesystem>
#include <string>

#include "state/state.h"
#include "ui/theme.h"

namespace headlight::platform {

// The first look: a picture from the assets folder; "" when there is none.
std::string default_image();

ui::FontPaths font_paths();

// Where `export` puts its picture: a new name in the pictures folder, or where the program was
// started: headlight-cat-softmax.png, headlight-cat-softmax-2.png, …
std::filesystem::path export_path(const State& state);

}  // namespace headlight::platform
