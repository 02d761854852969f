#include "export/output_files.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "disk/files.h"
#include "disk/names.h"
#include "files/new_file.h"
#include "platform/picture.h"
#include "scene/render.h"
#include "scene/scene_file.h"
#include "state/command.h"
#include "state/directory.h"
#include "state/scene_edit.h"

namespace headlight::app {
namespace {

namespace fs = std::filesystem;

fs::path pictures_folder() {
    const fs::path home = home_folder();
    return !home.empty() && is_folder(home / "Pictures") ? home / "Pictures" : working_folder();
}

// "stem.png", "stem-2.png", …: the first that is free.
fs::path new_name(const fs::path& folder, const std::string& stem, const std::string& ending) {
    fs::path path = folder / (stem + ending);
    for (int number = 2; is_there(path); ++number)
        path = folder / fmt::format("{}-{}{}", stem, number, ending);
    return path;
}

// A new name in the pictures folder: headlight-cat-softmax.png.
fs::path named_after(const State& state, const std::string& what, const std::string& ending) {
    std::string image(input_name(state.recipe));
    if (image.empty()) image = fs::path(state.recipe.image).stem().string();
    const std::string stem = fmt::format("headlight-{}{}{}", image, image.empty() ? "" : "-", what);
    return new_name(pictures_folder(), stem, ending);
}

}  // namespace

fs::path export_path(const State& state, const std::string& typed) {
    if (typed != "png" && typed != "svg" && typed != "py") {
        const fs::path path = typed_path(typed, working_folder());
        for (const char* ending : {".png", ".svg", ".csv", ".npy", ".safetensors", ".py"})
            if (path.extension() == ending) return path;
        throw CommandError(
            "export: expected a name that ends in .png, .svg, .csv, .npy, .safetensors or .py, "
            "found \"" +
            typed + "\".");
    }
    return named_after(state, std::string(info(state.selection.step).name), "." + typed);
}

fs::path figure_path(const State& state, const std::string& typed) {
    if (typed == "png" || typed == "svg" || typed == "pdf")
        return named_after(state, "heads", "." + typed);
    const fs::path path = typed_path(typed, working_folder());
    for (const char* ending : {".png", ".svg", ".pdf"})
        if (path.extension() == ending) return path;
    throw CommandError("figure: expected a name that ends in .svg, .pdf or .png, found \"" + typed +
                       "\".");
}

fs::path experiment_path(const State& state, const std::string& typed) {
    if (typed.empty()) return named_after(state, "experiment", ".headlight.json");
    const fs::path path = typed_path(typed, working_folder());
    if (is_experiment_name(path.filename().string())) return path;
    return path.string() + ".headlight.json";
}

fs::path progress_path(const std::string& typed) {
    return typed.empty() ? new_name(pictures_folder(), "headlight-progress", ".txt")
                         : typed_path(typed, working_folder());
}

fs::path scene_path(const std::string& typed) {
    // The extension by which file lists recognize a scene: is_saved_scene_name().
    if (typed == "json") return new_name(pictures_folder(), "headlight", ".scene.json");
    if (typed == "png") return new_name(pictures_folder(), "headlight-scene", ".png");
    return typed_path(typed, working_folder());
}

void save_scene(const fs::path& path, const ShapeScene& scene) {
    if (is_scene_name(path.filename().string())) return write_file(path.string(), to_json(scene));
    if (path.extension() != ".png")
        throw std::runtime_error(path.string() +
                                 ": expected a name that ends in .json or .png for a scene.");
    ScenePicture drawn = draw_scene(scene);
    save_png(path, {{drawn.size, drawn.size}, std::move(drawn.pixels)});
}

}  // namespace headlight::app
