#include "platform/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "assets/assets.h"
#include "disk/files.h"
#include "disk/names.h"
#include "files/new_file.h"
#include "platform/picture.h"
#include "scene/random_scene.h"
#include "scene/render.h"
#include "scene/scene_file.h"
#include "state/command.h"
#include "state/directory.h"
#include "state/scene_edit.h"

namespace headlight::platform {
namespace {

namespace fs = std::filesystem;

bool is_picture(const fs::path& path) {
    static constexpr std::array endings = {".jpg", ".jpeg", ".png", ".ppm", ".pgm", ".bmp"};
    const std::string ending = path.extension().string();
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

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

// The shipped models: for drawn scenes, for photographs, and a single layer.
constexpr const char *kScenes = "scenes", *kPhotos = "photos";
constexpr std::array kModels = {kScenes, kPhotos, "t2t-layer"};

fs::path model_file(const char* name) {
    return assets::directory() / "models" / name / "model.safetensors";
}

std::string missing_assets() {
    std::vector<std::string> missing;
    if (default_image().empty()) missing.emplace_back("pictures in images");
    for (const char* name : kModels)
        if (!is_file(model_file(name)))
            missing.push_back(fmt::format("models/{}/model.safetensors", name));
    if (missing.empty()) return "";
    return fmt::format(
        "{}: expected the files that come with Headlight, found no {}. Install Headlight again. "
        "Until then, open your own files with Ctrl+O.",
        assets::directory().string(), fmt::join(missing, ", no "));
}

}  // namespace

void need_folder(const fs::path& path) {
    if (const auto error = make_folder(path))
        throw std::runtime_error(path.string() + ": the folder could not be created: " + *error +
                                 ".");
}

std::string default_image() {
    const fs::path folder = assets::directory() / "images";
    if (is_there(folder / "cat.jpg")) return (folder / "cat.jpg").string();
    std::string first;
    for (const fs::path& path : list_folder(folder).paths)
        if (is_picture(path) && (first.empty() || path.string() < first)) first = path.string();
    return first;
}

void look_at_default(Recipe& recipe) {
    recipe.image = default_image();
    if (recipe.image.empty()) recipe.scene = random_scene(kFirstScene);
}

State picture_state() {
    State state;
    look_at_default(state.recipe);
    return state;
}

namespace {

// Listed as recent models before they are opened, so that users find them.
void list_models(State& state) {
    for (const char* name : kModels)
        if (const fs::path model = model_file(name); is_there(model))
            state.recent_models.push_back(model.string());
}

// Starts at the head that attends most to the twin of a shape or object, according to the model
// card.
std::optional<ShippedModel> shipped_model(const char* name) {
    if (!is_there(model_file(name))) return std::nullopt;
    return ShippedModel{model_file(name).string(), std::string_view(name) == kScenes ? 4 : 6, 3};
}

bool is_model(const Recipe& recipe, const char* name) {
    return !recipe.weights.empty() && fs::path(recipe.weights) == model_file(name);
}

}  // namespace

void look_through(State& state, const std::optional<ShippedModel>& model) {
    if (!model) return;
    state.recipe = with_model(state.recipe, model->file);
    state.recipe.layer = model->layer - 1;
    state.selection.head = model->head - 1;
}

State photograph_state() {
    State state = picture_state();
    list_models(state);
    look_through(state, shipped_model(kPhotos));
    return state;
}

State first_state() {
    State state = picture_state();
    list_models(state);
    if (state.recent_models.empty()) return state;
    look_through(state, shipped_model(kScenes));
    state.recipe.scene = random_scene(kFirstScene);
    return state;
}

std::optional<ShippedModel> model_to_follow(const Recipe& before, const Recipe& now) {
    if (now.weights != before.weights || gives_tokens(now.tokens)) return std::nullopt;
    const bool to_photo = before.scene && !now.scene && is_model(now, kScenes),
               to_scene = !before.scene && now.scene && is_model(now, kPhotos);
    if (!to_photo && !to_scene) return std::nullopt;
    return shipped_model(to_photo ? kPhotos : kScenes);
}

ui::FontPaths font_paths() {
    const assets::FontFiles& fonts = assets::fonts();
    return {fonts.regular, fonts.semibold, fonts.mono, fonts.math, fonts.cjk, fonts.italic};
}

std::string missing_files(const ui::Fonts& fonts) {
    std::string text = missing_assets();
    const std::vector<std::string>& trouble = fonts.trouble();
    if (trouble.empty()) return text;
    if (!text.empty()) text += ' ';
    text += trouble.front();
    if (trouble.size() > 1)
        text += fmt::format(" The same is true of {} more font{}.", trouble.size() - 1,
                            trouble.size() == 2 ? "" : "s");
    return text +
           " Headlight uses Dear ImGui's built-in font instead. To add the missing fonts, install "
           "Inter, JetBrains Mono and Noto Sans Math; on Debian and Ubuntu: apt-get install "
           "fonts-inter fonts-jetbrains-mono fonts-noto-core";
}

namespace {

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

}  // namespace headlight::platform
