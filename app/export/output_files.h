#pragma once

#include <filesystem>
#include <string>

#include "state/state.h"

// The files that the program's commands write. Without a name they get a new one in the pictures
// folder or, if there is none, in the working folder.
namespace headlight::app {

// The output file of `export`. For "png", "svg" and "py" a new name: headlight-cat-softmax.png,
// headlight-cat-softmax-2.png, …. Otherwise `typed`. Throws CommandError for an unknown extension.
std::filesystem::path export_path(const State& state, const std::string& typed);

// The output file of `figure`: for "png", "svg" and "pdf" a new name such as
// headlight-cat-heads.svg; otherwise `typed`. Throws CommandError for an unknown extension.
std::filesystem::path figure_path(const State& state, const std::string& typed);

// The output file of save-experiment: the name with the extension .headlight.json, or a new one.
std::filesystem::path experiment_path(const State& state, const std::string& typed);
// The output file of save-progress: `typed`, or a new name.
std::filesystem::path progress_path(const std::string& typed);

// The output file of `save-scene`: for "json" and "png" a new name, otherwise `typed`.
std::filesystem::path scene_path(const std::string& typed);
// Format by extension: JSON, or PNG with one pixel per unit. Throws std::runtime_error.
void save_scene(const std::filesystem::path& path, const ShapeScene& scene);

}  // namespace headlight::app
