#pragma once

#include <functional>
#include <optional>

#include "chrome/file_browser.h"
#include "chrome/file_grid.h"
#include "disk/names.h"
#include "ui/controls.h"

// Shared by the parts of the file browser, which have a source file each.
namespace headlight::screens {

// Data shared by the parts of the browser within one frame.
struct Browsing {
    ui::Context& ui;
    const Workspace& work;
    FileBrowser& browser;
    std::vector<Command>& out;

    [[nodiscard]] float px(float units) const { return ui.px(units); }
    // Pixels for a width that contains text: grows half as fast as the text, so that more fits.
    [[nodiscard]] float wide(float units) const {
        return ui.px(units) * (1 + (ui.text_scale() - 1) / 2);
    }
    [[nodiscard]] const ui::Palette& colors() const { return ui.colors(); }
    // The same for tiles and rows, in pixels, so that each file is decoded once.
    [[nodiscard]] int thumbnail_side() const { return static_cast<int>(wide(192)); }

    // Whether the browser is choosing a reference file for comparison.
    [[nodiscard]] bool of_reference() const { return work.panel() == Panel::reference; }
    // Whether the browser is choosing a region's mask.
    [[nodiscard]] bool of_mask() const { return work.panel() == Panel::mask; }
    // Whether the browser is choosing the folder that the features panel searches.
    [[nodiscard]] bool of_folder() const { return work.panel() == Panel::folder; }
    [[nodiscard]] bool of_one_kind() const { return of_reference() || of_mask() || of_folder(); }
    // Whether a dialog of the system chooses the file, as in a browser. The folders that the
    // program sees there are not those of the computer.
    [[nodiscard]] bool has_dialog() const {
        return !of_one_kind() && work.command_table().find("pick-file") != nullptr;
    }
    // Whether a folder is listed.
    [[nodiscard]] bool lists_folder() const { return !browser.examples_shown && !has_dialog(); }
    // The entries of the folder that can be opened here.
    [[nodiscard]] const Directory& directory() const {
        return of_one_kind() ? browser.narrowed : browser.reader.directory();
    }
    void close() const { out.push_back(command("show", of_folder() ? "features" : "nothing")); }
    void choose_folder(const std::filesystem::path& path) const {
        close();
        if (work.state().look.features != FeatureView::nearest)
            out.push_back(command("set", "features", "nearest"));
        out.push_back(command("set", "nearest_folder", path.string()));
    }
    void open(const std::filesystem::path& path) const {
        if (of_folder()) return choose_folder(path.parent_path());  // that the image is in
        close();  // before opening: it clears the notice, which may show an error then
        if (of_reference()) return out.push_back(command("reference", path.string()));
        if (of_mask()) return out.push_back(command("region-mask", path.string()));
        out.push_back(command("open", path.string()));
    }
    void open_tokens(const std::filesystem::path& path) const {
        close();
        out.push_back(command("tokens", path.string()));
    }
    void open_scene(const std::string& number) const {
        close();
        out.push_back(command("scene", number));
    }
    void go(const std::filesystem::path& path) const {
        if (work.panel() == Panel::examples) out.push_back(command("show", "files"));
        browser.reader.go(path);
        browser.problem.clear();
        browser.to_top = true;
    }
};

// file_lookup.cpp
std::filesystem::path first_directory(const State& state);  // the shown image's folder
void look_up_places(FileBrowser& browser);
KnownFiles files_of(const State& state);
void look_up_files(FileBrowser& browser, const State& state);  // files on Walk and before it
void look_up_one_kind(const Browsing& b);  // filters the current folder for number files or images

// file_side.cpp
void file_side(const Browsing& b, const ui::Rect& rect);

// file_contents.cpp
void file_contents(const Browsing& b, const ui::Rect& rect);

// file_examples.cpp
void file_examples(const Browsing& b, const ui::Rect& rect);

// file_tiles.cpp
using DrawTile = std::function<bool(int index, const ui::Rect& tile, bool selected)>;
// Width that a grid of tiles uses in that rectangle, in pixels.
float tiles_width(const Browsing& b, const ui::Rect& rect);
// Draws only the visible rows and requests only their thumbnails, from last to first because the
// newest request is served first. `draw` returns whether the tile was clicked. Returns the clicked
// tile, or the one chosen by Enter.
std::optional<int> scroll_tiles(const Browsing& b, const ui::Rect& rect, const FileGrid& grid,
                                const DrawTile& draw);

// file_pieces.cpp
bool is_model(const DirectoryEntry& entry);
bool is_shown(const Browsing& b, const DirectoryEntry& entry);
// Draws a thumbnail centered, keeping its aspect ratio. `side`: its longer side in pixels; 0: as
// all tiles.
Thumbnail draw_thumbnail(const Browsing& b, const ui::Rect& rect, const DirectoryEntry& entry,
                         int side = 0);
// A placeholder for a model without a picture: stacked layers with data flowing up through them.
void draw_model_sign(const Browsing& b, const ui::Rect& rect, bool lit);
void model_tip(const Browsing& b, const DirectoryEntry& entry);
void file_tip(const Browsing& b, const DirectoryEntry& entry, const Thumbnail& thumbnail);
// Begins a scrolling child window; `height`: height of its content in pixels.
void begin_scrolling(const char* name, const ui::Rect& rect);
void end_scrolling(float height);

}  // namespace headlight::screens
