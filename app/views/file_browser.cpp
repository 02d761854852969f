#include "views/file_browser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <system_error>

#include "assets/assets.h"
#include "ui/controls.h"
#include "views/file_grid.h"

namespace headlight::views {

namespace fs = std::filesystem;
using ui::Align;
using ui::Canvas;
using ui::Face;
using ui::Rect;
using ui::Size;

namespace {

constexpr std::size_t kRecentShown = 6, kRecentModelsShown = 4;

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

    void close() const { out.push_back(command("show", "nothing")); }
    void open(const fs::path& path) const {
        const bool model = is_checkpoint_name(path.string());
        out.push_back(command(model ? "open-model" : "open", path.string()));
        close();
    }
    void go(const fs::path& path) const {
        browser.reader.go(path);
        browser.problem.clear();
        browser.to_top = true;
    }
};

// ---- Opening

std::vector<FilePlace> find_places() {
    std::vector<FilePlace> found;
    const auto add = [&](const char* label, const fs::path& path) {
        std::error_code unknown;
        if (fs::is_directory(path, unknown)) found.push_back({label, path});
    };
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
        add("Home", home);
        add("Pictures", fs::path(home) / "Pictures");
        add("Downloads", fs::path(home) / "Downloads");
    }
    std::error_code unknown;
    add("Working folder", fs::current_path(unknown));
    add("Computer", "/");
    return found;
}

std::vector<DirectoryEntry> find_samples() {
    try {
        Directory samples = read_directory(assets::directory() / "images");
        samples.entries.erase(
            samples.entries.begin(),
            samples.entries.begin() + static_cast<std::ptrdiff_t>(samples.folders));
        return std::move(samples.entries);
    } catch (const std::exception&) {
        return {};  // not installed: then there are none to offer
    }
}

// Of the recent files those that are still there.
std::vector<DirectoryEntry> find_recent(const std::vector<std::string>& recent, std::size_t most) {
    std::vector<DirectoryEntry> found;
    for (const std::string& name : recent) {
        std::error_code unknown;
        if (found.size() < most && fs::is_regular_file(name, unknown))
            found.push_back(describe_file(name));
    }
    return found;
}

// At first one is where the shown image lies.
fs::path first_directory(const State& state) {
    std::error_code unknown;
    const fs::path image = fs::absolute(state.recipe.image, unknown);
    if (fs::is_regular_file(image, unknown)) return image.parent_path();
    const char* home = std::getenv("HOME");
    return home != nullptr && fs::is_directory(home, unknown) ? fs::path(home) : fs::path("/");
}

void on_opening(const Browsing& b) {
    b.browser.places = find_places();
    b.browser.samples = find_samples();
    b.browser.recent = find_recent(b.work.state().recent, kRecentShown);
    b.browser.recent_models = find_recent(b.work.state().recent_models, kRecentModelsShown);
    b.browser.problem.clear();
    b.browser.selected = -1;
    std::error_code unknown;
    b.browser.shown = fs::absolute(b.work.state().recipe.image, unknown).lexically_normal();
    const std::string& weights = b.work.state().recipe.weights;
    b.browser.shown_model =
        weights.empty() ? fs::path() : fs::absolute(weights, unknown).lexically_normal();
    if (b.browser.reader.path().empty()) b.browser.reader.go(first_directory(b.work.state()));
    b.browser.reader.refresh();
    ImGui::SetNextWindowFocus();
}

// ---- Pieces

std::string bytes_text(std::uintmax_t bytes) {
    const auto size = static_cast<double>(bytes);
    if (bytes < 1000) return std::to_string(bytes) + " bytes";
    if (size < 999.5e3) return ui::number(size / 1e3, size < 1e4 ? 1 : 0) + " kB";
    if (size < 999.5e6) return ui::number(size / 1e6, size < 1e7 ? 1 : 0) + " MB";
    return ui::number(size / 1e9, 1) + " GB";
}

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// In the middle of the rectangle, aspect kept. What was not shrunk shows its pixels as squares.
Thumbnail draw_thumbnail(const Browsing& b, const Rect& rect, const DirectoryEntry& entry) {
    Thumbnail thumbnail =
        b.browser.thumbnails.request(entry.path, entry.written, b.thumbnail_side());
    if (thumbnail.pending()) b.ui.ask_for_frame();
    if (!thumbnail.image) return thumbnail;
    const Image& image = *thumbnail.image;
    const Rect place = rect.fit(static_cast<float>(image.width) / static_cast<float>(image.height));
    const bool smooth = thumbnail.width > image.width || static_cast<float>(image.width) > place.w;
    Canvas(b.ui).image(place,
                       b.ui.heatmaps().photo(image.values.data(), image.height, image.width,
                                             image.channels, smooth),
                       1, b.px(3));
    return thumbnail;
}

