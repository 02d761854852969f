#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heads/listed_images.h"
#include "heads/view.h"
#include "state/folder_study.h"
#include "state/thumbnails.h"

// Shared by the parts of the row of images.
namespace headlight::screens {

// State kept between frames.
struct FolderMemory {
    ListedImages folder;
    Thumbnails thumbnails;
    std::map<std::filesystem::path, std::string> unreadable;  // known ones, with the reason
    float scroll = 0;
    std::string scrolled_to;  // the image last scrolled into view
};

// The measurements of the current experiment; null if there are none.
std::shared_ptr<const FolderFinder::Said> measured(const Frame& frame, const FolderMemory& memory);
FolderQuestion folder_question(const Frame& frame, const FolderMemory& memory);

// A head's value on the current image among those on the folder's images, and every head's mean.
void among_card(Frame& frame, ui::Layout rect, const HeadsView& view,
                const std::shared_ptr<const FolderFinder::Said>& said);

}  // namespace headlight::screens
