#include "state/portable_files.h"

#include "assets/assets.h"
#include "disk/files.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAssets = "assets:";

// "" for a file that is not in or below the folder.
std::string below(const std::string& file, const fs::path& folder) {
    const fs::path relative = fs::path(file).lexically_relative(folder);
    const bool inside = !relative.empty() && *relative.begin() != ".." && *relative.begin() != ".";
    return inside ? relative.generic_string() : "";
}

}  // namespace

Recipe with_files(Recipe recipe, const NameOfFile& name) {
    const auto other = [&](const std::string& file) { return file.empty() ? file : name(file); };
    recipe.image = other(recipe.image);
    recipe.weights = other(recipe.weights);
    if (auto* tokens = std::get_if<TokenFile>(&recipe.tokens); tokens != nullptr)
        if (tokens->file = other(tokens->file); tokens->file.empty()) recipe.tokens = {};
    return recipe;
}

State with_files(State state, const NameOfFile& name) {
    state.recipe = with_files(std::move(state.recipe), name);
    for (auto* recipe : {&state.pinned, &state.on_picture})
        if (*recipe) **recipe = with_files(std::move(**recipe), name);
    for (auto* file : {&state.reference, &state.look.nearest_folder})
        if (!file->empty()) *file = name(*file);
    return state;
}

std::string name_in_assets(const std::string& file) {
    const std::string name = below(file, assets::directory());
    return name.empty() ? "" : std::string(kAssets) + name;
}

std::string file_in_assets(const std::string& name) {
    if (!name.starts_with(kAssets)) return "";
    const fs::path file = assets::directory() / name.substr(kAssets.size());
    return is_within(file, assets::directory()) && is_there(file) ? file.string() : "";
}

NameOfFile portable_from(const fs::path& folder) {
    return [folder = absolute_path(folder)](const std::string& file) {
        for (const std::string& name : {name_in_assets(file), below(file, folder)})
            if (!name.empty()) return name;
        return file;
    };
}

NameOfFile located_from(const fs::path& folder) {
    return [folder = absolute_path(folder)](const std::string& name) {
        if (name.starts_with(kAssets)) {
            const std::string file = file_in_assets(name);
            return file.empty() ? name : file;
        }
        return fs::path(name).is_absolute() ? name : (folder / name).lexically_normal().string();
    };
}

}  // namespace headlight
