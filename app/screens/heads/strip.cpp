#include "heads/strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/classes.h"
#include "frame/photo.h"
#include "frame/picture.h"
#include "heads/folder.h"
#include "heads/order.h"
#include "kernels/counted.h"
#include "measures/measure_heads.h"
#include "state/folder_table.h"
#include "state/image_folder.h"
#include "ui/progress_bar.h"

namespace headlight::screens {

namespace {

constexpr std::size_t kMostNamed = 3;

// Reads the folder's current content.
void look(Frame& frame, FolderMemory& memory) {
    if (memory.folder.read(frame, folder_of(frame.state.recipe))) memory.unreadable.clear();
}

int present_in(const Frame& frame, const std::vector<DirectoryEntry>& images) {
    const auto found = std::ranges::find(images, std::filesystem::path(frame.state.recipe.image),
                                         &DirectoryEntry::path);
    return found == images.end() ? -1 : static_cast<int>(found - images.begin());
}

void note_unreadable(FolderMemory& memory, const FolderFinder::Said* said) {
    if (said == nullptr) return;
    for (const auto& image : said->answer.images)
        if (!image->error.empty()) memory.unreadable[image->path] = image->error;
}

// "24 images in photos · 2 cannot be read: a.jpg, b.png"
std::string head_words(const Frame& frame, const FolderMemory& memory) {
    const Directory& directory = memory.folder.reader.directory();
    const std::filesystem::path folder = folder_of(frame.state.recipe);
    const std::string name = folder.filename().string();
    if (!directory.error.empty()) return directory.error;
    if (directory.path.empty()) return "Reading " + name + "…";
    const std::size_t count = memory.folder.images->size();
    if (count == 0) return "No images in " + folder.string();
    std::string words = counted(static_cast<std::int64_t>(count), "image") + " in " + name;
    if (memory.unreadable.empty()) return words;
    words += fmt::format(" · {} cannot be read: ", memory.unreadable.size());
    std::size_t named = 0;
    for (const auto& [path, why] : memory.unreadable) {
        if (named == kMostNamed) return words + ", …";
        words += (named++ == 0 ? "" : ", ") + path.filename().string();
    }
    return words;
}

// Copies the measurements for a spreadsheet.
void copy_button(Frame& frame, ui::Layout& row, const FolderFinder::Said* said) {
    if (said == nullptr || said->answer.images.empty()) return;
    row.skip_right(8);
    const std::string label = "Copy table";
    if (row.button_right(
            "heads.folder.copy", label, 0, ui::ButtonLook::outlined,
            "Copies a table for a spreadsheet, with a row for each head of each image: " +
                folder_table_words(*said) +
                ".   Ctrl+C over the images\nThe command “export FILE.csv heads.folder” saves it"))
        frame.say("copy", "folder");
}

void head(Frame& frame, ui::Layout row, FolderMemory& memory, const FolderFinder::Said* said) {
    const float size = row.h;
    if (ui::button(frame.ui, "heads.folder.close", row.right(size), "", ui::ButtonLook::plain,
                   "Closes the folder and keeps the image", ui::Icon::close))
        frame.set("folder_shown", "false");
    row.skip_right(8);
    const bool on = frame.state.look.folder_measured, busy = on && studies_of(frame).busy(kFolder);
    const bool any = memory.folder.images && !memory.folder.images->empty();
    const bool done = on && !busy && said != nullptr && said->whole;
    const std::string label = busy ? "Stop" : done ? "Measured" : "Measure all";
    if (row.button_right("heads.folder.measure", label, 0,
                         any && !done ? ui::ButtonLook::outlined : ui::ButtonLook::disabled,
                         busy ? "Stops and keeps what was measured so far"
                         : done
                             ? "Measured again automatically after every change"
                             : "Runs the model on every image and measures entropy and distance of "
                               "each head, and what the maps are sorted or filtered by")) {
        frame.set("folder_measured", busy ? "false" : "true");
    }
    copy_button(frame, row, said);
    row.skip_right(10);
    if (busy) {
        ui::progress_bar(frame.ui, row.right(frame.px(120), 10).inset(0, row.h / 2 - frame.px(3)),
                         studies_of(frame).progress(kFolder));
    }
    const std::string words = head_words(frame, memory);
    ui::Canvas(frame.ui).label(row, words, frame.small_dim());
    if (row.contains(ImGui::GetIO().MousePos) && !memory.unreadable.empty()) {
        std::string all;
        for (const auto& [path, why] : memory.unreadable)
            all += (all.empty() ? "" : "\n") + path.filename().string() + ": " + why;
        frame.ui.tooltip(all);
    }
    frame.ui.report("heads.folder", words);
    frame.ui.report("heads.folder.measured",
                    std::to_string(said == nullptr ? 0 : said->answer.images.size()));
}

// The tooltip of an image.
std::string tip_of(const Frame& frame, const DirectoryEntry& entry, const std::string& error,
                   const ImageMeasures* measures) {
    std::string tip = entry.name;
    if (!error.empty()) return tip + "\n" + error;
    if (measures != nullptr && measures->answer)
        tip += fmt::format("\n{} {}", class_name(*frame.trace.model, measures->answer->index),
                           percent_text(measures->answer->probability));
    return tip;
}

void draw_image(Frame& frame, const ui::Rect& tile, const ui::Rect& seen,
                const DirectoryEntry& entry, bool present, FolderMemory& memory,
                const FolderFinder::Said* said) {
    const auto side = static_cast<int>(std::ceil(tile.h * 1.5F));
    const Thumbnail thumbnail = memory.thumbnails.request(entry.path, entry.written, side);
    if (thumbnail.pending()) frame.ui.ask_for_frame();
    if (!thumbnail.error.empty() &&
        memory.unreadable.insert_or_assign(entry.path, thumbnail.error).second)
        frame.ui.ask_for_frame();  // the line above the images, already drawn, is to name it
    ui::Canvas canvas(frame.ui);
    const auto clip = canvas.clip(seen);
    canvas.fill(tile, frame.colors().background, frame.px(3));
    if (thumbnail.image) {
        const Image& image = *thumbnail.image;
        canvas.photo(tile.fit(aspect_of(image)),
                     photo(thumbnail.image, thumbnail.width > image.width), frame.px(2));
    }
    const auto why = memory.unreadable.find(entry.path);
    const std::string error = why == memory.unreadable.end() ? "" : why->second;
    if (!error.empty())
        canvas.label(
            tile, "skipped",
            {.size = ui::Size::small, .color = frame.colors().error, .align = ui::Align::center});
    const float left = std::max(tile.x, seen.x), right = std::min(tile.x + tile.w, seen.x + seen.w);
    const ui::Rect shown{left, tile.y, right - left, tile.h};
    const auto mouse = ui::interact(frame.ui, "heads.folder.image." + entry.name, shown);
    if (present || mouse.hovered)
        canvas.outline(tile.inset(frame.px(1)),
                       present ? frame.colors().accent : frame.colors().dim, frame.px(2),
                       frame.px(3));
    if (mouse.clicked && !present) frame.say("open", entry.path.string());
    if (mouse.hovered)
        frame.ui.tooltip(
            tip_of(frame, entry, error, said == nullptr ? nullptr : said->answer.find(entry.path)));
}

// The wheel scrolls the row; it scrolls to the current image when that changes.
void row_of_images(Frame& frame, const ui::Rect& rect, FolderMemory& memory,
                   const FolderFinder::Said* said) {
    const std::vector<DirectoryEntry>& images = *memory.folder.images;
    const float step = rect.h + frame.px(6);
    const float whole = step * static_cast<float>(images.size()) - frame.px(6);
    const int present = present_in(frame, images);
    if (present >= 0 && memory.scrolled_to != frame.state.recipe.image) {
        memory.scrolled_to = frame.state.recipe.image;
        const float at = step * static_cast<float>(present);
        memory.scroll = std::min(std::max(memory.scroll, at + rect.h * 2 - rect.w), at - rect.h);
    }
    if (rect.contains(ImGui::GetIO().MousePos))
        memory.scroll -= (ImGui::GetIO().MouseWheel + ImGui::GetIO().MouseWheelH) * step;
    memory.scroll = std::clamp(memory.scroll, 0.0F, std::max(0.0F, whole - rect.w));
    const auto first = static_cast<std::size_t>(memory.scroll / step);
    const std::size_t end =
        std::min(images.size(), static_cast<std::size_t>((memory.scroll + rect.w) / step) + 1);
    // From last to first, because the newest thumbnail request is served first.
    for (std::size_t i = end; i-- > first;)
        draw_image(frame,
                   {rect.x + step * static_cast<float>(i) - memory.scroll, rect.y, rect.h, rect.h},
                   rect, images[i], std::cmp_equal(present, i), memory, said);
    if (whole <= rect.w) return;
    const float part = rect.w / whole;
    ui::Canvas(frame.ui).fill(
        {rect.x + memory.scroll * part, rect.y + rect.h + frame.px(2), rect.w * part, frame.px(3)},
        frame.colors().border, frame.px(1.5F));
}

void ask(const Frame& frame, FolderMemory& memory) {
    const bool wanted = frame.state.look.folder_measured && memory.folder.images &&
                        !memory.folder.images->empty() && !is_cross(frame.trace);
    // The displayed result takes precedence: the folder waits during a drag.
    Studies& studies = studies_of(frame);
    if (!frame.state.look.folder_measured)
        studies.cancel(kFolder);  // measurements so far are kept
    else if (wanted && frame.work.busy())
        studies.keep(kFolder);
    else if (wanted)
        studies.ask(kFolder, folder_question(frame, memory));
}

}  // namespace

FolderQuestion folder_question(const Frame& frame, const FolderMemory& memory) {
    FolderQuestion question{frame.recipe, memory.folder.images, {}, frame.trace.model};
    const Model& model = *frame.trace.model;
    for (const HeadMeasureInfo& row : all_head_measures()) {
        if (row.of_row != nullptr || !row.is_of_image() || !is_wanted(frame, row.id) ||
            !has_measure(row.id, model, counterfactual_of(frame.recipe, model)))
            continue;
        question.on_request.push_back(row.id);
        if (row.of_class && is_class_chosen(frame)) question.of_class = class_asked(frame);
    }
    return question;
}

std::shared_ptr<const FolderFinder::Said> measured(const Frame& frame, const FolderMemory& memory) {
    auto said = studies_of(frame).last(kFolder);
    if (!said || !memory.folder.images) return nullptr;
    // Whatever was asked for beside them, the measures of every run are the same.
    FolderQuestion question = folder_question(frame, memory);
    if (question.on_request.empty() || said->question.on_request.empty())
        question.of_class = said->question.of_class;
    question.on_request = said->question.on_request;
    return said->question == question ? said : nullptr;
}

bool shows_folder(const Frame& frame) {
    return frame.state.look.folder_shown && !folder_of(frame.state.recipe).empty();
}

float strip_height(const Frame& frame, const ui::Rect& whole) {
    if (!shows_folder(frame) || frame.state.look.lecture) return 0;
    return std::round(std::clamp(whole.h * 0.16F, frame.line() * 6, frame.line() * 8));
}

void strip(Frame& frame, ui::Layout rect, const HeadsView* view) {
    auto& memory = frame.memory.own<FolderMemory>();
    look(frame, memory);
    ask(frame, memory);
    const auto said = measured(frame, memory);
    note_unreadable(memory, said.get());
    // With several grids, the patch size is not unique.
    const bool merges = frame.trace.model->has_merges();
    frame.memory.own<FolderTable>() = {said, merges ? 0 : frame.trace.grid.settings.stride};
    ui::Canvas(frame.ui).line({rect.x, rect.y}, {rect.x + rect.w, rect.y}, frame.colors().border);
    rect = rect.inset(frame.px(16), frame.px(6));
    if (said && view != nullptr && !said->answer.images.empty()) {
        among_card(frame, rect.right(std::min(rect.w * 0.42F, frame.px(620)), 16), *view, said);
    }
    frame.ui.name(kFolderWidget, {rect, {}});
    head(frame, rect.top(frame.line() * 1.3F, 4), memory, said.get());
    rect.skip_bottom(6);
    if (!memory.folder.images->empty()) row_of_images(frame, rect, memory, said.get());
}

void step_image(Frame& frame, int by) {
    const auto& memory = frame.memory.own<FolderMemory>();
    if (!shows_folder(frame) || !memory.folder.images) return;
    const std::vector<DirectoryEntry>& images = *memory.folder.images;
    const auto count = static_cast<int>(images.size());
    int at = present_in(frame, images);
    if (at < 0) at = by > 0 ? -1 : count;
    for (at += by; at >= 0 && at < count; at += by) {
        const DirectoryEntry& entry = images[static_cast<std::size_t>(at)];
        if (memory.unreadable.contains(entry.path)) continue;
        return frame.say("open", entry.path.string());
    }
}

}  // namespace headlight::screens
