#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "state/state.h"

// The files that a state names, under names that hold on other machines too.
namespace headlight {

using NameOfFile = std::function<std::string(const std::string& file)>;

// The recipe with other names for its image, checkpoint and file of tokens, which is left out where
// its name becomes empty.
Recipe with_files(Recipe recipe, const NameOfFile& name);
State with_files(State state, const NameOfFile& name);  // in all its recipes

// "assets:images/cat.jpg" of a file in the assets folder; "" of others.
std::string name_in_assets(const std::string& file);
// The file of such a name, or "": it is no such name, or there is no such file.
std::string file_in_assets(const std::string& name);

// Names for a file that is saved in `folder`: "assets:…" for the program's own files, relative
// names for files in that folder or below it, whole names for all others.
NameOfFile portable_from(const std::filesystem::path& folder);
// The reverse; a name that leads to nothing in the assets stays.
NameOfFile located_from(const std::filesystem::path& folder);

}  // namespace headlight