// In a picture's place: layers on top of each other, the data flowing up through them.
void draw_model_sign(const Browsing& b, const Rect& rect, bool lit) {
    Canvas canvas(b.ui);
    const ImU32 color = lit ? b.colors().accent : b.colors().hue(ui::Hue::weight);
    const Rect place = rect.fit(1.15F);
    const float bar = place.h * 0.19F, gap = place.h * 0.12F;
    Rect rest = place.inset(0, (place.h - 3 * bar - 2 * gap) / 2);
    for (int layer = 0; layer < 3; ++layer) {
        canvas.fill(rest.cut_top(bar).inset(place.w * 0.12F * static_cast<float>(2 - layer), 0),
                    ui::with_alpha(color, 0.95F - 0.25F * static_cast<float>(layer)), bar * 0.3F);
        rest.cut_top(gap);
    }
}

bool is_model(const DirectoryEntry& entry) { return is_checkpoint_name(entry.name); }
bool is_shown(const Browsing& b, const DirectoryEntry& entry) {
    return entry.path == b.browser.shown || entry.path == b.browser.shown_model;
}

void model_tip(const Browsing& b, const DirectoryEntry& entry) {
    b.ui.tooltip(entry.path.string() + "\nA model's file · " + bytes_text(entry.bytes));
}

void file_tip(const Browsing& b, const DirectoryEntry& entry, const Thumbnail& thumbnail) {
    std::string tip = entry.name + "\n";
    if (thumbnail.width > 0)
        tip += std::to_string(thumbnail.width) + " × " + std::to_string(thumbnail.height) +
               " pixels · ";
    tip += bytes_text(entry.bytes);
    if (!thumbnail.error.empty()) tip += "\n" + thumbnail.error;
    b.ui.tooltip(tip);
}

// A child window that scrolls; its ImGui::EndChild is the caller's.
void begin_scrolling(const char* name, const Rect& rect) {
    ImGui::SetCursorScreenPos(rect.min());
    ImGui::BeginChild(name, {rect.w, rect.h}, false, ImGuiWindowFlags_NoNav);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
}

