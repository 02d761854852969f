#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "state/directory.h"
#include "state/state.h"

// A folder as the images in it.
namespace headlight {

// In natural order.
std::vector<DirectoryEntry> images_of(const Directory& directory);

// Whether opening a folder shows its images: it holds some, and no model that it could be the
// folder of.
bool is_image_folder(const std::string& path);

// By their whole paths, at least one. Throws CommandError: no such folder, or no images in it.
std::vector<DirectoryEntry> images_at(const std::string& folder);

// Where the picture lies; empty where there is no picture of a file.
std::filesystem::path folder_of(const Recipe& recipe);

// Shows the images of that folder beside the maps of all heads, and the first that can be read,
// unless one of them is there already. Says how many, in a sentence. Throws as images_at does, and
// where none can be read.
std::string look_at_folder(State& state, const std::string& folder);

}  // namespace headlight
