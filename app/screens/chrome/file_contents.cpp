#include <algorithm>
#include <cmath>

#include "chrome/file_browsing.h"
#include "disk/size_text.h"
#include "image/image.h"
#include "kernels/counted.h"

namespace headlight::screens {

using ui::Align;
using ui::Canvas;
using ui::Face;
using ui::Rect;
using ui::Size;

namespace {

FileGrid lay_out(const Browsing& b, const Directory& directory, float width) {
    FileGrid grid;
    grid.folders = static_cast<int>(directory.folders);
    grid.files = static_cast<int>(directory.entries.size()) - grid.folders;
    grid.gap = b.px(8);
    grid.label = b.ui.line(Size::small) + b.px(4);
    grid.cols = std::max(1, static_cast<int>((width + grid.gap) / (b.wide(136) + grid.gap)));
    const auto cols = static_cast<float>(grid.cols);
    grid.tile_w = std::max(1.0F, std::floor((width - grid.gap * (cols - 1)) / cols));
    grid.folder_h = grid.label + b.px(12);
    grid.file_h = std::round((grid.tile_w - b.px(16)) * 0.75F + b.px(16) + grid.label);
    return grid;
}

void draw_folder(const Browsing& b, ui::Layout inner, const DirectoryEntry& entry, bool hovered) {
    Canvas canvas(b.ui);
    const float size = b.ui.fonts().pixels(Size::body);
    ui::icon(canvas, ui::Icon::folder, inner.left(size).center(), size,
             hovered ? b.colors().accent : b.colors().dim);
    inner.skip_left(8);
    canvas.label(inner, entry.name, {});
    if (hovered) b.ui.tooltip(entry.name);
}

void draw_file(const Browsing& b, ui::Layout inner, float label, const DirectoryEntry& entry,
               bool hovered) {
    Canvas canvas(b.ui);
    canvas.label(inner.bottom(label), entry.name,
                 style_that_fits(canvas, entry.name, {.align = Align::center}, inner.w));
    canvas.fill(inner, b.colors().background, b.px(4));
    if (is_model(entry)) {
        canvas.label(inner.bottom(label + b.px(4)), bytes_in_words(entry.bytes),
                     {.color = b.colors().dim, .align = Align::center});
        draw_model_sign(b, inner.inset(inner.w * 0.3F, b.px(8)), hovered);
        if (hovered) model_tip(b, entry);
        return;
    }
    const Thumbnail thumbnail = draw_thumbnail(b, inner, entry);
    if (!thumbnail.error.empty())
        canvas.label(inner.inset(b.px(4), 0), "cannot be read",
                     {.color = b.colors().faint, .align = Align::center});
    if (hovered) file_tip(b, entry, thumbnail);
}

// True if it was clicked. `selected`: by keyboard.
bool draw_tile(const Browsing& b, const Rect& tile, float label, const DirectoryEntry& entry,
               bool selected) {
    const auto state = ui::interact(b.ui, "files.entry." + entry.name, tile);
    Canvas canvas(b.ui);
    if (state.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (state.hovered || selected) canvas.fill(tile, b.colors().hover, b.px(8));
    if (entry.folder)
        draw_folder(b, {b.ui, tile, 8, 0}, entry, state.hovered);
    else
        draw_file(b, {b.ui, tile, 8, 8}, label, entry, state.hovered);
    const bool shown = !entry.folder && is_shown(b, entry);
    if (shown || state.hovered || selected)
        canvas.outline(tile.inset(b.px(1)), shown ? b.colors().accent : b.colors().dim,
                       b.px(shown ? 2.0F : 1.0F), b.px(8));
    else if (entry.folder)
        canvas.outline(tile.inset(b.px(1)), b.colors().border, 1, b.px(8));
    return state.clicked;
}

void enter(const Browsing& b, const DirectoryEntry& entry) {
    if (entry.folder)
        b.go(entry.path);
    else
        b.open(entry.path);
}

void draw_tiles(const Browsing& b, const Rect& rect) {
    const Directory& directory = b.directory();
    const FileGrid grid = lay_out(b, directory, tiles_width(b, rect));
    const auto entry = [&](int i) -> const DirectoryEntry& {
        return directory.entries[static_cast<std::size_t>(i)];
    };
    const auto chosen = scroll_tiles(b, rect, grid, [&](int i, const Rect& tile, bool selected) {
        if (selected) b.ui.report("files.selected", entry(i).name);
        return draw_tile(b, tile, grid.label, entry(i), selected);
    });
    if (chosen) enter(b, DirectoryEntry(entry(*chosen)));  // a copy: entering ends this listing
}

// For an empty listing: what is wrong, why, and what to do.
void draw_emptiness(const Browsing& b, const Rect& rect, std::string_view title,
                    const std::string& text) {
    Canvas canvas(b.ui);
    const float width = std::min(rect.w - b.px(32), b.wide(400));
    const float icon = b.wide(48), line = b.ui.line(Size::body);
    const float tall = canvas.measure_wrapped(text, {}, width).y;
    ui::Layout rest(b.ui, {rect.center().x - width / 2, 0, width, 1e6F});
    rest.y = std::round(rect.y + std::max(0.0F, rect.h - icon - line - tall - b.px(24)) / 2);
    ui::icon(canvas, ui::Icon::folder, Rect(rest.top(icon, 16)).cut_left(icon).center(), icon,
             b.colors().border);
    canvas.label(rest.top(line, 8), title, {.face = Face::bold});
    canvas.wrapped(rest, text, {.color = b.colors().dim});
}

}  // namespace

void file_contents(const Browsing& b, const Rect& rect) {
    if (!b.browser.typing && b.ui.key_pressed(ImGuiKey_Backspace))
        b.go(b.browser.reader.path().parent_path());
    const Directory& directory = b.directory();
    if (!directory.entries.empty()) return draw_tiles(b, rect);
    if (!directory.error.empty())
        return draw_emptiness(
            b, rect, "This folder cannot be read",
            directory.error + " Go up, choose another place on the left, or type a path above.");
    if (directory.path.empty()) return draw_emptiness(b, rect, "Reading the folder…", "");
    const std::string kinds = b.of_reference()  ? "numbers"
                              : b.of_one_kind() ? "image"
                                                : "image, scene or model";
    const std::string why = directory.others == 0
                                ? "The folder is empty."
                                : "The folder holds " + counted(directory.others, "file") +
                                      ", but no " + kinds + " that Headlight can open.";
    if (b.of_reference())
        return draw_emptiness(b, rect, "Nothing to compare with here",
                              why +
                                  " Numbers are safetensors, npz and npy files. Go up, choose "
                                  "another place on the left, or type a path above.");
    if (b.of_folder())
        return draw_emptiness(b, rect, "No images here",
                              why +
                                  " Go up, choose another place on the left, or type a path "
                                  "above.");
    draw_emptiness(b, rect, "Nothing to open here",
                   why + " Images are " + image_formats("and") +
                       " files. Models are safetensors, npz, npy and PyTorch files (pth, pt, bin, "
                       "ckpt). Go up, choose another place on the left, type a path above, or drop "
                       "a file on the window.");
}

}  // namespace headlight::screens
