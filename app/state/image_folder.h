#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "state/directory.h"
#include "state/state.h"

// The images of a folder.
namespace headlight {

// In natural order.
std::vector<DirectoryEntry> images_of(const Directory& directory);
// Whether it is the same file, unchanged; and both lists have the same files.
bool is_same_file(const DirectoryEntry& a, const DirectoryEntry& b);
bool same_images(const ImageList& a, const ImageList& b);

// The recipe without its image and its layer, which do not matter for what is computed of every
// image of a folder.
Recipe on_any_image(Recipe recipe);

// Whether opening the folder shows its images: it has at least one, and no model that it could be
// the folder of.
bool is_image_folder(const std::string& path);

// The images with absolute paths, at least one. Throws CommandError if the folder or images are
// missing.
std::vector<DirectoryEntry> images_at(const std::string& folder);

// The folder of the recipe's picture; empty if the picture is not a file.
std::filesystem::path folder_of(const Recipe& recipe);

// Shows the folder's images beside the maps of all heads, and opens the first readable one unless
// one of them is open. Returns a sentence with their number. Throws as images_at does, and if none
// can be read.
std::string look_at_folder(State& state, const std::string& folder);

}  // namespace headlight
