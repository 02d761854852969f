#include "heads/heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "encoder/run_scene.h"
#include "frame/head_switch.h"
#include "frame/notice_bar.h"
#include "frame/value_text.h"
#include "heads/asked.h"
#include "heads/baseline.h"
#include "heads/export.h"
#include "heads/given.h"
#include "heads/hues.h"
#include "heads/in_memory.h"
#include "heads/memory.h"
#include "heads/patched.h"
#include "heads/strip.h"
#include "heads/view.h"
#include "program/ordinals.h"
#include "state/image_folder.h"
#include "ui/progress_bar.h"

namespace headlight::screens {

namespace {

constexpr float kNarrowest = 560;  // units, for maps with cards beside them

// Keys of this screen: arrows move from map to map, Enter opens Walk.
constexpr std::array<std::string_view, 10> kKeys{"←",    "→",   "↑",     "↓",      "Enter",
                                                 "Home", "End", "Space", "PageUp", "PageDown"};

// Opens Walk at the selected head; Escape returns.
void open_chosen(Frame& frame) {
    frame.say("open-head", layer_number(*frame.trace.model, frame.trace.layer),
              std::to_string(frame.state.selection.head + 1));
}

void take_keys(Frame& frame, HeadsMemory& memory) {
    if (std::exchange(memory.leave_stops, false)) frame.ui.leave_stops();
    memory.stop_marked = frame.ui.stop_marked();
    if (frame.ui.key_pressed(ImGuiKey_LeftArrow)) frame.say("head", "previous");
    if (frame.ui.key_pressed(ImGuiKey_RightArrow)) frame.say("head", "next");
    if (frame.ui.key_pressed(ImGuiKey_UpArrow)) frame.say("layer", "previous");
    if (frame.ui.key_pressed(ImGuiKey_DownArrow)) frame.say("layer", "next");
    if (frame.ui.key_pressed(ImGuiKey_Enter) && !frame.ui.stop_marked()) open_chosen(frame);
    if (frame.ui.key_pressed(ImGuiKey_PageUp)) step_image(frame, -1);
    if (frame.ui.key_pressed(ImGuiKey_PageDown)) step_image(frame, 1);
}

// T2T's token transformers have tokens of their own, which the layers know nothing of.
bool is_before_the_layers(const Frame& frame) {
    return frame.trace.layer < frame.trace.model->token_transformers();
}

void other_tokens(Frame& frame, const ui::Rect& rect) {
    const ui::Rect middle{rect.x, rect.center().y - frame.line() * 2, rect.w, frame.line() * 4};
    ui::Layout lines(frame.ui, middle);
    say_instead(frame, lines.top(frame.line() * 2),
                "The token transformers use different tokens from the layers that this screen "
                "shows.",
                "heads.instead");
    const std::string label = "Go to the first layer";
    const float width = ui::button_width(frame.ui, label);
    if (ui::button(frame.ui, "heads.go",
                   {rect.center().x - width / 2, lines.y, width, frame.line() * 1.6F}, label))
        frame.say("layer", "1");
}

// How many maps are shown, and what they took; those of a query that stays are there already.
std::string work_done(const HeadsView& view) {
    const std::size_t shown = view.tiles.size() * view.tokens.size();
    const auto made = static_cast<std::size_t>(view.all().made);
    const std::string maps = std::to_string(shown) + (shown == 1 ? " map" : " maps");
    if (made == 0) return maps;
    return maps + (made < shown ? ", " + std::to_string(made) + " new" : "") + " in " +
           ui::number(view.all().milliseconds, 2) + " ms";
}

// The model's answer, which switching heads off may change, and its brief form; empty without one.
struct AnswerWords {
    std::string words, brief;
};
AnswerWords answer_words(const Frame& frame) {
    if (frame.summary.top.empty()) return {};
    const Prediction& best = frame.summary.top.front();
    if (std::isnan(best.probability))
        return {"The model gives no answer: its logits are not numbers.", "no answer"};
    const std::string name = class_name(*frame.trace.model, best.index),
                      percent = percent_of(best.probability);
    return {frame.of_after(fmt::format("The model answers {}, {} sure.", name, percent)),
            frame.of_after(fmt::format("{}, {}", name, percent))};
}

std::string what_is_copied(const HeadsView& view) {
    return view.difference ? "Copies a table for a spreadsheet: each head before and after, the "
                             "difference, and how similar its two maps are"
                           : "Copies a table for a spreadsheet: the numbers of each head over all "
                             "queries";
}

// Buttons in the drawer that copy and save the maps.
void save_buttons(Frame& frame, ui::Layout& rect, const HeadsView& view) {
    const auto pressed = [&](const char* name, const std::string& label, const std::string& tip) {
        const ui::Rect place =
            rect.right(ui::button_width(frame.ui, label), 8).inset(0, frame.px(2));
        return ui::button(frame.ui, name, place, label, ui::ButtonLook::outlined, tip);
    };
    if (pressed("heads.save", "Save the maps",
                "Saves a figure as SVG. “Figure…” lets you choose layers and heads"))
        frame.say("export", "svg", "heads.grid");
    if (pressed("heads.figure", "Figure…", "Chooses maps, captions and sizes, with a preview   F"))
        frame.say("show", "figure");
    if (pressed("heads.features", "Features…", "Shows the features of every patch, layer by layer"))
        frame.say("show", "features");
    if (pressed("heads.copy", "Copy the numbers", what_is_copied(view)))
        frame.say("copy", "numbers");
    // The way to the other images of the same folder.
    const bool has_folder = !shows_folder(frame) && !folder_of(frame.state.recipe).empty();
    if (has_folder && pressed("heads.folder.show", "Folder…",
                              "Shows all images of this picture's folder in a row, and how the "
                              "heads behave on them"))
        frame.set("folder_shown", "true");
    rect.skip_right(4);
}

void foot(Frame& frame, ui::Layout rect, const HeadsView& view) {
    ui::Canvas canvas(frame.ui);
    canvas.line({rect.x, rect.y}, {rect.x + rect.w, rect.y}, frame.colors().border);
    rect = rect.inset(frame.px(16), 0);
    const ui::TextStyle style{.color = frame.colors().dim};
    const AnswerWords answer = answer_words(frame);
    if (!answer.words.empty()) frame.ui.report("heads.answer", answer.words);
    ui::TextStyle right{.face = ui::Face::bold, .align = ui::Align::right};
    if (view.stale) right.color = frame.colors().dim;
    if (frame.state.look.heads_tools) save_buttons(frame, rect, view);
    const std::string told = view.stale ? "computing…"
                                        : first_that_fits(canvas, {answer.words, answer.brief},
                                                          right, rect.w - frame.px(16));
    const ui::Rect said = rect.right(canvas.measure(told, right) + frame.px(16));
    canvas.label(said, told, right);
    if (said.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(work_done(view) + ". " + kept_words(frame.summary.kept));
    if (const std::string missing = left_out_words(*frame.trace.model, frame.summary.kept);
        !missing.empty()) {
        frame.ui.report("heads.left_out", missing);
        if (rect.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(missing);
        return canvas.label(rect, missing, {.color = frame.colors().error});
    }
    // As many of these as have room.
    std::string hints;
    for (const std::string_view hint :
         {"Hover compares", "click chooses", "Enter opens it in Walk", "X switches it off",
          "Ctrl and the wheel zoom", "arrows move"}) {
        const std::string more = hints + (hints.empty() ? "" : " · ") + std::string(hint);
        if (canvas.measure(more, style) > rect.w) break;
        hints = more;
    }
    canvas.label(rect, hints, style);
    if (view.stale) frame.ui.report("heads.stale", "yes");
}

// All heads' maps, or what replaces them.
void maps(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory) {
    if (is_patching(frame)) {
        patched_choice(frame, rect.row(8, 6));
    }
    if (shows_patched(frame)) return patched(frame, rect, view);
    baseline_line(frame, rect, view);
    heads_grid(frame, rect, view, memory);
}

// Progress above the maps while new ones are computed; hidden if they are ready at once.
void reading_line(Frame& frame, const ui::Rect& rect, HeadsMemory& memory) {
    constexpr double kSeen = 0.05;  // seconds
    const Studies& studies = studies_of(frame);
    const TokenFinder& reader = reader_in_view(frame);
    if (!studies.busy(reader)) return memory.reading_since.reset();
    const double now = ImGui::GetTime();
    if (!memory.reading_since) memory.reading_since = now;
    if (now - *memory.reading_since < kSeen) return;
    ui::progress_bar(frame.ui, {rect.x, rect.y, rect.w, frame.px(3)}, studies.progress(reader));
    frame.ui.report("heads.reading", "busy");
}

void draw(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory) {
    frame.ui.report("heads.maps", std::to_string(view.tiles.size()));
    if (frame.state.look.lecture) return heads_lecture(frame, rect, view, memory);
    const ui::Layout below = rect.last_row(16);
    const ui::Rect tools = rect.top(heads_tools_height(frame, memory));
    frame.ui.begin_stops();  // Tab visits the controls, and then the buttons below
    heads_tools(frame, tools.inset(frame.px(16), frame.px(8)), view, memory);
    foot(frame, below, view);
    frame.ui.end_stops();
    // The maps take what they need, up to two thirds; the cards for one of them take the rest.
    const ui::Rect most{rect.x, rect.y, rect.w * 0.66F, rect.h};
    const float edge = frame.px(16);
    const float grid = heads_grid_width(frame, most.inset(edge, frame.px(4)), view);
    const float wide = shows_patched(frame) ? most.w : grid + edge * 2;
    const ui::Rect left = rect.left(std::clamp(wide, rect.w * 0.4F, most.w));
    frame.ui.name("heads.grid", {left, {}});
    reading_line(frame, left.inset(edge, 0), memory);
    maps(frame, {frame.ui, left.inset(edge, frame.px(4))}, view, memory);
    heads_cards(frame, {frame.ui, rect, 8, 4}, view, memory);
}

// The maps of the previous result with its recipe, until new ones are ready.
void draw_earlier(Frame& frame, const ui::Rect& rect,
                  const std::shared_ptr<const TokenFinder::Said>& said, HeadsMemory& memory) {
    const Trace& trace = *said->question.trace;
    Frame earlier = with_result(frame, trace, *said->question.summary, *memory.made_by);
    const auto inside = [&](std::optional<int>& token) {
        if (token && *token >= trace.layout.count()) token.reset();
    };
    inside(earlier.focus.token);
    inside(earlier.focus.key_token);
    HeadsView view = view_of(earlier, memory, said);
    view.stale = true;
    if (!view.tiles.empty()) draw(earlier, {frame.ui, rect}, view, memory);
}

// The attention of this image's tokens; null if nothing can be shown.
const HeadsView* look_at_maps(Frame& frame, const ui::Rect& rect, HeadsView& view,
                              HeadsMemory& memory) {
    if (is_before_the_layers(frame)) {
        other_tokens(frame, rect);
        return nullptr;
    }
    const auto instead = [&](const std::string& words) -> const HeadsView* {
        say_instead(frame, rect, words, "heads.instead");
        return nullptr;
    };
    if (is_cross(frame.trace))
        return instead(
            "Here the queries are not tokens of the picture. Walk shows what each of them attends "
            "to.");
    ask_for_heads(frame, memory);
    const auto said = maps_in_view(frame);
    if (!said) reading_line(frame, rect, memory);
    if (!said) return instead("Computing the maps of all heads…");
    const bool stale = said->question.trace.get() != &frame.trace;
    if (stale) {
        if (memory.made_of != said || !memory.made_by)
            return instead("Computing the maps of all heads…");
        draw_earlier(frame, rect, said, memory);
        return nullptr;
    }
    if (!said->error.empty()) return instead(said->error);
    if (memory.made_of != said) memory.made_by = frame.recipe;
    memory.made_of = said;
    view = view_of(frame, memory, said);
    if (view.tiles.empty()) {
        const std::string missing = left_out_words(*frame.trace.model, frame.summary.kept);
        return instead(missing.empty() ? "This model's layers have no maps." : missing);
    }
    draw(frame, {frame.ui, rect}, view, memory);
    return &view;
}

void too_narrow(Frame& frame, const ui::Rect& rect) {
    const std::string words = "Turn the phone, or make the window wider, to compare all heads.";
    ui::Canvas canvas(frame.ui);
    const ui::Rect inside = rect.inset(frame.px(24), 0);
    const float high = canvas.measure_wrapped(words, {}, inside.w).y;
    canvas.wrapped({inside.x, inside.center().y - high / 2, inside.w, high}, words,
                   {.color = frame.colors().dim});
    frame.ui.report("heads.instead", words);
    notice_bar(frame, rect);
}

// The notice covers the maps, but not the controls.
void notice_over_maps(Frame& frame, ui::Layout rect) {
    const auto maps = frame.ui.names().find("heads.grid");
    if (maps != frame.ui.names().end()) rect.top(maps->second.rect.y - rect.y);
    notice_bar(frame, rect);
}

}  // namespace

void heads(Frame& frame, ui::Layout rect) {
    const bool alone = !frame.in_lesson() && !frame.state.look.lecture;
    if (alone && rect.w < frame.px(kNarrowest)) return too_narrow(frame, rect);
    if (!frame.trace.image) return heads_of_given_tokens(frame, rect);
    const ui::Rect all = rect;
    auto& memory = frame.memory.own<HeadsMemory>();
    memory.next_pointed = {};
    take_keys(frame, memory);
    take_query_key(frame, memory);
    const float row = strip_height(frame, rect);
    const ui::Layout images = rect.bottom(row);
    HeadsView view;
    const HeadsView* maps = look_at_maps(frame, rect, view, memory);
    if (std::exchange(memory.off_key, false) && maps != nullptr) switch_head(frame, maps->shown);
    if (row > 0) strip(frame, images, maps);
    if (maps != nullptr) remember_facts(frame, *maps);
    notice_over_maps(frame, {frame.ui, all});
    if (frame.memory.pointer_rests) memory.next_pointed = {};
    if (memory.pointed != memory.next_pointed) frame.ui.ask_for_frame();
    memory.pointed = memory.next_pointed;
}

bool heads_take_key(Memory& all, std::string_view key) {
    auto& memory = all.own<HeadsMemory>();
    if (key == "Q") return memory.query_key = true;
    if (key == "X") return memory.off_key = true;
    if (key == "+" || key == "-" || key == "−") {
        memory.viewport.zoom_steps += key == "+" ? 1 : -1;
        return true;
    }
    if (key == "Escape" && memory.stop_marked) return memory.leave_stops = true;
    if (key == "Escape" && memory.viewport.zoom != 1) return memory.viewport.show_all = true;
    return std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace headlight::screens
