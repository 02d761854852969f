#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "state/state.h"
#include "ui/theme.h"

namespace headlight::platform {

// Creates an output folder. Throws std::runtime_error if that fails.
void need_folder(const std::filesystem::path& path);

// The sample image in the assets folder; "" if there is none.
std::string default_image();
// Sets the input to the sample image or, without it, to a scene, which needs no file.
void look_at_default(Recipe& recipe);

// A randomly initialized layer with the default image.
State picture_state();
// A photograph with the shipped model trained on photographs. Without that model as
// picture_state().
State photograph_state();
// The initial state: a scene that can be dragged, and the shipped model in which one head finds a
// shape's twin. Without that model as picture_state().
State first_state();

// A model that ships with Headlight.
struct ShippedModel {
    std::string file;
    int layer = 1, head = 1;  // shown at first, from 1
};
// Shows the state's picture with the model; an empty model changes nothing.
void look_through(State& state, const std::optional<ShippedModel>& model);
// The shipped model for a newly opened picture, if the user has not chosen one: for a photograph
// after a scene the model for photographs, and vice versa. Empty: keep the model.
std::optional<ShippedModel> model_to_follow(const Recipe& before, const Recipe& now);

ui::FontPaths font_paths();

// Which files of Headlight or its fonts are missing, and what to do about it; "" if none are.
std::string missing_files(const ui::Fonts& fonts);

// The output file of `export`. For "png", "svg" and "py" a new name in the pictures folder, or in
// the working folder: headlight-cat-softmax.png, headlight-cat-softmax-2.png, …. Otherwise `typed`.
// Throws CommandError for an unknown extension.
std::filesystem::path export_path(const State& state, const std::string& typed);

// The output file of save-experiment: the name with the extension .headlight.json, or a new one in
// the pictures folder.
std::filesystem::path experiment_path(const State& state, const std::string& typed);
// The output file of save-progress: `typed`, or a new name in the pictures folder.
std::filesystem::path progress_path(const std::string& typed);
// The output file of `figure`: for "png", "svg" and "pdf" a new name such as
// headlight-cat-heads.svg; otherwise `typed`. Throws CommandError for an unknown extension.
std::filesystem::path figure_path(const State& state, const std::string& typed);

// The output file of `save-scene`: for "json" and "png" a new name in the pictures folder,
// otherwise `typed`.
std::filesystem::path scene_path(const std::string& typed);
// Format by extension: JSON, or PNG with one pixel per unit. Throws std::runtime_error.
void save_scene(const std::filesystem::path& path, const ShapeScene& scene);

}  // namespace headlight::platform
