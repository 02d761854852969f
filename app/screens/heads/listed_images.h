#pragma once

#include <filesystem>

#include "frame/frame.h"
#include "state/directory.h"

namespace headlight::screens {

// The images of a folder, kept between frames.
struct ListedImages {
    DirectoryReader reader;
    ImageList images;  // null: not read yet
    // The directory listing that the list was made from.
    std::filesystem::path listed;
    std::filesystem::file_time_type written{};
    bool stale = false;  // will be listed again, even if the folder has not changed

    // Returns whether the list is new.
    bool read(Frame& frame, const std::filesystem::path& folder);
};

}  // namespace headlight::screens
