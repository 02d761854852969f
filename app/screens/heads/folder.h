#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heads/view.h"
#include "state/folder_study.h"
#include "state/thumbnails.h"

// What the parts of the row of images share.
namespace headlight::screens {

// Remembered between frames.
struct FolderMemory {
    DirectoryReader reader;
    Thumbnails thumbnails;
    // Of the directory as it was read then.
    std::filesystem::path listed;
    std::filesystem::file_time_type written{};
    std::shared_ptr<const std::vector<DirectoryEntry>> images;
    std::map<std::filesystem::path, std::string> unreadable;  // and why, as far as it was seen
    float scroll = 0;
    std::string scrolled_to;  // the image that was last brought into view
};

// What was measured of this very experiment; null: nothing.
std::shared_ptr<const FolderFinder::Said> measured(const Frame& frame, const FolderMemory& memory);
FolderQuestion folder_question(const Frame& frame, const FolderMemory& memory);

// Where the present image's numbers of one head stand among the folder's, and every head's mean.
void among_card(Frame& frame, ui::Rect rect, const HeadsView& view,
                const std::shared_ptr<const FolderFinder::Said>& said);

}  // namespace headlight::screens
