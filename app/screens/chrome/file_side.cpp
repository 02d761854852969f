#include "chrome/file_browsing.h"
#include "disk/names.h"
#include "disk/size_text.h"
#include "frame/photo.h"

namespace headlight::screens {

using ui::Canvas;
using ui::Rect;
using ui::Size;

namespace {

// A row of the left column: its icon's square and its text. The caller draws the icon.
struct SideRow {
    Rect picture;
    bool hovered = false, clicked = false;
};
SideRow side_row(const Browsing& b, const std::string& name, ui::Layout& rest,
                 std::string_view text, bool chosen) {
    ui::Layout row = rest.top(b.ui.line(Size::small) + b.px(8));
    const auto state = ui::interact(b.ui, name, row);
    if (state.hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        Canvas(b.ui).fill(row, b.colors().hover, b.px(6));
    }
    row = row.inset(b.px(8), 0);
    const Rect picture = row.left(row.h - b.px(8), 8);
    Canvas canvas(b.ui);
    canvas.label(row, text,
                 style_that_fits(canvas, text,
                                 {.color = chosen ? b.colors().accent : b.colors().text}, row.w));
    return {picture.inset(0, b.px(4)), state.hovered, state.clicked};
}

// An icon: rows of numbers.
void draw_tokens_sign(const Browsing& b, const Rect& rect) {
    Canvas canvas(b.ui);
    const Rect place = rect.fit(1);
    const float cell = place.w / 3, side = cell * 0.72F;
    for (int row = 0; row < 3; ++row)
        for (int col = 0; col < 3; ++col)
            canvas.fill({place.x + static_cast<float>(col) * cell,
                         place.y + static_cast<float>(row) * cell, side, side},
                        ui::with_alpha(b.colors().hue(ui::Hue::token),
                                       (row + 2 * col) % 3 == 0 ? 0.95F : 0.5F));
}

void side_caption(const Browsing& b, ui::Layout& rest, std::string_view text) {
    Rect row = rest.top(b.ui.line(Size::small) + b.px(8));
    Canvas(b.ui).caption(row.inset(b.px(8), 0), text);
}

void side_file(const Browsing& b, const std::string& name, ui::Layout& rest,
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

void side_tokens(const Browsing& b, const std::string& name, ui::Layout& rest,
                 const DirectoryEntry& entry) {
    const SideRow row = side_row(b, name, rest, entry.name, is_shown(b, entry));
    draw_tokens_sign(b, row.picture);
    if (row.hovered)
        b.ui.tooltip(entry.path.string() + "\nTokens · " + bytes_in_words(entry.bytes));
    if (row.clicked) b.open_tokens(entry.path);
}

void side_scene(const Browsing& b, const std::string& name, ui::Layout& rest,
                const SampleScene& sample) {
    const bool shown = b.work.state().recipe.scene == sample.scene;
    const SideRow row = side_row(b, name, rest, sample.label, shown);
    Canvas(b.ui).photo(row.picture.fit(1), photo(sample.picture, true), b.px(3));
    if (row.hovered)
        b.ui.tooltip("Draws shapes that you can move, rotate and recolor on the picture");
    if (row.clicked) b.open_scene(std::to_string(sample.number));
}

// Scenes, which need no file. They come first, so that there is always a way back.
void side_scenes(const Browsing& b, ui::Layout& rest) {
    side_caption(b, rest, "SCENES OF SHAPES");
    for (std::size_t i = 0; i < b.browser.scenes.size(); ++i)
        side_scene(b, "files.scene." + std::to_string(i + 1), rest, b.browser.scenes[i]);
    const SideRow row = side_row(b, "files.scene.random", rest, "A random scene", false);
    Canvas canvas(b.ui);
    ui::icon(canvas, ui::Icon::next, row.picture.center(), row.picture.h * 0.6F, b.colors().dim);
    if (row.clicked) b.open_scene("random");
    rest.skip_top(16);
}

void side_examples(const Browsing& b, ui::Layout& rest) {
    if (b.browser.gallery.empty()) return;
    side_caption(b, rest, "EXAMPLES");
    const SideRow row =
        side_row(b, "files.examples", rest, "All examples", b.browser.examples_shown);
    Canvas canvas(b.ui);
    ui::icon(canvas, ui::Icon::play, row.picture.center(), row.picture.h * 0.6F,
             b.browser.examples_shown ? b.colors().accent : b.colors().dim);
    if (row.clicked) b.out.push_back(command("show", "examples"));
    rest.skip_top(16);
}

void side_picked(const Browsing& b, ui::Layout& rest) {
    const float high = b.ui.line(Size::body) + b.px(14);
    if (ui::button(b.ui, "files.pick", rest.top(high, 16), "Choose a file…", ui::ButtonLook::filled,
                   "Opens images, scenes, models or lessons. You can also drop them here.",
                   ui::Icon::folder))
        b.out.push_back(command("pick-file"));
}

void side_place(const Browsing& b, const std::string& name, ui::Layout& rest,
                const FilePlace& place) {
    const bool here = !b.browser.examples_shown && place.path == b.browser.reader.path();
    const SideRow row = side_row(b, name, rest, place.label, here);
    Canvas canvas(b.ui);
    ui::icon(canvas, ui::Icon::folder, row.picture.center(), row.picture.h * 0.75F,
             here ? b.colors().accent : b.colors().dim);
    if (row.hovered) b.ui.tooltip(place.path.string());
    if (row.clicked) b.go(place.path);
}

void side_places(const Browsing& b, ui::Layout& rest) {
    side_caption(b, rest, "PLACES");
    for (const FilePlace& place : b.browser.places)
        side_place(b, "files.place." + place.label, rest, place);
}

// Everything that can be shown: examples, scenes, models, pictures and tokens.
void side_files(const Browsing& b, ui::Layout& rest) {
    const FileBrowser& browser = b.browser;
    side_examples(b, rest);
    side_scenes(b, rest);
    const auto list = [&](const char* caption, const std::string& name,
                          const std::vector<DirectoryEntry>& entries, auto* draw) {
        if (!entries.empty()) side_caption(b, rest, caption);
        int number = 0;
        for (const DirectoryEntry& entry : entries) {
            ++number;
            const bool sample = &entries == &browser.samples;
            draw(b, name + (sample ? entry.name : std::to_string(number)), rest, entry);
        }
        if (!entries.empty()) rest.skip_top(16);
    };
    list("RECENT MODELS", "files.recent-model.", browser.recent_models, side_file);
    list("RECENT IMAGES", "files.recent.", browser.recent, side_file);
    list("RECENT TOKENS", "files.recent-tokens.", browser.recent_tokens, side_tokens);
    list("SAMPLES", "files.sample.", browser.samples, side_file);
}

}  // namespace

void file_side(const Browsing& b, const Rect& rect) {
    begin_scrolling("files.side", rect);
    const float top = ImGui::GetCursorScreenPos().y;
    ui::Layout rest(b.ui, {rect.x, top, rect.w - ImGui::GetStyle().ScrollbarSize, 1e6F});
    if (b.has_dialog()) side_picked(b, rest);
    if (!b.of_one_kind()) side_files(b, rest);
    if (!b.has_dialog()) side_places(b, rest);
    end_scrolling(rest.y - top);
}

}  // namespace headlight::screens
