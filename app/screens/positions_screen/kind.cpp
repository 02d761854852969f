#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frame/lecture_head.h"
#include "positions/positions.h"
#include "positions_screen/kind_controls.h"
#include "positions_screen/view.h"
#include "program/ordinals.h"

// Chooses the kind of positions, with notes about it.
namespace headlight::screens {

namespace {

void kind_button(Frame& frame, const ui::Rect& place, const PositionInfo& kind) {
    const std::string name(name_of(kind.id));
    const bool shown = kind.id == wanted(frame).kind,
               refused = !shown && !frame.before() && kind.id == frame.state.recipe.position.kind;
    const std::string tip =
        refused ? "These tokens cannot use this kind, so you still see the previous one."
                : std::string(kind.sentence);
    const bool roomy = ui::button_width(frame.ui, kind.label) <= place.w;
    if (ui::button(frame.ui, "positions.kind." + name, place, roomy ? kind.label : kind.short_label,
                   shown     ? ui::ButtonLook::chip
                   : refused ? ui::ButtonLook::marked
                             : ui::ButtonLook::plain,
                   tip))
        set_once(frame, "positions", name);
}

float close_kind(const Frame& frame) { return frame.line() * 1.05F; }

// Whether each name fits into a part of the width.
bool names_fit(const Frame& frame, float width) {
    const ui::Canvas canvas(frame.ui);
    return std::ranges::all_of(all_positions(), [&](const PositionInfo& kind) {
        return canvas.measure(kind.short_label, {}) + frame.px(8) <= width;
    });
}

// In one column or, if that leaves too little space for `below`, in two, or closer together.
void kind_buttons(Frame& frame, ui::Layout& rect, float below) {
    const auto count = static_cast<int>(all_positions().size());
    const float gap = frame.px(1), usual = frame.line() * 1.5F, close = close_kind(frame);
    const bool tall = static_cast<float>(count) * (close + gap) + below > rect.h;
    const int across = tall && rect.w >= frame.px(160) && names_fit(frame, rect.w / 2) ? 2 : 1;
    const int rows = (count + across - 1) / across;
    const float each = std::clamp((rect.h - below) / static_cast<float>(rows) - gap, close, usual);
    const float wide = rect.w / static_cast<float>(across);
    for (int i = 0; i < count; ++i)
        kind_button(frame,
                    {rect.x + wide * static_cast<float>(i / rows),
                     rect.y + static_cast<float>(i % rows) * (each + gap), wide, each},
                    all_positions()[static_cast<std::size_t>(i)]);
    rect.top(static_cast<float>(rows) * (each + gap));
}

// A button to the step of Walk where positions are added.
void step_button(Frame& frame, ui::Layout head, const PositionsView& view) {
    // The displayed kind's step comes first: the position step may exist and add nothing.
    const Step shown = view.bias != nullptr ? Step::relative_bias
                       : view.table->turns  ? Step::rotary
                                            : Step::position;
    const auto steps = std::to_array({shown, Step::position, Step::relative_bias, Step::rotary});
    const auto found =
        std::ranges::find_if(steps, [&](Step step) { return frame.trace.has(step); });
    const float wide = ui::button_width(frame.ui, "Show in Walk");
    if (found == steps.end() || frame.state.look.lecture || head.w < 2 * wide) return;
    if (!ui::button(frame.ui, "positions.walk", head.right(wide), "Show in Walk",
                    ui::ButtonLook::plain, "Goes to the step that adds the positions"))
        return;
    frame.set("screen", "walk");
    frame.say("step", std::string(info(*found).name));
}

// A note about the current kind, most important first.
struct Note {
    std::string words, brief;  // brief: if space is short; may be empty
    std::string report;
    int layer = -1;  // with a button to it; -1: none
    bool good = false;
};

// Models that merge tokens first, such as T2T, add positions afterwards.
std::optional<Note> added_later(const Frame& frame, const PositionsView& view) {
    if (frame.trace.model == nullptr) return {};
    const Model& model = *frame.trace.model;
    const int first = model.token_transformers();
    const PositionEffect effect = info(wanted(frame).kind).effect;
    const bool in_table = effect == PositionEffect::added || effect == PositionEffect::turned;
    if (!in_table || frame.trace.layer >= first || view.said->answer.present) return {};
    const std::string& name = model.layers[static_cast<std::size_t>(first)].name;
    return Note{fmt::format("The model merges these tokens first and adds positions before {}. "
                            "This is the table that would be added here, {}.",
                            name, info(view.table->choice.kind).label),
                fmt::format("Positions are added before {}.", name), "positions.later", first};
}

std::vector<Note> notes_of(const Frame& frame, const PositionsView& view) {
    std::vector<Note> notes;
    const PositionStudy& study = view.said->answer;
    if (const auto later = added_later(frame, view)) {
        notes.push_back(*later);
    } else if (view.table != nullptr && !study.present) {
        const std::string label(info(view.table->choice.kind).label);
        notes.push_back(
            {"Nothing is added now. This is the table that would be added, " + label + ".",
             "Nothing is added now. This is " + label + ".", "positions.none"});
    }
    const bool made_here = wanted(frame).kind != PositionKind::model;
    if (made_here && frame.trace.model != nullptr && !frame.trace.model->is_bare_layer())
        notes.push_back({"The model was not trained this way.", "Not trained this way.",
                         "positions.untrained"});
    if (study.equals) {
        const std::string order =
            study.first == WavesFirst::rows ? ", rows first, as in MoCo-v3" : "";
        const std::string whose = *study.equals == PositionKind::model
                                      ? "the model's table"
                                      : "the " + std::string(info(*study.equals).label) + " table";
        notes.push_back({fmt::format("Equals {}{}; largest difference {}.", whose, order,
                                     small_number(study.difference)),
                         "Equals " + whose + ".", "positions.equals", -1, true});
    }
    return notes;
}

// The whole note, its brief form, or nothing, as space permits.
void draw_note(Frame& frame, ui::Layout& rect, const Note& note) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.size = ui::Size::small,
                              .color = note.good ? frame.colors().ok : frame.colors().dim};
    frame.ui.report(note.report, "yes");
    const auto tall = [&](const std::string& words) {
        return canvas.measure_wrapped(words, style, rect.w).y;
    };
    const std::string& words = tall(note.words) <= rect.h ? note.words : note.brief;
    if (words.empty() || tall(words) > rect.h) return;
    canvas.wrapped(rect.top(tall(words)), words, style);
    rect.top(std::min(frame.px(4), rect.h));
}

