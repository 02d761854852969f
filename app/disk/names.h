#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// What a file is, by its name.
namespace headlight {

// By its ending: png jpg jpeg webp bmp tga gif psd ppm pgm pnm tif tiff avif heic heif, in capitals
// too. A program that was built without the library of a format says so when such a file is opened.
bool is_image_name(std::string_view name);

// By its ending: safetensors npz npy pth pt bin ckpt, in capitals too, or the index of a sharded
// checkpoint, *.index.json. Some cannot be read, but then opening them says what to do.
bool is_checkpoint_name(std::string_view name);

// By its ending: safetensors npz npy, in capitals too: arrays that have no program in them.
bool is_numbers_name(std::string_view name);

// By its ending: json, in capitals too, but no index of a sharded checkpoint. Whether there is a
// scene in it, only its content says.
bool is_scene_name(std::string_view name);

// By the ending that our own get, .scene.json: most other JSON files are none.
bool is_saved_scene_name(std::string_view name);

// By the ending that saved experiments get, .headlight.json (state/session.h).
bool is_experiment_name(std::string_view name);

// By its ending: md, in capitals too.
bool is_lesson_name(std::string_view name);

// The checkpoint that a folder holds under a name that programs give it, or else its only one, not
// counting pickles beside others.
std::optional<std::filesystem::path> checkpoint_in(const std::filesystem::path& folder);
// One sentence for a folder of which that says nothing: what was expected, what was found.
std::string why_no_checkpoint_in(const std::filesystem::path& folder);

// What people call a checkpoint: its name without the ending; where that says nothing, as in
// "vit-base/model.safetensors", its folder's, or that which Hugging Face's cache gives the folder.
std::string model_name(const std::filesystem::path& path);

// Numbers by their value, letters without their case: "cat 2" < "Cat 10". Names that differ only in
// case or leading zeros are ordered by their bytes, so that the order is total.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace headlight
