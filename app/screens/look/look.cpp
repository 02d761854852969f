#include "look/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "frame/lecture_head.h"
#include "frame/notice_bar.h"
#include "frame/picture.h"
#include "look/view.h"
#include "program/ordinals.h"
#include "state/all_heads.h"

namespace headlight::screens {

namespace {

constexpr float kPicture = 0.72F;      // fraction of the screen's height with its top bar
constexpr float kTextOfPicture = 640;  // minimum width in units for large sentences
constexpr float kWidest = 1e6F;        // no limit for a column
constexpr const char* kHowToLook =
    "Each head decides in its own way how much a patch attends to every other patch. "
    "Move the pointer over the picture: all heads follow. Click a head to see it large.";
constexpr const char* kOfArrow = "Arrow: the model's own answer · ";
constexpr const char* kOfShapes = "Wheel: resize · Shift-drag: turn · Double-click: kind and color";
constexpr const char* kOfShapesShort = "Wheel: resize · Shift-drag: turn";

// Keys of Walk: here, arrows move the patch, and the others do nothing.
constexpr std::array<std::string_view, 10> kKeys{"←",    "→",   "↑",     "↓",      "Enter",
                                                 "Home", "End", "Space", "PageUp", "PageDown"};

// ---- keys

void move_patch(Frame& frame, LookMemory& memory, const LookView& view, int down, int right) {
    const PatchGrid& grid = frame.trace.grid;
    const auto count = static_cast<int>(frame.trace.shape.queries);
    int token = view.token + (down + right > 0 ? 1 : -1);  // for tokens without a grid
    if (!is_cross(frame.trace) && grid.count() > 0) {
        const auto patch = static_cast<int>(row_of_token(frame.trace, Axis::patch, view.token));
        const int row = patch < 0 ? 0 : std::clamp(patch / grid.cols + down, 0, grid.rows - 1),
                  col = patch < 0 ? 0 : std::clamp(patch % grid.cols + right, 0, grid.cols - 1);
        token = static_cast<int>(token_of_row(frame.trace, Axis::patch, row * grid.cols + col));
    }
    memory.moves_at_key = frame.ui.pointer_moves();
    frame.say("focus", std::to_string(std::clamp(token, 0, count - 1)));
}

void open_walk(Frame& frame, const LookView& view) {
    const Selection& s = frame.state.selection;
    if (view.token != s.token || !s.token_chosen) frame.say("focus", std::to_string(view.token));
    frame.say("open-head", layer_number(*frame.trace.model, view.chosen.layer),
              std::to_string(view.chosen.head + 1));
}

void take_keys(Frame& frame, LookMemory& memory, const LookView& view) {
    const auto pressed = [&](ImGuiKey key) { return frame.ui.key_pressed(key); };
    if (pressed(ImGuiKey_UpArrow)) move_patch(frame, memory, view, -1, 0);
    if (pressed(ImGuiKey_DownArrow)) move_patch(frame, memory, view, 1, 0);
    if (pressed(ImGuiKey_LeftArrow)) move_patch(frame, memory, view, 0, -1);
    if (pressed(ImGuiKey_RightArrow)) move_patch(frame, memory, view, 0, 1);
    if (pressed(ImGuiKey_Enter) && !frame.ui.stop_marked()) open_walk(frame, view);
}

// ---- the picture and its sentences

void picture(Frame& frame, const ui::Rect& place, const LookView& view,
             const std::vector<std::pair<Index, float>>& nearest) {
    const Shown map = shown_map(frame, view, view.shown);
    PictureSpec spec{.name = kMainPicture, .opacity = kMapOpacity};
    if (!map.cells.empty()) spec.overlay = &map;
    spec.editable = true;
    spec.softened = true;
    spec.tips = false;
    const bool other_grid = frame.trace.model && frame.trace.model->has_merges();
    if (other_grid) spec.patches = &patch_grid_of(frame, view.shown.layer);
    std::vector<TokenMark> marks;
    const bool same = !other_grid || *spec.patches == frame.trace.grid;
    if (same)
        for (const auto& [token, cosine] : nearest)
            marks.push_back({static_cast<int>(token), ui::dark_palette().hue(ui::Hue::key)});
    if (!is_cross(frame.trace) && same) marks.push_back({view.token, IM_COL32_WHITE});
    spec.marks = marks;
    draw_picture(frame, place, spec);
    frame.picture_tools.draw_over(frame, place);
}

bool is_roomy(const Frame& frame, float width) {
    return !frame.small && width >= frame.px(kTextOfPicture) * frame.ui.text_scale();
}

// Reserves this many lines for sentences, so that nothing moves with the pointer.
float lines_height(Frame& frame, float lines, const ui::TextStyle& style) {
    return ui::Canvas(frame.ui).wrapped_step(style) * lines;
}

float title_height(const Frame& frame) { return frame.line(ui::Size::large) + frame.px(4); }

bool is_wide_phone(const Frame& frame, float width) {
    return frame.small && width >= frame.px(480);
}

float answer_lines(Frame& frame, const Runs& answer, float width) {
    if (answer.empty()) return 0;
    if (is_wide_phone(frame, width)) return 1;
    const ui::TextStyle style = lead_style(frame, width);
    const float one = lines_height(frame, 1, style);
    return frame.recipe.scene && frame.trace.image
               ? std::max(1.0F, std::round(runs_height(frame, width, answer, style) / one))
               : 2;
}

// Without the last sentences if they do not fit. A run that ends a sentence ends in a period.
Runs sentences_that_fit(Frame& frame, const ui::Rect& place, Runs runs,
                        const ui::TextStyle& style) {
    const auto fits = [&] { return runs_height(frame, place.w, runs, style) <= place.h + 1; };
    while (!fits()) {
        Runs fewer = runs;
        fewer.pop_back();
        while (!fewer.empty() && !fewer.back().text.ends_with('.')) fewer.pop_back();
        if (fewer.empty()) return runs;
        runs = std::move(fewer);
    }
    return runs;
}

float caption_lines(const Frame& frame, float width) {
    if (frame.small) return is_wide_phone(frame, width) ? 2 : 4;
    return frame.state.look.lecture || (frame.recipe.scene && is_roomy(frame, width)) ? 2 : 3;
}

float shapes_line(const Frame& frame) {
    const bool shown =
        frame.recipe.scene && !frame.state.look.lecture && !frame.small && !frame.before();
    return shown ? frame.line() : 0;
}

// The size of the picture in a column of that size.
ImVec2 picture_size(Frame& frame, ImVec2 room, const Runs& answer) {
    const float aspect = aspect_of(*frame.trace.image);
    ImVec2 size{0, 0};
    float width = room.x;
    bool roomy = true;
    for (int pass = 0; pass < 2; ++pass) {
        roomy = is_roomy(frame, width);
        const ui::TextStyle style = lead_style(frame, width);
        const float words =
            title_height(frame) + frame.px(26) +
            lines_height(frame, answer_lines(frame, answer, width) + caption_lines(frame, width),
                         style) +
            shapes_line(frame);
        float tall = std::max(0.0F, room.y - words);
        tall = std::min(tall, ImGui::GetIO().DisplaySize.y * kPicture);
        size = {std::min(room.x, tall * aspect), 0};
        size.y = size.x / aspect;
        width = std::max(size.x, std::min(room.x, frame.px(320)));
    }
    // Sized for small sentences, it must not be so wide that they become large.
    if (!roomy && is_roomy(frame, size.x)) {
        size.x = frame.px(kTextOfPicture) * frame.ui.text_scale() - 1;
        size.y = size.x / aspect;
    }
    return size;
}

void say_answer(Frame& frame, ui::Layout& rest, const Runs& answer, float width) {
    ui::TextStyle style = lead_style(frame, width);
    style.color = frame.colors().dim;
    const ui::Rect place =
        rest.top(lines_height(frame, answer_lines(frame, answer, width), style), 12);
    draw_runs(frame, place, sentences_that_fit(frame, place, answer, style), style);
    frame.ui.keep_clear(place);
    frame.ui.report("look.answer", text_of(answer));
    if (place.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered() && !answer.empty())
        frame.ui.tooltip("Computed from this picture, and recomputed whenever it changes");
}

void say_below(Frame& frame, ui::Layout rest, const LookView& view, float width) {
    rest.skip_top(10);
    ui::TextStyle style = lead_style(frame, width);
    style.color = frame.colors().dim;
    const Runs caption = caption_runs(frame, view);
    const ui::Rect place = rest.top(lines_height(frame, caption_lines(frame, width), style));
    draw_runs(frame, place, sentences_that_fit(frame, place, caption, style), style);
    frame.ui.report("look.caption", text_of(caption));
    if (place.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered() && !caption.empty())
        frame.ui.tooltip("Sums of attention weights, which add up to 1 over all tokens");
    if (shapes_line(frame) > 0 && rest.h >= frame.line()) {
        ui::Canvas canvas(frame.ui);
        const std::string arrow = frame.picture_tools.has_arrow(frame) ? kOfArrow : "";
        label_that_fits(canvas, rest.row(), {arrow + kOfShapes, arrow + kOfShapesShort},
                        frame.small_dim());
    }
}

// ---- the heads

struct Action {
    const char *name, *label;
    ui::ButtonLook look;
    const char* tip;
};
constexpr std::array kActions{
    Action{"look.walk", "Walk through this head", ui::ButtonLook::filled,
           "Shows how this head's attention is computed, step by step   Enter"},
    Action{"look.photo", "Try your own photograph…", ui::ButtonLook::outlined,
           "Opens an image, a scene, a model or tokens   Ctrl+O"},
    Action{"look.lesson", "Start the first lesson", ui::ButtonLook::outlined,
           "Opens the first lesson beside the program, which stays live"}};

// The rectangles of kActions from the top down, in as many rows as needed.
std::vector<ui::Rect> action_places(Frame& frame, const ui::Rect& room) {
    const float gap = frame.px(8), high = frame.line(ui::Size::body) + frame.px(14);
    std::vector<ui::Rect> places;
    float x = room.x, y = room.y;
    for (const Action& action : kActions) {
        const float wide = std::min(ui::button_width(frame.ui, action.label), room.w);
        if (x > room.x && x + wide > room.x + room.w) {
            x = room.x;
            y += high + gap;
        }
        places.push_back({x, y, wide, high});
        x += wide + gap;
    }
    return places;
}

void start_first_lesson(Frame& frame) {
    const auto& lessons = frame.reader->listed();
    lessons.empty() ? frame.set("screen", "lessons")
                    : frame.say("lesson", lessons.front().file, "1");
}

void actions(Frame& frame, const std::vector<ui::Rect>& places, float down, const LookView& view) {
    const bool has_lessons = !frame.in_lesson() && frame.reader != nullptr;
    for (std::size_t i = 0; i < kActions.size() - (has_lessons ? 0 : 1); ++i) {
        const auto& [name, label, look, tip] = kActions[i];
        ui::Rect place = places[i];
        place.y += down;
        if (!ui::button(frame.ui, name, place, label, look, tip)) continue;
        if (i == 0) open_walk(frame, view);
        if (i == 1) frame.say("show", "files");
        if (i == 2) start_first_lesson(frame);
    }
}

// At the bottom; takes its space off the room.
void actions_below(Frame& frame, ui::Layout& room, const LookView& view) {
    const std::vector<ui::Rect> places = action_places(frame, room);
    const float top = room.y, high = places.back().y + places.back().h - top;
    const float down = room.bottom(high, 10).y - top;
    actions(frame, places, down, view);
}

// For lecture view and phones: text has the full width, and the picture the remaining height. In a
// lesson the question and the caption are the stop's.
void look_from_afar(Frame& frame, ui::Layout body, const LookView& view, LookMemory& memory,
                    const Runs& answer) {
    const bool words = frame.beside <= 0 && !(frame.small && frame.in_lesson());
    if (words) say_question(frame, body);
    if (words || !frame.small) say_answer(frame, body, answer, body.w);
    if (words && frame.small) actions_below(frame, body, view);
    const float aspect = aspect_of(*frame.trace.image);
    const float caption =
        lines_height(frame, caption_lines(frame, body.w), lead_style(frame, body.w)) + frame.px(10);
    const float share = words ? 0.56F : 0.64F;
    if (words) say_below(frame, body.bottom(caption), view, body.w);
    const float width = std::min(body.h * aspect, body.w * share);
    const ui::Rect place = body.left(width, words ? 32 : 20);
    if (!place.empty())
        picture(frame, {place.x, place.y, place.w, place.w / aspect}, view,
                nearest_to(frame, memory, view.token));
    if (!body.empty()) heads_column(frame, body, view, memory, "picture");
}

// The picture beside the heads or, in a portrait window, above them.
void look_at_picture(Frame& frame, ui::Rect rect, const LookView& view, LookMemory& memory) {
    const float pad = frame.px(rect.w > frame.px(1400) ? 48 : 20);
    ui::Layout body(frame.ui, rect.inset(pad, frame.px(14)));
    const Runs answer = answer_runs(frame, memory, view);
    if (frame.state.look.lecture || frame.small)
        return look_from_afar(frame, body, view, memory, answer);
    const bool beside = rect.w > rect.h * 1.1F;
    const ImVec2 room = beside ? ImVec2{body.w * 0.56F, body.h} : ImVec2{body.w, body.h * 0.6F};
    const ImVec2 size = picture_size(frame, room, answer);
    const float width = std::max(size.x, std::min(room.x, frame.px(320)));
    ui::Layout left(frame.ui, beside ? body.left(width) : body.top(room.y));
    if (beside)
        body.left(frame.px(body.w > frame.px(640) ? 56 : 24));
    else
        body.skip_top(8);
    say_question(frame, left);
    say_answer(frame, left, answer, width);
    ui::Layout place = left.top(size.y);
    place.w = size.x;
    if (!place.empty()) picture(frame, place, view, nearest_to(frame, memory, view.token));
    say_below(frame, left, view, width);
    if (!body.empty()) heads_column(frame, body, view, memory, "picture");
}

// A message if there is nothing to show: why, and what to do.
void say_instead(Frame& frame, const ui::Rect& rect, const std::string& words,
                 const std::string& label, const Command& command) {
    const float line = frame.line(ui::Size::body), high = line + frame.px(10);
    const ImVec2 middle = rect.center();
    ui::Canvas(frame.ui).label(
        {rect.x, middle.y - line * 2, rect.w, line}, words,
        {.size = ui::Size::body, .color = frame.colors().dim, .align = ui::Align::center});
    frame.ui.report("look.instead", words);
    const float wide = ui::button_width(frame.ui, label);
    if (ui::button(frame.ui, "look.go", {middle.x - wide / 2, middle.y, wide, high}, label,
                   ui::ButtonLook::filled))
        frame.out.push_back(command);
}

// Selects the clicked head once its layer is computed, which may have more heads than the current
// one.
void choose_awaited(Frame& frame, LookMemory& memory) {
    if (!memory.awaited || memory.awaited->layer != frame.trace.layer) return;
    frame.say("head", std::to_string(memory.awaited->head + 1));
    memory.awaited.reset();
}

void show(Frame& frame, const ui::Rect& rect, LookMemory& memory) {
    const Trace& trace = frame.trace;
    const int transformers = trace.model ? trace.model->token_transformers() : 0;
    if (trace.layer < transformers)
        return say_instead(frame, rect,
                           "This screen shows the layers after the token transformers, which use "
                           "different tokens.",
                           "Look at the first layer",
                           command("layer", layer_number(*trace.model, transformers)));
    LookView view = view_of(frame, memory);
    if (view.count() == 0)
        return say_instead(frame, rect, "There are no attention weights to show here.",
                           "Walk through the steps", command("set", "screen", "walk"));
    take_keys(frame, memory, view);
    trace.image ? look_at_picture(frame, rect, view, memory)
                : look_at_given(frame, rect, view, memory);
    frame.ui.report("look.head", fmt::format("{} {}", layer_number(*trace.model, view.shown.layer),
                                             view.shown.head + 1));
    frame.ui.report("look.heads.count", std::to_string(view.count()));
    frame.ui.report("look.token", std::to_string(view.token));
    constexpr std::array<const char*, 3> kAsking{"hovered", "pinned", "usual"};
    frame.ui.report("look.asking", kAsking.at(static_cast<std::size_t>(view.asking)));
}

}  // namespace

ui::TextStyle lead_style(const Frame& frame, float width) {
    if (!is_roomy(frame, width)) return {.size = ui::Size::body};
    return {.size = ui::Size::large, .pixels = frame.ui.fonts().pixels(ui::Size::large) * 0.75F};
}

void say_question(Frame& frame, ui::Layout& rest) {
    ui::Canvas canvas(frame.ui);
    const std::string question = question_words(frame);
    ui::TextStyle bold{.face = ui::Face::bold, .size = ui::Size::large};
    ui::Rect title = rest.top(title_height(frame));
    if (frame.state.look.lecture) title.w -= lecture_exit_width(frame);
    if (canvas.measure(question, bold) > title.w) bold.size = ui::Size::body;
    canvas.label(title, question, bold);
    frame.ui.report("look.question", question);
}

void heads_column(Frame& frame, ui::Layout rest, const LookView& view, LookMemory& memory,
                  const std::string& what) {
    const std::string title = heads_title(view.count(), what);
    frame.ui.report("look.title", title);
    if (!frame.state.look.lecture && !frame.small) {
        const ui::TextStyle bold{.face = ui::Face::bold,
                                 .size = ui::Size::large,
                                 .pixels = lead_style(frame, kWidest).pixels};
        rest.paragraph(title, bold);
        if (frame.trace.image)
            rest.paragraph(kHowToLook, {.size = ui::Size::body, .color = frame.colors().dim});
        rest.skip_top(8);
        actions_below(frame, rest, view);
    }
    heads_grid_of_look(frame, rest, view, memory);
}

void look(Frame& frame, ui::Layout rect) {
    const ui::Rect all = rect;
    auto& memory = frame.memory.own<LookMemory>();
    memory.next_hovered.reset();
    choose_awaited(frame, memory);
    if (frame.state.look.lecture && frame.in_lesson())
        lecture_head(frame, rect, frame.reader->stop().title);
    frame.ui.begin_stops();  // Tab visits the buttons
    show(frame, rect, memory);
    frame.ui.end_stops();
    notice_bar(frame, all);
    if (frame.memory.pointer_rests) memory.next_hovered.reset();
    if (memory.hovered != memory.next_hovered) frame.ui.ask_for_frame();
    memory.hovered = memory.next_hovered;
}

void look_left(Memory& memory) { memory.own<LookMemory>() = {}; }

bool look_takes_key(Memory& /*memory*/, std::string_view key) {
    return std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace headlight::screens
