#include "state/image_folder.h"

#include "disk/files.h"
#include "disk/names.h"
#include "image/image.h"
#include "kernels/counted.h"
#include "state/command.h"
#include "state/thumbnails.h"

namespace headlight {

namespace fs = std::filesystem;

std::vector<DirectoryEntry> images_of(const Directory& directory) {
    std::vector<DirectoryEntry> images;
    for (const DirectoryEntry& entry : directory.entries)
        if (!entry.folder && is_image_name(entry.name)) images.push_back(entry);
    return images;
}

bool is_same_file(const DirectoryEntry& a, const DirectoryEntry& b) {
    return a.path == b.path && a.written == b.written;
}

bool same_images(const ImageList& a, const ImageList& b) {
    return a == b || (a && b && std::ranges::equal(*a, *b, is_same_file));
}

Recipe on_any_image(Recipe recipe) {
    recipe.image.clear();
    recipe.scene.reset();
    recipe.rollout.reset();
    recipe.layer = 0;
    return recipe;
}

bool is_image_folder(const std::string& path) {
    return is_folder(path) && !checkpoint_in(path) && !images_of(read_directory(path)).empty();
}

std::vector<DirectoryEntry> images_at(const std::string& folder) {
    if (!is_folder(folder))
        throw CommandError(folder + ": expected a folder of images, found " +
                           (is_there(folder) ? "a file." : "nothing."));
    fs::path whole = absolute_path(folder);
    if (!whole.has_filename()) whole = whole.parent_path();  // "a/b/" is a/b
    const Directory directory = read_directory(whole);
    if (!directory.error.empty()) throw CommandError(folder + ": " + directory.error);
    std::vector<DirectoryEntry> images = images_of(directory);
    if (images.empty())
        throw CommandError(folder + ": expected images (" + image_formats("or") +
                           "), found none in this folder.");
    return images;
}

fs::path folder_of(const Recipe& recipe) {
    const bool of_file = !recipe.scene && !gives_tokens(recipe.tokens) && !recipe.image.empty();
    return of_file ? fs::path(recipe.image).parent_path() : fs::path();
}

namespace {

// The first readable image.
const DirectoryEntry& first_readable(const std::vector<DirectoryEntry>& images,
                                     const std::string& folder) {
    std::string first_error;
    for (const DirectoryEntry& image : images) {
        const std::string error = make_thumbnail(image.path, 8).error;
        if (error.empty()) return image;
        if (first_error.empty()) first_error = error;
    }
    throw CommandError(folder + ": none of its " + std::to_string(images.size()) +
                       " images can be read. " + first_error);
}

}  // namespace

std::string look_at_folder(State& state, const std::string& folder) {
    const std::vector<DirectoryEntry> images = images_at(folder);
    if (folder_of(state.recipe) != images.front().path.parent_path()) {
        const std::string first = first_readable(images, folder).path.string();
        state.recipe = picture_again(state);
        state.recipe.image = first;
        state.recipe.scene.reset();
    }
    state.look.folder_shown = true;
    state.look.screen = ScreenId::heads;
    return counted(std::ssize(images), "image") +
           ": press PageUp or PageDown to go from one to the next.";
}

}  // namespace headlight
