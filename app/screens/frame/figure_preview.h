#pragma once

#include <string>

#include "ui/pictures.h"

namespace headlight::screens {

// A figure as it would be written, for the panel that shows it; whoever can draw it puts it here.
struct FigurePreview {
    ui::PhotoPicture picture;  // nothing: still being drawn, or it cannot be
    std::string error;         // why not, one sentence
    std::string size;          // of the file: "1280 × 900 pixels"
    std::string command;       // the line that writes the same of the same files
    std::string why_no_command;
    bool busy = true;  // another one is on its way
};

}  // namespace headlight::screens
