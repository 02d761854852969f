#pragma once

#include <filesystem>
#include <string>

#include "state/state.h"
#include "ui/theme.h"

namespace headlight::platform {

// Makes a folder to write into. Throws std::runtime_error: it cannot be made.
void need_folder(const std::filesystem::path& path);

// A picture from the assets folder; "" when there is none.
std::string default_image();
// Looks at that picture; where there is none at a scene, which takes no file.
void look_at_default(Recipe& recipe);

// A layer drawn from its seed that looks at it.
State picture_state();
// The first look: a scene, to be dragged, and the shipped model, one of whose heads finds a shape's
// twin. Without that model as picture_state().
State first_state();

ui::FontPaths font_paths();

// What is missing of the files that Headlight comes with and of its fonts, and what to do about it;
// "" when nothing is.
std::string missing_files(const ui::Fonts& fonts);

// Where `export` puts what it writes: for "png", "svg" and "py" a new name in the pictures folder,
// or where the program was started: headlight-cat-softmax.png, headlight-cat-softmax-2.png, …; else
// what was typed. Throws CommandError where that ends in none that is known.
std::filesystem::path export_path(const State& state, const std::string& typed);

// Where `figure` puts one: for "png" and "svg" likewise headlight-cat-heads.svg, …; else what was
// typed. Throws CommandError where that ends in neither.
std::filesystem::path figure_path(const State& state, const std::string& typed);

// Where `save-scene` puts a scene: a new name in that folder for "json" and "png", else what was
// typed.
std::filesystem::path scene_path(const std::string& typed);
// As its ending says: JSON, or PNG of a pixel for each unit. Throws std::runtime_error.
void save_scene(const std::filesystem::path& path, const ShapeScene& scene);

}  // namespace headlight::platform
