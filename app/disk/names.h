#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// The type of a file, by its name.
namespace headlight {

// By extension, ignoring case: png jpg jpeg webp bmp tga gif psd ppm pgm pnm tif tiff avif heic
// heif. If the program was built without a format's library, opening such a file gives an error
// that says so.
bool is_image_name(std::string_view name);

// By extension, ignoring case: safetensors npz npy pth pt bin ckpt, or the index of a sharded
// checkpoint, *.index.json. Some cannot be read, but the error then says what to do.
bool is_checkpoint_name(std::string_view name);

// By extension, ignoring case: safetensors npz npy, which hold arrays and no code.
bool is_numbers_name(std::string_view name);

// By extension, ignoring case: json, except the index of a sharded checkpoint. Only the content
// tells whether it is a scene.
bool is_scene_name(std::string_view name);

// By our own extension, .scene.json, because most other JSON files are no scenes.
bool is_saved_scene_name(std::string_view name);

// By the extension of saved experiments, .headlight.json (state/session.h).
bool is_experiment_name(std::string_view name);

// By extension, ignoring case: md.
bool is_lesson_name(std::string_view name);

// The checkpoint in a folder: one with a conventional name, or else the only one. Pickles do not
// count beside other formats.
std::optional<std::filesystem::path> checkpoint_in(const std::filesystem::path& folder);
// One sentence for a folder without such a checkpoint: what was expected and what was found.
std::string why_no_checkpoint_in(const std::filesystem::path& folder);

// The display name of a checkpoint: its name without the extension. If that is generic, as in
// "vit-base/model.safetensors", its folder's name, or the repository's in Hugging Face's cache.
std::string model_name(const std::filesystem::path& path);

// Natural order: numbers by value, letters ignoring case: "cat 2" < "Cat 10". Names that differ
// only in case or leading zeros are ordered by bytes, which makes the order total.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace headlight
