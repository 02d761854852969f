#include "state/first_state.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "assets/assets.h"
#include "disk/files.h"
#include "scene/random_scene.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

bool is_picture(const fs::path& path) {
    static constexpr std::array endings = {".jpg", ".jpeg", ".png", ".ppm", ".pgm", ".bmp"};
    const std::string ending = path.extension().string();
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

// The shipped models: for drawn scenes, for photographs, and a single layer.
constexpr const char *kScenes = "scenes", *kPhotos = "photos";
constexpr std::array kModels = {kScenes, kPhotos, "t2t-layer"};

fs::path model_file(const char* name) {
    return assets::directory() / "models" / name / "model.safetensors";
}

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

std::string default_image() {
    const fs::path folder = assets::directory() / "images";
    if (is_there(folder / "cat.jpg")) return (folder / "cat.jpg").string();
    std::string first;
    for (const fs::path& path : list_folder(folder).paths)
        if (is_picture(path) && (first.empty() || path.string() < first)) first = path.string();
    return first;
}

std::string missing_assets() {
    std::string missing;
    if (default_image().empty()) missing += ", no pictures in images";
    for (const char* name : kModels)
        if (!is_file(model_file(name)))
            missing += ", no models/" + std::string(name) + "/model.safetensors";
    if (missing.empty()) return "";
    return assets::directory().string() + ": expected the files that come with Headlight, found " +
           missing.substr(2) +
           ". Install Headlight again. Until then, open your own files with Ctrl+O.";
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

}  // namespace headlight
