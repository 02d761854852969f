#pragma once

#include <string>

#include "ui/pictures.h"

namespace headlight::screens {

// A preview of a figure for its panel; filled in by the code that draws figures.
struct FigurePreview {
    ui::PhotoPicture picture;  // empty: not drawn yet, or failed
    std::string error;         // the reason, one sentence
    std::string size;          // of the file: "1280 × 900 pixels"
    std::string command;       // a command line that writes the same figure
    std::string why_no_command;
    bool busy = true;  // a new picture is being drawn
};

}  // namespace headlight::screens