// Tells the child window how much there is to be scrolled through.
void end_scrolling(float height) {
    ImGui::SetCursorPos({0, height});
    ImGui::Dummy({1, 0});
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

// ---- Left column

// A line of the left column: its picture's square and its text. The caller draws the picture.
struct SideRow {
    Rect picture;
    bool hovered = false, clicked = false;
};
SideRow side_row(const Browsing& b, const std::string& name, Rect& rest, std::string_view text,
                 bool chosen) {
    Rect row = rest.cut_top(b.ui.line(Size::small) + b.px(8));
    const auto state = ui::interact(b.ui, name, row);
    if (state.hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        Canvas(b.ui).fill(row, b.colors().hover, b.px(6));
    }
    row = row.inset(b.px(8), 0);
    const Rect picture = row.cut_left(row.h - b.px(8));
    row.cut_left(b.px(8));
    Canvas(b.ui).label(
        row, text, {.size = Size::small, .color = chosen ? b.colors().accent : b.colors().text});
    return {picture.inset(0, b.px(4)), state.hovered, state.clicked};
}

void side_caption(const Browsing& b, Rect& rest, std::string_view text) {
    Rect row = rest.cut_top(b.ui.line(Size::small) + b.px(8));
    Canvas(b.ui).caption(row.inset(b.px(8), 0), text);
}

void side_file(const Browsing& b, const std::string& name, Rect& rest,
               const DirectoryEntry& entry) {
    if (is_model(entry)) {
        const SideRow row = side_row(b, name, rest, model_name(entry.path), is_shown(b, entry));
        draw_model_sign(b, row.picture, false);
        if (row.hovered) model_tip(b, entry);
        if (row.clicked) b.open(entry.path);
        return;
    }
    const SideRow row = side_row(b, name, rest, entry.name, is_shown(b, entry));
    const Thumbnail thumbnail = draw_thumbnail(b, row.picture, entry);
    if (row.hovered) file_tip(b, entry, thumbnail);
    if (row.clicked) b.open(entry.path);
}

void side_place(const Browsing& b, const std::string& name, Rect& rest, const FilePlace& place) {
    const bool here = place.path == b.browser.reader.path();
    const SideRow row = side_row(b, name, rest, place.label, here);
    Canvas canvas(b.ui);
    ui::icon(canvas, ui::Icon::folder, row.picture.center(), row.picture.h * 0.75F,
             here ? b.colors().accent : b.colors().dim);
    if (row.hovered) b.ui.tooltip(place.path.string());
    if (row.clicked) b.go(place.path);
}

void side_column(const Browsing& b, const Rect& rect) {
    begin_scrolling("files.side", rect);
    const float top = ImGui::GetCursorScreenPos().y;
    Rect rest{rect.x, top, rect.w - ImGui::GetStyle().ScrollbarSize, 1e6F};
    const FileBrowser& browser = b.browser;
    if (!browser.recent_models.empty()) side_caption(b, rest, "RECENT MODELS");
    for (std::size_t i = 0; i < browser.recent_models.size(); ++i)
        side_file(b, "files.recent-model." + std::to_string(i + 1), rest, browser.recent_models[i]);
    if (!browser.recent_models.empty()) rest.cut_top(b.px(16));
    if (!browser.recent.empty()) side_caption(b, rest, "RECENT IMAGES");
    for (std::size_t i = 0; i < browser.recent.size(); ++i)
        side_file(b, "files.recent." + std::to_string(i + 1), rest, browser.recent[i]);
    if (!browser.recent.empty()) rest.cut_top(b.px(16));
    if (!browser.samples.empty()) side_caption(b, rest, "SAMPLES");
    for (const DirectoryEntry& sample : browser.samples)
        side_file(b, "files.sample." + sample.name, rest, sample);
    if (!browser.samples.empty()) rest.cut_top(b.px(16));
    side_caption(b, rest, "PLACES");
    for (const FilePlace& place : browser.places)
        side_place(b, "files.place." + place.label, rest, place);
    end_scrolling(rest.y - top);
}

// ---- The grid

FileGrid lay_out(const Browsing& b, const Directory& directory, float width) {
    FileGrid grid;
    grid.folders = static_cast<int>(directory.folders);
    grid.files = static_cast<int>(directory.entries.size()) - grid.folders;
    grid.gap = b.px(8);
    grid.label = b.ui.line(Size::small) + b.px(4);
    grid.cols = std::max(1, static_cast<int>((width + grid.gap) / (b.wide(136) + grid.gap)));
    const auto cols = static_cast<float>(grid.cols);
    grid.tile_w = std::floor((width - grid.gap * (cols - 1)) / cols);
    grid.folder_h = grid.label + b.px(12);
    grid.file_h = std::round((grid.tile_w - b.px(16)) * 0.75F + b.px(16) + grid.label);
    return grid;
}

void draw_folder(const Browsing& b, Rect inner, const DirectoryEntry& entry, bool hovered) {
    Canvas canvas(b.ui);
    const float size = b.ui.fonts().pixels(Size::body);
    ui::icon(canvas, ui::Icon::folder, inner.cut_left(size).center(), size,
             hovered ? b.colors().accent : b.colors().dim);
    inner.cut_left(b.px(8));
    canvas.label(inner, entry.name, {.size = Size::small});
    if (hovered) b.ui.tooltip(entry.name);
}

void draw_file(const Browsing& b, Rect inner, float label, const DirectoryEntry& entry,
               bool hovered) {
    Canvas canvas(b.ui);
    canvas.label(inner.cut_bottom(label), entry.name,
                 {.size = Size::small, .align = Align::center});
    canvas.fill(inner, b.colors().background, b.px(4));
    if (is_model(entry)) {
        canvas.label(inner.cut_bottom(label + b.px(4)), bytes_text(entry.bytes),
                     {.size = Size::small, .color = b.colors().dim, .align = Align::center});
        draw_model_sign(b, inner.inset(inner.w * 0.3F, b.px(8)), hovered);
        if (hovered) model_tip(b, entry);
        return;
    }
    const Thumbnail thumbnail = draw_thumbnail(b, inner, entry);
    if (!thumbnail.error.empty())
        canvas.label(inner.inset(b.px(4), 0), "cannot be read",
                     {.size = Size::small, .color = b.colors().faint, .align = Align::center});
    if (hovered) file_tip(b, entry, thumbnail);
}

// True when it was clicked. `selected`: by the keyboard.
bool draw_tile(const Browsing& b, const Rect& tile, float label, const DirectoryEntry& entry,
               bool selected) {
    const auto state = ui::interact(b.ui, "files.entry." + entry.name, tile);
    Canvas canvas(b.ui);
    if (state.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (state.hovered || selected) canvas.fill(tile, b.colors().hover, b.px(8));
    if (entry.folder)
        draw_folder(b, tile.inset(b.px(8), 0), entry, state.hovered);
    else
        draw_file(b, tile.inset(b.px(8)), label, entry, state.hovered);
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

// Arrows select a tile. True when it is another one now.
bool take_arrows(const Browsing& b, const FileGrid& grid) {
    if (b.browser.typing) return false;
    const int before = b.browser.selected;
    const auto step = [](ImGuiKey less, ImGuiKey more) {
        return (ui::key_pressed(more) ? 1 : 0) - (ui::key_pressed(less) ? 1 : 0);
    };
    const int right = step(ImGuiKey_LeftArrow, ImGuiKey_RightArrow),
              down = step(ImGuiKey_UpArrow, ImGuiKey_DownArrow);
    if (right == 0 && down == 0) return false;
    b.browser.selected = before < 0 ? 0 : grid.beside(before, right, down);
    return b.browser.selected != before;
}

// The least scrolling that brings the tile into view.
float scroll_to(const Rect& tile, float scroll, float height) {
    return std::max(std::min(scroll, tile.y), tile.y + tile.h - height);
}

// Only the rows in view are drawn, and only their thumbnails asked for: from the last to the first,
// because the newest request is served first.
void draw_tiles(const Browsing& b, const Rect& rect) {
    begin_scrolling("files.grid", rect);
    if (b.browser.to_top) ImGui::SetScrollY(0);
    float scroll = b.browser.to_top ? 0 : ImGui::GetScrollY();
    if (b.browser.to_top) b.browser.selected = -1;
    b.browser.to_top = false;
    const Directory& directory = b.browser.reader.directory();
    const FileGrid grid = lay_out(b, directory, rect.w - ImGui::GetStyle().ScrollbarSize - b.px(6));
    b.browser.selected = std::min(b.browser.selected, grid.count() - 1);
    if (take_arrows(b, grid)) {
        scroll = scroll_to(grid.tile(b.browser.selected), scroll, rect.h);
        ImGui::SetScrollY(scroll);
    }
    const int end = std::min(grid.count(), grid.row_start(scroll + rect.h) + grid.cols);
    std::optional<DirectoryEntry> chosen;  // a copy: what it leads to ends this listing
    for (int i = end - 1; i >= grid.row_start(scroll); --i) {
        Rect tile = grid.tile(i);
        tile.x += rect.x;
        tile.y += rect.y - scroll;
        const DirectoryEntry& entry = directory.entries[static_cast<std::size_t>(i)];
        const bool selected = i == b.browser.selected;
        ImGui::PushID(i);  // "###" in a file name means something to ImGui
        if (draw_tile(b, tile, grid.label, entry, selected)) chosen = entry;
        ImGui::PopID();
        if (selected) b.ui.report("files.selected", entry.name);
        if (selected && !b.browser.typing && ui::key_pressed(ImGuiKey_Enter)) chosen = entry;
    }
    end_scrolling(grid.height());
    if (chosen) enter(b, *chosen);
}

// Where there is nothing to show: what is the matter, why, and what one can do.
void draw_emptiness(const Browsing& b, const Rect& rect, std::string_view title,
                    const std::string& text) {
    Canvas canvas(b.ui);
    const float width = std::min(rect.w - b.px(32), b.wide(400));
    const float icon = b.wide(48), line = b.ui.line(Size::body);
    const float tall = canvas.measure_wrapped(text, {.size = Size::small}, width).y;
    Rect rest{rect.center().x - width / 2, 0, width, 1e6F};
    rest.y = std::round(rect.y + std::max(0.0F, rect.h - icon - line - tall - b.px(24)) / 2);
    ui::icon(canvas, ui::Icon::folder, Rect(rest.cut_top(icon)).cut_left(icon).center(), icon,
             b.colors().border);
    rest.cut_top(b.px(16));
    canvas.label(rest.cut_top(line), title, {.face = Face::bold});
    rest.cut_top(b.px(8));
    canvas.wrapped(rest, text, {.size = Size::small, .color = b.colors().dim});
}

void contents(const Browsing& b, const Rect& rect) {
    if (!b.browser.typing && ui::key_pressed(ImGuiKey_Backspace))
        b.go(b.browser.reader.path().parent_path());
    const Directory& directory = b.browser.reader.directory();
    if (!directory.entries.empty()) return draw_tiles(b, rect);
    if (!directory.error.empty())
        return draw_emptiness(
            b, rect, "This folder cannot be read",
            directory.error + " Go up, choose another place on the left, or type a path above.");
    if (directory.path.empty()) return draw_emptiness(b, rect, "Reading the folder…", "");
    const std::string why = directory.others == 0
                                ? "The folder is empty."
                                : "The folder holds " + counted(directory.others, "file") +
                                      ", but no image and no model that Headlight knows.";
    draw_emptiness(
        b, rect, "Nothing to open here",
        why +
            " Images are PNG, JPEG, BMP, TGA, GIF, PSD and PNM files, models safetensors, npz and "
            "npy files. Go up, choose another place on the left, type a path above, or drop a file "
            "on the window.");
}

// ---- Above and below

void enter_typed(const Browsing& b) {
    const fs::path path = typed_path(b.browser.typed.data(), b.browser.reader.path());
    std::error_code unknown;
    if (fs::is_directory(path, unknown)) return b.go(path);
    if (fs::is_regular_file(path, unknown)) return b.open(path);
    b.browser.problem = "There is no file or folder “" + path.string() + "”.";
}

// Shows where one is, and takes where one wants to be. What leads nowhere stays to be corrected.
void path_field(const Browsing& b, const Rect& rect) {
    FileBrowser& browser = b.browser;
    if (!browser.typing && browser.problem.empty()) {
        browser.typed.fill('\0');
        browser.reader.path().string().copy(browser.typed.data(), browser.typed.size() - 1);
    }
    b.ui.name("files.path", {rect, {0, 0, 0, 0}});
    ImGui::SetCursorScreenPos(rect.min());
    ImGui::PushFont(b.ui.fonts().get(Face::mono, Size::small));
    const float pad = std::max(0.0F, (rect.h - b.ui.fonts().pixels(Size::small)) / 2);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {b.px(8), pad});
    ImGui::SetNextItemWidth(rect.w);
    const bool entered =
        ImGui::InputText("##files.path", browser.typed.data(), browser.typed.size(),
                         ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue);
    browser.typing = ImGui::IsItemActive() || entered;  // its Enter is not the tiles'
    if (ImGui::IsItemEdited()) browser.problem.clear();
    ImGui::PopStyleVar();
    ImGui::PopFont();
    Canvas(b.ui).outline(rect, browser.typing ? b.colors().accent : b.colors().border, 1, b.px(6));
    if (entered) enter_typed(b);
}

void header(const Browsing& b, Rect& rest) {
    const float tall = b.ui.line(Size::small) + b.px(12);
    Rect title = rest.cut_top(tall);
    if (ui::button(b.ui, "files.close", title.cut_right(tall), "", ui::ButtonLook::plain,
                   "Close (Esc)", ui::Icon::close))
        b.close();
    Canvas(b.ui).label(title, "Open an image or a model", {.face = Face::bold});
    rest.cut_top(b.px(8));
    Rect row = rest.cut_top(tall);
    if (ui::button(b.ui, "files.up", row.cut_left(tall), "", ui::ButtonLook::outlined,
                   "Up to the folder above", ui::Icon::up))
        b.go(b.browser.reader.path().parent_path());
    row.cut_left(b.px(8));
    path_field(b, row);
}

void footer(const Browsing& b, const Rect& rect) {
    const Directory& directory = b.browser.reader.directory();
    const auto models = static_cast<std::size_t>(std::ranges::count_if(
        directory.entries,
        [](const DirectoryEntry& entry) { return !entry.folder && is_model(entry); }));
    const std::size_t images = directory.entries.size() - directory.folders - models;
    std::string what;
    if (!directory.path.empty())
        what = counted(directory.folders, "folder") + " · " + counted(images, "image") + " · " +
               counted(models, "model");
    const bool problem = !b.browser.problem.empty();
    Canvas(b.ui).label(rect, problem ? b.browser.problem : what,
                       {.size = Size::small, .color = problem ? b.colors().error : b.colors().dim});
    b.ui.report("files.directory", b.browser.reader.path().string());
    b.ui.report("files.count", std::to_string(directory.entries.size()));
    if (problem) b.ui.report("files.problem", b.browser.problem);
}

void panel(const Browsing& b, const Rect& rect) {
    Canvas canvas(b.ui);
    canvas.card(rect, b.colors().card);
    b.ui.name("files.panel", {rect, {0, 0, 0, 0}});
    Rect rest = rect.inset(b.px(24), b.px(16));
    header(b, rest);
    rest.cut_top(b.px(16));
    footer(b, rest.cut_bottom(b.ui.line(Size::small)));
    rest.cut_bottom(b.px(8));
    const Rect side = rest.cut_left(std::min(b.wide(208), rest.w * 0.3F));
    rest.cut_left(b.px(8));
    const float x = std::round(rest.x);
    canvas.line({x, rest.y}, {x, rest.y + rest.h}, b.colors().border);
    rest.cut_left(b.px(16));
    side_column(b, side);
    contents(b, rest);
}

// Larger text needs more of the window.
Rect panel_rect(const ui::Context& ui, const Rect& window) {
    const bool large = ui.text_scale() > 1.5F;
    const float w = std::round(window.w * (large ? 0.94F : 0.76F));
    const float h = std::round(window.h * (large ? 0.92F : 0.80F));
    return {std::round(window.x + (window.w - w) / 2), std::round(window.y + (window.h - h) / 2), w,
            h};
}

}  // namespace

FileBrowser::FileBrowser() = default;
FileBrowser::~FileBrowser() = default;

void file_browser(ui::Context& ui, const Workspace& work, FileBrowser& browser,
                  std::vector<Command>& out, const Rect& window) {
    const Browsing b{ui, work, browser, out};
    const int frame = ImGui::GetFrameCount();
    if (browser.last_frame < frame - 1) on_opening(b);
    browser.last_frame = frame;
    browser.reader.update();
    if (browser.reader.reading()) ui.ask_for_frame();

    // A window over all of the walk takes the mouse from everything below it.
    ImGui::SetNextWindowPos(window.min());
    ImGui::SetNextWindowSize({window.w, window.h});
    ImGui::Begin("files", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
    Canvas(ui).fill(window, IM_COL32(0, 0, 0, 140));
    const Rect place = panel_rect(ui, window);
    panel(b, place);
    // The second click of a double click that opened the browser does not close it.
    const bool beside =
        window.contains(ImGui::GetIO().MousePos) && !place.contains(ImGui::GetIO().MousePos);
    if (beside && ImGui::IsMouseClicked(0) && !ImGui::IsMouseDoubleClicked(0)) b.close();
    ImGui::End();
}

bool takes_key(const FileBrowser& browser, std::string_view key) {
    if (browser.last_frame < ImGui::GetFrameCount() - 1) return false;
    constexpr std::array own{"←", "→", "↑", "↓", "Enter", "Backspace", "Space"};
    return browser.typing || std::ranges::find(own, key) != own.end();
}

}  // namespace headlight::views
