#include <algorithm>
#include <utility>

#include "assets/assets.h"
#include "chrome/file_browsing.h"
#include "disk/files.h"
#include "disk/names.h"
#include "scene/random_scene.h"
#include "scene/render.h"
#include "scene/truth.h"
#include "state/scene_edit.h"

namespace headlight::screens {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kRecentShown = 6, kRecentModelsShown = 4, kRecentTokensShown = 4;

std::vector<FilePlace> find_places() {
    std::vector<FilePlace> found;
    const auto add = [&](const char* label, const fs::path& path) {
        if (is_folder(path)) found.push_back({label, path});
    };
    if (const fs::path home = home_folder(); !home.empty()) {
        add("Home", home);
        add("Pictures", home / "Pictures");
        add("Downloads", home / "Downloads");
    }
    add("Working folder", working_folder());
    add("Computer", "/");
    for (const char letter : std::string_view("CDEFGHIJKLMNOPQRSTUVWXYZAB")) {
        const std::string drive = std::string(1, letter) + ":/";
        if (fs::path(drive).has_root_name()) add(drive.c_str(), drive);  // only on Windows
    }
    return found;
}

std::vector<DirectoryEntry> find_samples() {
    Directory samples = read_directory(assets::directory() / "images");
    samples.entries.erase(samples.entries.begin(),
                          samples.entries.begin() + static_cast<std::ptrdiff_t>(samples.folders));
    return std::move(samples.entries);
}

// The scene of the first start, and the first one after it without a pair.
std::vector<SampleScene> draw_scenes() {
    const auto drawn = [](const char* label, std::uint64_t number) {
        SampleScene sample{label, number, random_scene(number), nullptr};
        sample.picture = std::make_shared<const Image>(to_image(draw_scene(sample.scene)));
        return sample;
    };
    std::uint64_t without = kFirstScene + 1;
    while (answer_of(random_scene(without)) != kNoPair) ++without;
    return {drawn("Scene with a pair", kFirstScene), drawn("Scene without a pair", without)};
}

std::vector<GalleryCard> find_gallery() {
    std::vector<GalleryCard> gallery;
    for (Example& example : examples_in(assets::directory() / "examples")) {
        DirectoryEntry picture;
        if (is_file(example.picture)) picture = describe_file(example.picture);
        gallery.push_back({std::move(example), std::move(picture)});
    }
    // Questions first, then the systems from the sources.
    std::ranges::stable_partition(
        gallery, [](const GalleryCard& card) { return is_question(card.example); });
    return gallery;
}

// The recent files that still exist.
std::vector<DirectoryEntry> find_recent(const std::vector<std::string>& recent, std::size_t most) {
    std::vector<DirectoryEntry> found;
    for (const std::string& name : recent)
        if (found.size() < most && is_file(name)) found.push_back(describe_file(name));
    return found;
}

}  // namespace

fs::path first_directory(const State& state) {
    const fs::path image = absolute_path(state.recipe.image);
    if (is_file(image)) return image.parent_path();
    const fs::path home = home_folder();
    return is_folder(home) ? home : fs::path("/");
}

void look_up_places(FileBrowser& browser) {
    browser.places = find_places();
    browser.samples = find_samples();
    browser.gallery = find_gallery();
    if (browser.scenes.empty()) browser.scenes = draw_scenes();
}

void look_up_files(FileBrowser& browser, const State& state) {
    const auto whole = [](const std::string& name) {
        return name.empty() ? fs::path() : absolute_path(name);
    };
    browser.known = files_of(state);
    browser.shown = whole(browser.known.image);
    browser.shown_model = whole(state.recipe.weights);
    browser.recent = find_recent(state.recent, kRecentShown);
    browser.shown_tokens = whole(browser.known.tokens);
    browser.recent_models = find_recent(state.recent_models, kRecentModelsShown);
    browser.recent_tokens = find_recent(state.recent_tokens, kRecentTokensShown);
}

void look_up_one_kind(const Browsing& b) {
    FileBrowser& browser = b.browser;
    Directory& narrowed = browser.narrowed;
    const Directory& all = browser.reader.directory();
    const bool images = !b.of_reference();
    if (narrowed.path == all.path && narrowed.written == all.written &&
        narrowed.error == all.error && browser.narrowed_to_images == images)
        return;
    narrowed = all;
    browser.narrowed_to_images = images;
    const auto without = std::erase_if(narrowed.entries, [&](const DirectoryEntry& entry) {
        return !entry.folder && !(images ? is_image_name(entry.name) : is_numbers_name(entry.name));
    });
    narrowed.others += without;
}

KnownFiles files_of(const State& state) {
    const auto* tokens = std::get_if<TokenFile>(&state.recipe.tokens);
    const bool image = !state.recipe.scene && !gives_tokens(state.recipe.tokens);
    return {image ? state.recipe.image : "",
            state.recipe.weights,
            tokens ? tokens->file : "",
            state.recent,
            state.recent_models,
            state.recent_tokens};
}

}  // namespace headlight::screens
