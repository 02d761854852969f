#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "state/state.h"

// Replaces the file names in a state by names that are valid on other machines.
namespace headlight {

using NameOfFile = std::function<std::string(const std::string& file)>;

// The recipe with the names of its image, checkpoint and token file replaced. A file whose new name
// is empty is left out.
Recipe with_files(Recipe recipe, const NameOfFile& name);
State with_files(State state, const NameOfFile& name);  // in all its recipes

// "assets:images/cat.jpg" for a file in the assets folder; "" for others.
std::string name_in_assets(const std::string& file);
// The file or folder that such a name refers to; "" if the name has another form or there is none.
std::string file_in_assets(const std::string& name);

// Names for a file saved in `folder`: "assets:…" for the program's own files, relative names for
// files in or below that folder, and absolute names for all others.
NameOfFile portable_from(const std::filesystem::path& folder);
// The reverse. A name whose file is not in the assets stays unchanged.
NameOfFile located_from(const std::filesystem::path& folder);

}  // namespace headlight
