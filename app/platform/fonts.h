#pragma once

#include <string>

#include "ui/theme.h"

namespace headlight::app {

// The files of the interface's fonts.
ui::FontPaths font_paths();

// Which files of Headlight or its fonts are missing, and what to do about it; "" if none are.
std::string missing_files(const ui::Fonts& fonts);

}  // namespace headlight::app
