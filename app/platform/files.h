#pragma once

#include <filesystem>
#include <optional>
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
// A photograph, and the shipped model that has seen photographs. Without that model as
// picture_state().
State photograph_state();
// The first look: a scene, to be dragged, and the shipped model, one of whose heads finds a shape's
// twin. Without that model as picture_state().
State first_state();

// One that comes with Headlight.
struct ShippedModel {
    std::string file;
    int layer = 1, head = 1;  // that it is first shown with, counted from 1
};
// Shows the state's picture with it. Nothing: the state stays.
void look_through(State& state, const std::optional<ShippedModel>& model);
// What a person who opens a photograph, and chose no model for it, sees it with: where the shipped
// model of scenes has shown a scene, that of photographs; and the other way round. Nothing: the
// model stays.
std::optional<ShippedModel> model_to_follow(const Recipe& before, const Recipe& now);

ui::FontPaths font_paths();

// What is missing of the files that Headlight comes with and of its fonts, and what to do about it;
// "" when nothing is.
std::string missing_files(const ui::Fonts& fonts);

// Where `export` puts what it writes: for "png", "svg" and "py" a new name in the pictures folder,
// or where the program was started: headlight-cat-softmax.png, headlight-cat-softmax-2.png, …; else
// what was typed. Throws CommandError where that ends in none that is known.
std::filesystem::path export_path(const State& state, const std::string& typed);

// Where save-experiment writes: the name with its ending .headlight.json, or a new one in the
// pictures folder.
std::filesystem::path experiment_path(const State& state, const std::string& typed);
// Where save-progress writes: what was typed, or a new name in the pictures folder.
std::filesystem::path progress_path(const std::string& typed);
// Where `figure` puts one: for "png", "svg" and "pdf" a new name such as headlight-cat-heads.svg;
// else what was typed. Throws CommandError where that ends in none of them.
std::filesystem::path figure_path(const State& state, const std::string& typed);

// Where `save-scene` puts a scene: a new name in that folder for "json" and "png", else what was
// typed.
std::filesystem::path scene_path(const std::string& typed);
// As its ending says: JSON, or PNG of a pixel for each unit. Throws std::runtime_error.
void save_scene(const std::filesystem::path& path, const ShapeScene& scene);

}  // namespace headlight::platform
