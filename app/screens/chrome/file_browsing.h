#pragma once

#include <functional>
#include <optional>

#include "chrome/file_browser.h"
#include "chrome/file_grid.h"
#include "disk/names.h"
#include "ui/controls.h"

// What the parts of the file browser share, each in a file of its own.
namespace headlight::screens {

// What the parts of the browser share within one frame.
struct Browsing {
    ui::Context& ui;
    const Workspace& work;
    FileBrowser& browser;
    std::vector<Command>& out;

    [[nodiscard]] float px(float units) const { return ui.px(units); }
    // Of what holds text: it grows with the text, but half as fast, so that much still fits.
    [[nodiscard]] float wide(float units) const {
        return ui.px(units) * (1 + (ui.text_scale() - 1) / 2);
    }
    [[nodiscard]] const ui::Palette& colors() const { return ui.colors(); }
    // One size for tiles and rows: each file is decoded once.
    [[nodiscard]] int thumbnail_side() const { return static_cast<int>(wide(192)); }

    // Numbers to hold the walk against are looked for, and nothing else.
    [[nodiscard]] bool of_reference() const { return work.panel() == Panel::reference; }
    // The mask of a region is looked for, and nothing else.
    [[nodiscard]] bool of_mask() const { return work.panel() == Panel::mask; }
    [[nodiscard]] bool of_one_kind() const { return of_reference() || of_mask(); }
    // Of the folder what can be opened here.
    [[nodiscard]] const Directory& directory() const {
        return of_one_kind() ? browser.narrowed : browser.reader.directory();
    }
    void close() const { out.push_back(command("show", "nothing")); }
    void open(const std::filesystem::path& path) const {
        close();  // first: what is refused is said in the window's notice, which closing clears
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
std::filesystem::path first_directory(const State& state);  // where the shown image lies
void look_up_places(FileBrowser& browser);
KnownFiles files_of(const State& state);
void look_up_files(FileBrowser& browser, const State& state);  // on the walk, and before it
void look_up_one_kind(const Browsing& b);  // of the folder that is shown: numbers, or masks

// file_side.cpp
void file_side(const Browsing& b, const ui::Rect& rect);

// file_contents.cpp
void file_contents(const Browsing& b, const ui::Rect& rect);

// file_examples.cpp
void file_examples(const Browsing& b, const ui::Rect& rect);

// file_tiles.cpp
using DrawTile = std::function<bool(int index, const ui::Rect& tile, bool selected)>;
// How wide all of a grid in that rectangle is.
float tiles_width(const Browsing& b, const ui::Rect& rect);
// Only the rows in view are drawn, and only their thumbnails asked for: from the last to the first,
// because the newest request is served first. `draw` says whether the tile was clicked; that one,
// or the one that Enter chose.
std::optional<int> scroll_tiles(const Browsing& b, const ui::Rect& rect, const FileGrid& grid,
                                const DrawTile& draw);

// file_pieces.cpp
std::string counted(std::size_t count, const std::string& what);
bool is_model(const DirectoryEntry& entry);
bool is_shown(const Browsing& b, const DirectoryEntry& entry);
// In the middle of the rectangle, aspect kept. `side`: its longer side in pixels; 0: as all tiles.
Thumbnail draw_thumbnail(const Browsing& b, const ui::Rect& rect, const DirectoryEntry& entry,
                         int side = 0);
// In a picture's place: layers on top of each other, the data flowing up through them.
void draw_model_sign(const Browsing& b, const ui::Rect& rect, bool lit);
void model_tip(const Browsing& b, const DirectoryEntry& entry);
void file_tip(const Browsing& b, const DirectoryEntry& entry, const Thumbnail& thumbnail);
// A child window that scrolls; `height`: how much there is to be scrolled through.
void begin_scrolling(const char* name, const ui::Rect& rect);
void end_scrolling(float height);

}  // namespace headlight::screens
