// Where the program's files lie: pictures, models and scripts in the assets folder, fonts in its
// folder "fonts" or on the system, where they were when the build was configured
// (cmake/assets.cmake).
#pragma once

#include <filesystem>

namespace headlight::assets {

// The assets folder: $HEADLIGHT_ASSETS, else the first that exists of ../share/headlight beside the
// program's own folder (installed), share/headlight in it (Windows) and the source tree's assets.
// Where there is none, where it ought to be.
std::filesystem::path directory();

struct FontFiles {
    std::filesystem::path regular;   // Inter, for words
    std::filesystem::path semibold;  // Inter, for headings
    std::filesystem::path italic;    // Inter, for what a sentence stresses
    std::filesystem::path mono;      // JetBrains Mono, for numbers and code
    std::filesystem::path math;      // Noto Sans Math, for what the others lack
    std::filesystem::path cjk;       // Noto Sans CJK, for file names; empty where there is none
};

const FontFiles& fonts();

}  // namespace headlight::assets
