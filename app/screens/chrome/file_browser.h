#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "image/image.h"
#include "scene/scene.h"
#include "state/directory.h"
#include "state/examples.h"
#include "state/thumbnails.h"
#include "state/workspace.h"
#include "ui/context.h"

namespace headlight::screens {

// A folder listed in the left column.
struct FilePlace {
    std::string label;
    std::filesystem::path path;
};

// The files named in the program's state.
struct KnownFiles {
    std::string image, weights, tokens;
    std::vector<std::string> recent, recent_models, recent_tokens;

    friend bool operator==(const KnownFiles&, const KnownFiles&) = default;
};

// A sample scene, which needs no file; "scene NUMBER" shows it.
struct SampleScene {
    std::string label;
    std::uint64_t number = 0;
    ShapeScene scene;
    std::shared_ptr<const Image> picture;
};

// An example with its picture; without a picture, `entry` has no path.
struct GalleryCard {
    Example example;
    DirectoryEntry picture;
};

// State of the browser, kept between frames and openings.
struct FileBrowser {
    FileBrowser();
    ~FileBrowser();
    FileBrowser(const FileBrowser&) = delete;
    FileBrowser& operator=(const FileBrowser&) = delete;

    DirectoryReader reader;
    Thumbnails thumbnails;
    std::vector<FilePlace> places;  // existing standard folders, such as home
    std::vector<DirectoryEntry> samples;
    std::vector<SampleScene> scenes;
    std::vector<GalleryCard> gallery;
    bool examples_shown = false;  // shows the examples, not a folder
    KnownFiles known;             // known files, for which this was determined:
    std::vector<DirectoryEntry> recent, recent_models, recent_tokens;
    // The number files or images of the folder, when the browser looks only for those.
    Directory narrowed;
    bool narrowed_to_images = false;
    std::filesystem::path shown, shown_model, shown_tokens;  // files open on Walk
    std::array<char, 4096> typed{};                          // the path field
    std::string problem;                                     // error about the typed path
    bool typing = false;                                     // the path field has the keyboard
    static constexpr int kFramesToType = 3;
    int wants_typing = 0;  // frames left until the path field takes the keyboard
    bool to_top = false;   // scroll to the first row of a new directory
    int selected = -1;     // tile selected by keyboard
    int last_frame = -2;   // frame in which it was last drawn
};

// Draws the browser over the screen in `window`; the examples panel shows examples instead of a
// folder. Issues `open PATH`, `example PATH`, `reference PATH`, `region-mask PATH` or `set
// nearest_folder PATH`, depending on the panel, and `show nothing` when closed, or `show features`
// if that panel asked for a folder. Call only while it is visible.
void file_browser(ui::Context& ui, const Workspace& work, FileBrowser& browser,
                  std::vector<Command>& out, const ui::Rect& window);

}  // namespace headlight::screens
