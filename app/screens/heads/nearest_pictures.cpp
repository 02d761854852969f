#include "heads/nearest_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "disk/hub_cache.h"
#include "frame/photo.h"
#include "frame/picture.h"
#include "frame/studies.h"
#include "frame/tiling.h"
#include "heads/flow.h"
#include "heads/listed_images.h"
#include "kernels/counted.h"
#include "program/ordinals.h"
#include "state/feature_study.h"
#include "state/fields.h"
#include "state/image_folder.h"
#include "state/nearest_study.h"
#include "trace/same_place.h"
#include "ui/progress_bar.h"

namespace headlight::screens {

namespace {

constexpr std::size_t kMostShown = 12;

using NearestSaid = std::shared_ptr<const NearestPicturesFinder::Said>;

// State kept between frames.
struct NearestPicturesMemory {
    ListedImages folder;
    int last_frame = -2;         // in which it was drawn or exported
    std::optional<int> pointed;  // the patch under the pointer
    // The last search that was finished: from then on, the patch under the pointer is compared.
    std::optional<NearestPicturesQuestion> finished;
    std::optional<NearestPicturesQuestion> stopped;  // not asked again until something changes
    std::optional<int> cancels;                      // number of cancellations at the last frame
    // The files of the images shown, for one answer.
    NearestSaid shown_of;
    std::vector<DirectoryEntry> shown;
    ui::Rect area;  // of the images on the screen
    Facts facts;
};

std::string folder_name(const std::string& path) {
    const std::filesystem::path folder(path);
    return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

// Lists the folder again when the view opens, and then whenever it changes.
void read_images(Frame& frame, NearestPicturesMemory& memory) {
    const int now = ImGui::GetFrameCount();
    if (std::exchange(memory.last_frame, now) < now - 1) {
        memory.folder.reader.refresh();
        memory.folder.stale = true;
    }
    memory.folder.read(frame, frame.state.look.nearest_folder);
}

// The selected token if it is a patch, or else the patch in the middle.
int patch_in_question(const Frame& frame) {
    const PatchGrid& grid = frame.trace.grid;
    const int middle = grid.rows / 2 * grid.cols + grid.cols / 2;
    const auto token = frame.state.selection.token;
    if (!token) return middle;
    const Index patch = row_of_token(frame.trace, Axis::patch, *token);
    return patch >= 0 && patch < grid.count() ? static_cast<int>(patch) : middle;
}

bool is_same_picture(const NearestPicturesQuestion& before, const NearestPicturesQuestion& now) {
    return before.trace == now.trace && same_search(before, now);
}

NearestPicturesQuestion asked_of_folder(const Frame& frame, const NearestPicturesMemory& memory) {
    const Look& look = frame.state.look;
    NearestPicturesQuestion question{frame.shared(frame.trace), frame.recipe,          {}, {},
                                     memory.folder.images,      feature_cache_folder()};
    if (!look.nearest_end) question.layer = frame.trace.layer;
    if (look.nearest_by == NearestBy::patches) {
        question.patch = patch_in_question(frame);
        if (memory.pointed && *memory.pointed < frame.trace.grid.count() && memory.finished &&
            is_same_picture(*memory.finished, question))
            question.patch = memory.pointed;
    }
    return question;
}

// Whether the answer is about that picture, for whole images or patches as the question is. What
// was found for another patch stays until the next answer is there.
bool is_shown_for(const NearestSaid& said, const NearestPicturesQuestion& question) {
    return said && is_same_picture(said->question, question) &&
           said->question.patch.has_value() == question.patch.has_value();
}

// ---- what replaces the images

std::string why_no_images(const Frame& frame, const NearestPicturesMemory& memory) {
    const std::string& folder = frame.state.look.nearest_folder;
    const Directory& directory = memory.folder.reader.directory();
    if (folder.empty())
        return "Choose a folder to find its images that are most similar to this picture.";
    if (!directory.error.empty()) return directory.error + " Choose another folder.";
    if (directory.path.empty()) return "Reading the folder…";
    if (directory.entries.empty() && directory.others == 0)
        return "The folder “" + folder + "” is empty. Choose another folder.";
    if (memory.folder.images->empty())
        return "There are no images in “" + folder + "”. Choose another folder.";
    return "";
}

// One sentence; "" if the folder can be searched.
std::string why_no_search(const Frame& frame, const NearestPicturesMemory& memory) {
    std::string why = why_no_features(frame.trace, FeatureView::nearest);
    if (why.empty()) why = why_no_images(frame, memory);
    if (why.empty() && !frame.work.complete()) why = "Computing…";
    if (why.empty() && count_of_others(asked_of_folder(frame, memory)) == 0)
        why = "This picture is the only image in “" + frame.state.look.nearest_folder +
              "”. Choose another folder.";
    return why;
}

// After a search that compared nothing.
std::string why_none_found(const NearestPicturesFinder::Said& said) {
    if (!said.error.empty()) return said.error;
    const NearestFound& found = said.answer;
    if (!said.whole || !found.images.empty() || found.failed.empty()) return "";
    const auto& [image, error] = found.failed.front();
    return found.failed.size() == 1 ? "The only image cannot be compared. " + error
                                    : "None of the " + std::to_string(found.failed.size()) +
                                          " images can be compared. " + error;
}

// ---- the search

void stop_search(const Frame& frame, NearestPicturesMemory& memory,
                 const NearestPicturesQuestion& question) {
    studies_of(frame).cancel(kNearestPictures);
    memory.stopped = question;
}

bool is_whole_answer(const NearestSaid& said, const NearestPicturesQuestion& question) {
    return said && said->whole && said->question == question;
}

// Asks the question, unless it was stopped. The answer may belong to an earlier question.
NearestSaid search_folder(Frame& frame, NearestPicturesMemory& memory,
                          const NearestPicturesQuestion& question) {
    Studies& studies = studies_of(frame);
    const int cancels = frame.work.cancels();
    if (std::exchange(memory.cancels, cancels).value_or(cancels) != cancels &&
        studies.busy(kNearestPictures))
        stop_search(frame, memory, question);
    if (memory.stopped && *memory.stopped != question) memory.stopped.reset();
    auto said =
        memory.stopped ? studies.last(kNearestPictures) : studies.ask(kNearestPictures, question);
    if (memory.stopped && is_whole_answer(said, question)) memory.stopped.reset();
    if (said && said->whole && said->error.empty()) memory.finished = said->question;
    if (!memory.stopped && (!said || !said->whole || said->question != question))
        frame.ui.await_work();
    return said;
}

void note_facts(const Frame& frame, NearestPicturesMemory& memory,
                const NearestPicturesQuestion& question) {
    const Look& look = frame.state.look;
    memory.facts = {
        {"folder", look.nearest_folder},
        {"compares", question.patch ? "the patches of each image with one patch" : "whole images"},
        {"features", question.layer
                         ? "after layer " + layer_number(*frame.trace.model, *question.layer)
                         : "at the end of the model"}};
    if (question.patch)
        memory.facts.push_back({"patch", patch_and_place(frame.trace, *question.patch)});
}

// ---- controls

void choose_layer(Frame& frame, ui::Flow& flow) {
    const bool end = frame.state.look.nearest_end;
    const Model& model = *frame.trace.model;
    const std::string after = "after layer " + layer_number(model, frame.trace.layer);
    const int chosen = buttons(frame, flow, "features.nearest.at", {after, "at the end"},
                               end ? 1 : 0, find_field("nearest_end")->help);
    if (chosen >= 0) frame.set("nearest_end", chosen == 1 ? "true" : "false");
    if (end || model.layers.size() < 2) return;
    const auto step = [&](const char* way, ui::Icon icon, const char* tip) {
        const ui::Rect place = flow.take(flow.rest().h);
        if (ui::button(frame.ui, std::string("features.nearest.layer.") + way, place, "",
                       ui::ButtonLook::plain, tip, icon))
            frame.say("layer", way);
    };
    step("previous", ui::Icon::previous, "Compares the features after the previous layer");
    step("next", ui::Icon::next, "Compares the features after the next layer");
}

void search_controls(Frame& frame, ui::Layout& rect) {
    const Look& look = frame.state.look;
    ui::Flow flow = flow_in(frame, rect);
    const std::string label =
        look.nearest_folder.empty() ? "Choose a folder…" : folder_name(look.nearest_folder) + "…";
    const ui::Rect place =
        flow.take(std::min(ui::button_width(frame.ui, label, ui::Icon::folder), rect.w));
    if (ui::button(frame.ui, "features.nearest.folder", place, label,
                   look.nearest_folder.empty() ? ui::ButtonLook::filled : ui::ButtonLook::outlined,
                   look.nearest_folder.empty()
                       ? "Chooses the folder to search"
                       : "Searches another folder than " + look.nearest_folder,
                   ui::Icon::folder))
        frame.say("show", "folder");
    const int by = buttons(frame, flow, "features.nearest.by", {"images", "patches"},
                           static_cast<int>(look.nearest_by), find_field("nearest_by")->help);
    if (by >= 0) frame.set("nearest_by", std::string(name_of(static_cast<NearestBy>(by))));
    choose_layer(frame, flow);
    rect.top(flow.bottom() - rect.y + frame.px(8));
}

// ---- progress and what was found

std::string words_of_search(const Frame& frame, const NearestPicturesQuestion& question,
                            const NearestFound& found) {
    const std::string folder = folder_name(frame.state.look.nearest_folder);
    const std::size_t shown = std::min(kMostShown, found.images.size());
    if (!question.patch)
        return fmt::format(
            "The {} most similar of {} in {}, by the cosine of their features. Click one to open "
            "it.",
            shown, counted(std::ssize(found.images), "image"), folder);
    return fmt::format(
        "The most similar patch of each image: the {} best of {} in {}. Point at a patch of this "
        "picture to compare it, or click it to keep it.",
        shown, counted(std::ssize(found.images), "image"), folder);
}

// A bar with a button to stop, or after that a button to go on.
void search_progress(Frame& frame, ui::Layout& rect, NearestPicturesMemory& memory,
                     const NearestPicturesQuestion& question, const NearestSaid& said) {
    const bool busy = studies_of(frame).busy(kNearestPictures), stopped = !!memory.stopped;
    frame.ui.report("features.nearest.state", busy ? "busy" : stopped ? "stopped" : "done");
    // A search from memory takes no time, and a row that comes and goes would only distract.
    const bool waits = busy && !(is_shown_for(said, question) && said->whole);
    if (!waits && !stopped) return;
    ui::Layout row = rect.row(8, 8);
    const std::string label = stopped ? "Continue" : "Stop";
    const bool pressed = row.button_right(
        stopped ? "features.nearest.continue" : "features.nearest.stop", label, 0,
        ui::ButtonLook::outlined,
        stopped ? "Compares the other images" : "Stops and shows what was found so far");
    row.skip_right(10);
    const std::size_t done =
        is_shown_for(said, question) ? said->answer.images.size() + said->answer.failed.size() : 0;
    const std::string words = (stopped ? "Stopped after " : "Comparing images: ") +
                              fmt::format("{} of {}.", done, count_of_others(question));
    const ui::TextStyle style = frame.small_dim();
    ui::Canvas canvas(frame.ui);
    canvas.label(row.left(canvas.measure(words, style) + frame.px(10)), words, style);
    if (!stopped)
        ui::progress_bar(frame.ui, {row.x, row.center().y - frame.px(3), row.w, frame.px(6)},
                         studies_of(frame).progress(kNearestPictures));
    if (!pressed) return;
    if (stopped)
        memory.stopped.reset();
    else
        stop_search(frame, memory, question);
    frame.ui.ask_for_frame();
}

void small_line(ui::Layout& rect, const std::string& words, ImU32 color) {
    if (words.empty()) return;
    const ui::TextStyle style{.size = ui::Size::small, .color = color};
    rect.paragraph(words, style, 4);
}

// Files that were left out, in one line; the reasons are in the tooltip.
void skipped_line(Frame& frame, ui::Layout& rect, const std::vector<FailedImage>& failed) {
    const std::string words = skipped_words(failed);
    frame.ui.report("features.nearest.skipped", words);
    if (words.empty()) return;
    const ui::Rect row = rect.row(0, 4);
    ui::Canvas(frame.ui).label(row, words,
                               {.size = ui::Size::small, .color = frame.colors().error});
    if (!row.contains(ImGui::GetIO().MousePos)) return;
    std::string reasons;
    for (std::size_t i = 0; i < std::min(failed.size(), kMostShown); ++i)
        reasons += (i == 0 ? "" : "\n") + failed[i].error;
    frame.ui.tooltip(reasons);
}

void report_found(Frame& frame, const NearestFound& found) {
    const auto cached = std::ranges::count(found.images, true, &NearestImage::from_cache);
    frame.ui.report("features.nearest.compared", std::to_string(found.images.size()));
    frame.ui.report("features.nearest.from_cache", std::to_string(cached));
    if (found.images.empty()) return;
    const NearestImage& best = found.images.front();
    frame.ui.report("features.nearest.best",
                    fmt::format("{} {} {}", best.cosine, best.patch, best.image));
}

// ---- pictures

// The picture that the others are compared with. The patch under the pointer is the next question.
void draw_own(Frame& frame, ui::Layout rect, NearestPicturesMemory& memory,
              const NearestPicturesQuestion& question) {
    ui::Canvas(frame.ui).label(rect.row(0, 4), "This picture",
                               {.face = ui::Face::bold, .size = ui::Size::small});
    const ui::Rect fitted = rect.fit(aspect_of(*frame.trace.image));
    const ui::Rect place{fitted.x, rect.y, fitted.w, fitted.h};
    PictureSpec spec{.name = "features.large", .interactive = question.patch.has_value()};
    if (question.patch)
        spec.token = static_cast<int>(token_of_row(frame.trace, Axis::patch, *question.patch));
    spec.words = [&](int patch) { return patch_and_place(frame.trace, patch); };
    draw_picture(frame, place, spec);
    std::optional<int> pointed;
    if (question.patch && ImGui::IsWindowHovered())
        pointed = patch_at(frame, place, ImGui::GetIO().MousePos);
    if (std::exchange(memory.pointed, pointed) != pointed) frame.ui.ask_for_frame();
}

void find_shown(NearestPicturesMemory& memory, const NearestSaid& said) {
    if (memory.shown_of == said) return;
    memory.shown_of = said;
    memory.shown.clear();
    for (const NearestImage& found : said->answer.images) {
        if (memory.shown.size() == kMostShown) break;
        const auto entry = std::ranges::find_if(
            *said->question.images,
            [&](const DirectoryEntry& image) { return image.path.string() == found.image; });
        if (entry != said->question.images->end()) memory.shown.push_back(*entry);
    }
}

void outline_found_patch(Frame& frame, const ui::Rect& place, const NearestImage& found) {
    if (found.patch < 0) return;
    const PixelRect r = found.grid.rect(found.patch);
    const float across = place.w / static_cast<float>(found.grid.image_width),
                down = place.h / static_cast<float>(found.grid.image_height);
    const ui::Rect patch{place.x + static_cast<float>(r.col) * across,
                         place.y + static_cast<float>(r.row) * down,
                         static_cast<float>(r.width) * across, static_cast<float>(r.height) * down};
    ui::Canvas(frame.ui).mark(patch.common(place), ui::dark_palette().accent, frame.px(2));
}

std::string tip_of_found(const NearestImage& found) {
    std::string tip = found.image + "\ncosine " + ui::number(found.cosine, 4);
    if (found.patch >= 0) tip += " at " + row_and_column(found.patch, found.grid.cols);
    return tip + "\nClick to open it";
}

void draw_found(Frame& frame, ui::Layout tile, std::size_t rank, const NearestImage& found,
                const std::shared_ptr<const Image>& picture) {
    ui::Canvas canvas(frame.ui);
    const auto mouse =
        ui::interact(frame.ui, fmt::format("features.nearest.{}", rank + 1), tile, ui::Stop::no);
    const float line = frame.line();
    const ui::TextStyle small{.size = ui::Size::small, .align = ui::Align::center};
    ui::TextStyle dim = small;
    dim.color = frame.colors().dim;
    canvas.label(tile.bottom(line), ui::number(found.cosine, 4), dim);
    canvas.label(tile.bottom(line), std::filesystem::path(found.image).filename().string(), small);
    if (picture) {
        const ui::Rect place = tile.fit(aspect_of(*picture));
        canvas.photo(place, photo(picture, true), frame.px(2));
        outline_found_patch(frame, place, found);
    } else {
        canvas.fill(tile, frame.colors().background, frame.px(3));
    }
    if (!mouse.hovered) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    canvas.outline(tile.inset(-frame.px(2)), frame.colors().dim, frame.px(2), frame.px(3));
    frame.ui.tooltip(tip_of_found(found));
    if (mouse.clicked) frame.say("open", found.image);
}

// As large as all of them fit.
void draw_images(Frame& frame, const ui::Rect& rect, NearestPicturesMemory& memory,
                 const NearestSaid& said) {
    memory.area = rect;
    frame.ui.name(kNearestWidget, {rect, {}});
    find_shown(memory, said);
    const auto count = static_cast<int>(memory.shown.size());
    const auto pictures = studies_of(frame).ask(
        kSmallPictures,
        SmallPicturesQuestion{said->question.trace->model, said->question.recipe, memory.shown});
    const float gap = frame.px(12);
    const Tiling tiles = largest_tiles(frame, rect, count, 1, gap, count, 2);
    const float size = tiles.tall, words = frame.line() * 2;
    if (size < 1) return;
    for (int i = 0; i < count; ++i) {
        const auto c = static_cast<float>(i % tiles.across),
                   r = static_cast<float>(i / tiles.across);
        const auto rank = static_cast<std::size_t>(i);
        std::shared_ptr<const Image> picture;
        if (pictures) {
            const auto& known = pictures->answer.images;
            const auto there = known.find(memory.shown[rank].path);
            if (there != known.end()) picture = there->second;
        }
        draw_found(
            frame,
            {frame.ui,
             {rect.x + c * (size + gap), rect.y + r * (size + words + gap), size, size + words}},
            rank, said->answer.images[rank], picture);
    }
}

void say_instead_of_images(Frame& frame, const ui::Rect& rect, const std::string& words) {
    ui::Canvas(frame.ui).wrapped(rect, words, {.color = frame.colors().dim});
    frame.ui.report("features.instead", words);
}

void draw_search(Frame& frame, ui::Layout rect, NearestPicturesMemory& memory,
                 const NearestPicturesQuestion& question, const NearestSaid& said) {
    const bool own = is_shown_for(said, question);
    if (own) {
        report_found(frame, said->answer);
        skipped_line(frame, rect, said->answer.failed);
        small_line(rect, said->answer.cache_problem, frame.colors().error);
        if (const std::string why = why_none_found(*said); !why.empty())
            return say_instead_of_images(frame, rect, why);
        if (!said->answer.images.empty())
            small_line(rect, words_of_search(frame, question, said->answer), frame.colors().dim);
    }
    rect.skip_top(6);
    ui::Layout right = rect;
    draw_own(frame, right.left(rect.w * 0.34F, 20), memory, question);
    if (own && !said->answer.images.empty()) draw_images(frame, right, memory, said);
}

}  // namespace

void nearest_pictures(Frame& frame, ui::Layout rect) {
    auto& memory = frame.memory.own<NearestPicturesMemory>();
    memory.area = {};
    read_images(frame, memory);
    if (const std::string why = why_no_features(frame.trace, FeatureView::nearest); !why.empty())
        return say_instead_of_images(frame, rect, why);
    search_controls(frame, rect);
    if (const std::string why = why_no_search(frame, memory); !why.empty())
        return say_instead_of_images(frame, rect, why);
    const NearestPicturesQuestion question = asked_of_folder(frame, memory);
    const NearestSaid said = search_folder(frame, memory, question);
    note_facts(frame, memory, question);
    search_progress(frame, rect, memory, question, said);
    draw_search(frame, rect, memory, question, said);
}

bool is_of_nearest_pictures(Frame& frame, const std::string& name) {
    if (name == kNearestWidget) return true;
    const auto& memory = frame.memory.own<NearestPicturesMemory>();
    return name.empty() && frame.work.panel() == Panel::features &&
           frame.state.look.features == FeatureView::nearest &&
           memory.area.contains(ImGui::GetIO().MousePos);
}

void export_nearest_pictures(Frame& frame) {
    auto& exported = frame.memory.own<Export>();
    auto& memory = frame.memory.own<NearestPicturesMemory>();
    read_images(frame, memory);
    exported.computing = false;
    exported.refusal = why_no_search(frame, memory);
    if (memory.folder.reader.reading() || !frame.work.complete()) {
        exported.refusal.clear();
        exported.computing = true;
    }
    if (exported.computing || !exported.refusal.empty()) return;
    const NearestPicturesQuestion question = asked_of_folder(frame, memory);
    const NearestSaid said = search_folder(frame, memory, question);
    note_facts(frame, memory, question);
    if (memory.stopped) {
        exported.refusal =
            "The search was stopped. Choose Continue, and save again when it is done.";
    } else if (!is_whole_answer(said, question)) {
        exported.computing = true;
    } else {
        exported.refusal = why_none_found(*said);
        if (exported.refusal.empty()) exported.table = nearest_table(question, said->answer);
    }
}

Facts nearest_pictures_facts(Memory& memory) { return memory.own<NearestPicturesMemory>().facts; }

}  // namespace headlight::screens
