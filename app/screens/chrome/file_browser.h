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

// A place in the left column.
struct FilePlace {
    std::string label;
    std::filesystem::path path;
};

// The files that the program's state names.
struct KnownFiles {
    std::string image, weights, tokens;
    std::vector<std::string> recent, recent_models, recent_tokens;

    friend bool operator==(const KnownFiles&, const KnownFiles&) = default;
};

// A scene that needs no file: "scene NUMBER" shows it.
struct SampleScene {
    std::string label;
    std::uint64_t number = 0;
    ShapeScene scene;
    std::shared_ptr<const Image> picture;
};

// An example and its picture; without one, an entry without a path.
struct GalleryCard {
    Example example;
    DirectoryEntry picture;
};

// What the browser remembers between frames and between openings.
struct FileBrowser {
    FileBrowser();
    ~FileBrowser();
    FileBrowser(const FileBrowser&) = delete;
    FileBrowser& operator=(const FileBrowser&) = delete;

    DirectoryReader reader;
    Thumbnails thumbnails;
    std::vector<FilePlace> places;  // home and the like; those that exist
    std::vector<DirectoryEntry> samples;
    std::vector<SampleScene> scenes;
    std::vector<GalleryCard> gallery;
    bool examples_shown = false;  // them, not a folder
    KnownFiles known;             // what is said of them here:
    std::vector<DirectoryEntry> recent, recent_models, recent_tokens;
    // Of the folder the numbers, or the masks, where those alone are looked for.
    Directory narrowed;
    bool narrowed_to_masks = false;
    std::filesystem::path shown, shown_model, shown_tokens;  // on the walk
    std::array<char, 4096> typed{};                          // the path field
    std::string problem;                                     // what was typed leads nowhere
    bool typing = false;                                     // the field has the keyboard
    static constexpr int kFramesToType = 3;
    int wants_typing = 0;  // frames left in which the field comes to have it
    bool to_top = false;   // another directory is shown from its first row
    int selected = -1;     // tile, by the keyboard
    int last_frame = -2;   // when it was last drawn
};

// Drawn over the screen in `window`, with the examples in the place of a folder where the panel is
// theirs; says `open PATH`, `example PATH`, `reference PATH` or `region-mask PATH` where that is
// looked for, `show nothing` (closed).
// Call only while it is to be seen.
void file_browser(ui::Context& ui, const Workspace& work, FileBrowser& browser,
                  std::vector<Command>& out, const ui::Rect& window);

}  // namespace headlight::screens
