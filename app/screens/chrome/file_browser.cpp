#include "chrome/file_browser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "chrome/file_browsing.h"
#include "disk/files.h"
#include "disk/names.h"
#include "frame/frame.h"
#include "kernels/counted.h"
#include "ui/compat_internal.h"
#include "ui/window.h"

namespace headlight::screens {

namespace fs = std::filesystem;
using ui::Canvas;
using ui::Face;
using ui::Rect;
using ui::Size;

namespace {

void on_opening(const Browsing& b) {
    look_up_places(b.browser);
    look_up_files(b.browser, b.work.state());
    b.browser.problem.clear();
    b.browser.selected = -1;
    b.browser.wants_typing = FileBrowser::kFramesToType;
    const fs::path searched = b.work.state().look.nearest_folder;
    if (b.of_folder() && is_folder(searched)) b.browser.reader.go(searched);
    if (b.browser.reader.path().empty()) b.browser.reader.go(first_directory(b.work.state()));
    b.browser.reader.refresh();
    ImGui::SetNextWindowFocus();
}

void enter_typed(const Browsing& b) {
    const fs::path path = typed_path(b.browser.typed.data(), b.browser.reader.path());
    b.browser.wants_typing = FileBrowser::kFramesToType;
    if (b.of_folder() && path == b.browser.reader.path() && is_folder(path))
        return b.choose_folder(path);
    if (is_folder(path)) return b.go(path);
    if (is_file(path)) return b.open(path);
    b.browser.problem = "There is no file or folder “" + path.string() + "”.";
}

// While the path is unchanged, the arrow keys move through the files.
bool goes_to_files(const FileBrowser& browser) {
    constexpr std::array arrows{ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow,
                                ImGuiKey_DownArrow};
    return browser.typed.data() == browser.reader.path().string() &&
           std::ranges::any_of(arrows, ui::any_key_pressed);
}

// Gives the keyboard to the field, as soon as ImGui allows it.
void turn_to_field(const Browsing& b, const char* label) {
    if (b.browser.wants_typing == 0) return;
    --b.browser.wants_typing;
    b.ui.await_typing();
    b.ui.ask_for_frame();
    ui::type_into(label);
}

// Shows the current path and accepts a new one. An invalid path stays for correction.
void path_field(const Browsing& b, const Rect& rect) {
    constexpr const char* kLabel = "##files.path";
    FileBrowser& browser = b.browser;
    const bool typing = browser.typing && browser.wants_typing == 0;
    if (!typing && browser.problem.empty()) {
        browser.typed.fill('\0');
        browser.reader.path().string().copy(browser.typed.data(), browser.typed.size() - 1);
    }
    b.ui.name("files.path", {rect, {0, 0, 0, 0}});
    ImGui::SetCursorScreenPos(rect.min());
    ImGui::PushFont(b.ui.fonts().get(Face::mono, Size::small));
    const float pad = std::max(0.0F, (rect.h - b.ui.fonts().pixels(Size::small, Face::mono)) / 2);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {b.px(8), pad});
    ImGui::SetNextItemWidth(rect.w);
    turn_to_field(b, kLabel);
    const bool entered =
        ImGui::InputText(kLabel, browser.typed.data(), browser.typed.size(),
                         ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue);
    if (ImGui::IsItemActive()) browser.wants_typing = 0;
    if (ImGui::IsItemActive() && goes_to_files(browser)) b.ui.stop_typing();
    browser.typing = ImGui::IsItemActive() || entered;  // its Enter must not open a tile
    if (ImGui::IsItemEdited()) browser.problem.clear();
    ImGui::PopStyleVar();
    ImGui::PopFont();
    Canvas(b.ui).outline(rect, browser.typing ? b.colors().accent : b.colors().border, 1, b.px(6));
    if (entered) enter_typed(b);
}

// Replaces the path: the folder of the examples, for users who want to edit one.
void examples_line(const Browsing& b, const Rect& rect) {
    const auto& gallery = b.browser.gallery;
    const std::string folder =
        gallery.empty() ? "" : gallery.front().example.file.parent_path().string();
    const std::string play = "Click an example to play it.", file = play + " Each is a text file",
                      there = file + " in " + folder + ".";
    const ui::TextStyle style{.color = b.colors().dim};
    Canvas canvas(b.ui);
    label_that_fits(canvas, rect,
                    {there + " To change one, edit a copy and drop it onto the window.", there,
                     file + ".", play},
                    style);
}

void header(const Browsing& b, ui::Layout& rest) {
    const float tall = b.ui.line(Size::small) + b.px(12);
    ui::Layout title = rest.top(tall);
    if (ui::button(b.ui, "files.close", title.right(tall), "", ui::ButtonLook::plain, "Close (Esc)",
                   ui::Icon::close))
        b.close();
    const bool examples = b.browser.examples_shown;
    const ui::TextStyle bold{.face = Face::bold};
    Canvas canvas(b.ui);
    const auto fitting = [&](std::initializer_list<std::string> texts) {
        return first_that_fits(canvas, texts, bold, title.w);
    };
    const std::string words =
        examples           ? "Examples"
        : b.of_reference() ? fitting({"Open numbers to compare with: safetensors, npz or npy",
                                      "Open numbers to compare with"})
        : b.of_mask()
            ? fitting({"Open a mask: an image the size of the picture, bright in the region",
                       "Open a mask, bright in the region"})
        : b.of_folder() ? fitting({"Choose the folder to search for similar images",
                                   "Choose a folder to search"})
                        : fitting({"Open an image, a scene, a model or tokens", "Open a file"});
    canvas.label(title, words, bold);
    if (!examples && b.has_dialog()) return;
    rest.skip_top(8);
    ui::Layout row = rest.top(tall);
    if (examples) return examples_line(b, row);
    if (ui::button(b.ui, "files.up", row.left(tall), "", ui::ButtonLook::outlined,
                   "Goes to the folder above", ui::Icon::up))
        b.go(b.browser.reader.path().parent_path());
    row.skip_left(8);
    path_field(b, row);
}

// Chooses the folder that is listed.
void choose_button(const Browsing& b, ui::Layout& row, std::size_t images) {
    const char* label = "Search this folder";
    const Rect place = row.right(ui::button_width(b.ui, label), 8);
    if (ui::button(b.ui, "files.choose", place, label,
                   images > 0 ? ui::ButtonLook::filled : ui::ButtonLook::disabled,
                   images > 0 ? "Compares the picture with every image in this folder"
                              : "There are no images in this folder"))
        b.choose_folder(b.browser.reader.path());
}

void footer(const Browsing& b, ui::Layout rect) {
    if (b.browser.examples_shown) {
        Canvas(b.ui).label(rect, counted(b.browser.gallery.size(), "example"),
                           {.color = b.colors().dim});
        return;
    }
    const Directory& directory = b.directory();
    const auto models = static_cast<std::size_t>(std::ranges::count_if(
        directory.entries,
        [](const DirectoryEntry& entry) { return !entry.folder && is_model(entry); }));
    const auto scenes = static_cast<std::size_t>(
        std::ranges::count_if(directory.entries, [](const DirectoryEntry& entry) {
            return !entry.folder && is_saved_scene_name(entry.name);
        }));
    const std::size_t images = directory.entries.size() - directory.folders - models - scenes;
    std::string what;
    if (b.of_reference() && !directory.path.empty())
        what =
            counted(directory.folders, "folder") + " · " + counted(models, "file") + " of numbers";
    else if ((b.of_mask() || b.of_folder()) && !directory.path.empty())
        what = counted(directory.folders, "folder") + " · " + counted(images, "image");
    else if (!directory.path.empty())
        what = counted(directory.folders, "folder") + " · " + counted(images, "image") +
               (scenes > 0 ? " · " + counted(scenes, "scene") : "") + " · " +
               counted(models, "model");
    if (b.of_folder()) choose_button(b, rect, images);
    const bool problem = !b.browser.problem.empty();
    Canvas(b.ui).label(rect, problem ? b.browser.problem : what,
                       {.color = problem ? b.colors().error : b.colors().dim});
    b.ui.report("files.directory", b.browser.reader.path().string());
    b.ui.report("files.shown", b.browser.shown.string());
    b.ui.report("files.count", std::to_string(directory.entries.size()));
    if (problem) b.ui.report("files.problem", b.browser.problem);
}

// Everything that comes without a folder, on the left or, where that is too narrow, above.
void side_and_line(const Browsing& b, ui::Layout& rest, bool above) {
    const Rect side =
        above ? rest.top(rest.h * 0.45F, 8) : rest.left(std::min(b.wide(208), rest.w * 0.34F), 8);
    const ImVec2 from{std::round(rest.x), std::round(rest.y)};
    Canvas(b.ui).line(from,
                      above ? ImVec2{from.x + rest.w, from.y} : ImVec2{from.x, from.y + rest.h},
                      b.colors().border);
    above ? rest.skip_top(8) : rest.skip_left(16);
    file_side(b, side);
}

void panel(const Browsing& b, const Rect& rect) {
    Canvas canvas(b.ui);
    canvas.card(rect, b.colors().card);
    b.ui.name("files.panel", {rect, {0, 0, 0, 0}});
    const bool fills = rect.x <= 0;  // a phone's window
    ui::Layout rest(b.ui, rect, fills ? 12 : 24, fills ? 8 : 16);
    header(b, rest);
    rest.skip_top(16);
    const bool listed = b.lists_folder();
    if (!listed && !b.browser.examples_shown) return file_side(b, rest);
    footer(b, rest.bottom(b.ui.line(Size::small) + (b.of_folder() ? b.px(12) : 0)));
    rest.skip_bottom(8);
    const bool narrow = rest.w < b.wide(400);
    if (!narrow || listed) side_and_line(b, rest, narrow);
    listed ? file_contents(b, rest) : file_examples(b, rest);
}

// Larger text needs more of the window. A phone has none to spare.
Rect panel_rect(const Browsing& b, const Rect& window) {
    const ui::Context& ui = b.ui;
    if (is_phone_sized(ui, window)) return window;
    const bool large = ui.text_scale() > 1.5F;
    const float most = window.w * (large ? 0.94F : 0.76F);
    const bool wide = b.lists_folder() || b.browser.examples_shown;
    const float w = std::round(wide ? most : std::min(most, b.wide(400)));
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
    const bool examples = work.panel() == Panel::examples;
    if (std::exchange(browser.examples_shown, examples) != examples) {
        browser.to_top = true;
        browser.wants_typing = FileBrowser::kFramesToType;
    }
    if (!b.lists_folder()) browser.wants_typing = 0;
    // A script or a dropped file may change them while the panel is open.
    if (files_of(work.state()) != browser.known) look_up_files(browser, work.state());
    browser.reader.update();
    if (b.of_one_kind()) look_up_one_kind(b);
    if (browser.reader.reading()) ui.ask_for_frame();

    // A window over the whole screen blocks the mouse for everything below.
    ui::begin_window("files", window, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
    Canvas(ui).fill(window, IM_COL32(0, 0, 0, 140));
    const Rect place = panel_rect(b, window);
    panel(b, place);
    // The second click of a double click that opened the browser must not close it.
    const bool beside =
        window.contains(ImGui::GetIO().MousePos) && !place.contains(ImGui::GetIO().MousePos);
    if (beside && ImGui::IsMouseClicked(0) && !ImGui::IsMouseDoubleClicked(0)) b.close();
    ImGui::End();
}

}  // namespace headlight::screens