// A button to the layer in a note, if there is none to a step of the current one.
void layer_button(Frame& frame, ui::Layout head, const std::vector<Note>& notes) {
    const auto note = std::ranges::find_if(notes, [](const Note& one) { return one.layer >= 0; });
    if (note == notes.end() || frame.state.look.lecture) return;
    const std::string number = layer_number(*frame.trace.model, note->layer);
    const std::string label = "Layer " + number;
    if (head.button_right("positions.layer", label, 0, ui::ButtonLook::plain, note->brief))
        frame.say("layer", number);
}

float height_of_notes(Frame& frame, const std::vector<Note>& notes, float width) {
    float all = 0;
    for (const Note& note : notes)
        all +=
            ui::Canvas(frame.ui).measure_wrapped(note.brief, {.size = ui::Size::small}, width).y +
            frame.px(4);
    return all;
}

// The header of the drawer, which names the kind while it is closed.
bool has_kinds(const Frame& frame) {
    const Look& look = frame.state.look;
    return look.position_kinds || look.lecture || is_spoken_of(frame, "positions.kind");
}

void kinds_button(Frame& frame, ui::Layout& rect) {
    const bool open = frame.state.look.position_kinds;
    frame.ui.report("positions.kinds", has_kinds(frame) ? "open" : "closed");
    if (frame.state.look.lecture || (has_kinds(frame) && !open)) return;
    const std::string label = open ? "Fewer kinds" : "Other kinds…";
    ui::Layout row = rect.row(8, 6);
    if (ui::button(frame.ui, "positions.kinds",
                   row.left(std::min(row.w, ui::button_width(frame.ui, label))), label,
                   ui::ButtonLook::outlined,
                   open ? "Hides the kinds that are not chosen"
                        : "Chooses another kind of positions and its settings"))
        set_once(frame, "position_kinds", open ? "false" : "true");
}

}  // namespace

void kind_part(Frame& frame, ui::Layout rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    ui::Layout head = rect.row(0, 6);
    canvas.caption(head, "KIND");
    step_button(frame, head, view);
    frame.ui.report("positions.kind", std::string(name_of(wanted(frame).kind)));
    const KindControls controls(frame, view);
    const std::vector<Note> notes = notes_of(frame, view);
    layer_button(frame, head, notes);
    if (!has_kinds(frame)) {
        const PositionInfo& kind = info(wanted(frame).kind);
        const bool own = kind.id == PositionKind::model;
        canvas.label(rect.row(ui::Size::body),
                     own ? name_of_kind(frame, view, view.choice()) : std::string(kind.label),
                     {.face = ui::Face::bold, .size = ui::Size::body});
        rect.paragraph(kind.sentence, {.color = frame.colors().dim}, 10);
        kinds_button(frame, rect);
        for (const Note& note : notes) draw_note(frame, rect, note);
        return;
    }
    kinds_button(frame, rect);
    const float of_notes = height_of_notes(frame, notes, rect.w) + frame.px(6);
    // Kinds in two columns; if the controls still do not fit, sliders take one line each.
    const float of_kinds =
        static_cast<float>((all_positions().size() + 1) / 2) * (close_kind(frame) + frame.px(1));
    const bool slim = of_kinds + controls.height(false) + of_notes > rect.h;
    kind_buttons(frame, rect, controls.height(slim) + of_notes);
    rect.skip_top(4);
    controls.draw(rect, slim);
    rect.top(std::min(frame.px(4), std::max(0.0F, rect.h)));
    for (const Note& note : notes) draw_note(frame, rect, note);
}

}  // namespace headlight::screens
