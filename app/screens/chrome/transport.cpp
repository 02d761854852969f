#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "chrome/chrome.h"
#include "ui/progress_bar.h"

namespace headlight::screens {

namespace {

std::string text_of(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4f", value);
    return text.data();
}

void timeline(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    const auto state = ui::interact(frame.ui, "transport.timeline", rect);
    const std::vector<Step>& steps = frame.work.steps();
    const auto count = static_cast<int>(steps.size());
    const double position =
        static_cast<double>(std::find(steps.begin(), steps.end(), frame.step()) - steps.begin()) +
        frame.work.phase();
    const ui::Rect track{rect.x, rect.center().y - frame.px(2), rect.w, frame.px(4)};
    const auto part = static_cast<float>(position / count);
    canvas.fill(track, frame.colors().border, frame.px(2));
    canvas.fill({track.x, track.y, track.w * part, track.h}, frame.colors().accent, frame.px(2));
    for (int i = 0; i <= count; ++i) {
        const float x =
            std::round(track.x + track.w * static_cast<float>(i) / static_cast<float>(count));
        canvas.fill(
            {x - frame.px(1), track.y - frame.px(4), frame.px(2), track.h + frame.px(8)},
            static_cast<double>(i) <= position ? frame.colors().accent : frame.colors().faint);
    }
    canvas.circle({track.x + track.w * part, track.center().y},
                  frame.px(state.hovered || state.held ? 7.0F : 5.0F), frame.colors().text);
    const float at =
        std::clamp((ImGui::GetIO().MousePos.x - track.x) / std::max(1.0F, track.w), 0.0F, 1.0F);
    if (state.hovered) {
        const int step = std::min(count - 1, static_cast<int>(at * static_cast<float>(count)));
        frame.ui.tooltip(frame.trace.nodes[static_cast<std::size_t>(step)].title);
    }
    const bool dragged = state.held && ImGui::GetIO().MouseDelta.x != 0;
    if (dragged || state.clicked) frame.say("scrub", text_of(static_cast<double>(at) * count));
    if (state.released) frame.memory.gesture_ended = true;
}

void progress(Frame& frame, ui::Layout rect) {
    const ui::Rect stop =
        rect.right(ui::button_width(frame.ui, "Cancel"), 8).inset(0, rect.h * 0.22F);
    if (ui::button(frame.ui, "transport.cancel", stop, "Cancel")) frame.say("cancel");
    ui::progress_bar(frame.ui, {rect.x, rect.center().y - frame.px(3), rect.w, frame.px(6)},
                     frame.work.progress());
}

void status(Frame& frame, const ui::Rect& rect) {
    if (frame.work.show_progress()) return progress(frame, {frame.ui, rect});
    ui::Canvas canvas(frame.ui);
    // The values may be weighted with the transpose of A, whose rows need not sum to 1.
    const bool turned = frame.trace.has(Tensor::attention_turned);
    const Tensor weights = turned ? Tensor::attention_turned : Tensor::attention;
    const MatrixSummary* attention = frame.summary.find(weights, frame.head);
    if (attention == nullptr) return;
    const RowSums sums = attention->sums;
    const bool whole = std::abs(sums.min - 1) < 1e-4F && std::abs(sums.max - 1) < 1e-4F;
    // If it holds, as almost always, it is shown only in the numbers drawer.
    if (whole && !frame.state.look.numbers_open()) return;
    // Attention-only import computes no layer.
    const std::string time =
        frame.trace.model->is_maps()
            ? ""
            : "layer took " + ui::number(frame.trace.layer_milliseconds(), 1) + " ms";
    const int digits = turned ? 2 : 3;
    const std::string rows = whole ? "row sums 1.000"
                                   : (turned ? "column sums " : "row sums ") +
                                         ui::number(sums.min, digits) + " … " +
                                         ui::number(sums.max, digits);
    const ui::TextStyle mono = frame.mono_dim();
    ui::TextStyle verdict = mono;
    verdict.color = whole ? frame.colors().ok : frame.colors().dim;
    const float icon = frame.ui.fonts().pixels(ui::Size::small);
    const float upper = rect.y + rect.h / 2 - frame.line();
    canvas.label({rect.x, upper, rect.w, frame.line()}, time, frame.mono_dim(ui::Align::right));
    const float width = canvas.measure(rows, mono);
    const ui::Rect lower{rect.x, upper + frame.line(), rect.w, frame.line()};
    if (whole)
        ui::icon(canvas, ui::Icon::check, {lower.x + lower.w - width - icon, lower.center().y},
                 icon * 0.8F, frame.colors().ok);
    verdict.align = ui::Align::right;
    canvas.label(lower, rows, verdict);
}

// The position in a sequence, between two buttons for the previous and next item.
struct Chip {
    std::string verb, text, widest;  // "layer", "Layer 5 / 12", "Layer 12 / 12"
    std::string brief;               // "Layer 5"
    std::string_view key_back, key_on;
};

std::string of(std::size_t count) { return " / " + std::to_string(count); }

Chip head_chip(const Frame& frame) {
    const auto heads = static_cast<std::size_t>(frame.trace.shape.heads);
    const std::string name = "Head " + std::to_string(frame.head + 1);
    return {"head", name + of(heads), "Head " + std::to_string(heads) + of(heads), name, "↑", "↓"};
}

// T2T's token transformers are counted separately from the layers, as in their names.
Chip layer_chip(const Frame& frame) {
    const Model& model = *frame.trace.model;
    const auto transformers = static_cast<std::size_t>(model.token_transformers());
    const bool first = frame.trace.layer < model.token_transformers();
    const std::size_t count = first ? transformers : model.layers.size() - transformers;
    const std::string& name = frame.trace.model_layer().name;
    return {"layer", name + of(count), model.layers.back().name + of(count), name, "[", "]"};
}

// Its buttons are in the drawer; the ribbon, the heads and keys also move between layers.
bool has_buttons(const Frame& frame) {
    return frame.state.look.lecture || frame.state.look.experiment_open();
}

float chip_width(Frame& frame, const Chip& chip, float height) {
    return ui::Canvas(frame.ui).measure(chip.widest, {}) +
           (has_buttons(frame) ? 2 * height + frame.px(4) : frame.px(12));
}

void draw_chip(Frame& frame, ui::Layout rect, const Chip& chip) {
    ui::Canvas canvas(frame.ui);
    frame.ui.report("transport." + chip.verb, chip.text);
    if (!has_buttons(frame))
        return canvas.label(rect, chip.text,
                            {.color = frame.colors().dim, .align = ui::Align::center});
    const ui::Rect back = rect.left(rect.h), on = rect.right(rect.h);
    const std::string name = "transport." + chip.verb;
    if (ui::button(frame.ui, name + ".previous", back, "", ui::ButtonLook::plain,
                   "Previous " + chip.verb + "   " + std::string(chip.key_back),
                   ui::Icon::previous))
        frame.say(chip.verb, "previous");
    if (ui::button(frame.ui, name + ".next", on, "", ui::ButtonLook::plain,
                   "Next " + chip.verb + "   " + std::string(chip.key_on), ui::Icon::next))
        frame.say(chip.verb, "next");
    label_that_fits(canvas, rect, {chip.text, chip.brief}, {.align = ui::Align::center});
}

// In lecture view: the label of the button that ends it, and how much narrower each chip is. In a
// narrow window the label gets shorter first.
struct LectureRow {
    std::string leave = "Leave  F11";
    float narrower = 0;  // pixels
};
LectureRow lecture_row(Frame& frame, float room, const std::vector<Chip>& chips, float height) {
    LectureRow row;
    float all = 0;
    for (const Chip& chip : chips) all += chip_width(frame, chip, height) + frame.px(8);
    const auto left = [&] {
        return room - ui::button_width(frame.ui, row.leave) - frame.px(8) - all;
    };
    if (left() < 0) row.leave = "Leave";
    row.narrower = std::max(0.0F, -left()) / static_cast<float>(chips.size());
    return row;
}

constexpr float kShortestLine = 60;  // units in which the line of steps is still usable

constexpr const char *kNoMotion = "no motion", *kOneCell = "follow one cell";

float speed_choice_width(Frame& frame) {
    const char* longest = frame.state.look.follow_cell ? kOneCell : kNoMotion;
    return ui::Canvas(frame.ui).measure(longest, {}) + frame.px(30);
}

void speed_choice(Frame& frame, const ui::Rect& rect) {
    constexpr std::array<const char*, 5> values{"0.25", "0.5", "1", "2", "4"};
    const std::vector<std::string_view> labels{"¼ ×", "½ ×",     "1 ×",   "2 ×",
                                               "4 ×", kNoMotion, kOneCell};
    int selected = 2;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::abs(std::stof(values[i]) - frame.state.look.speed) < 1e-3F)
            selected = static_cast<int>(i);
    if (!frame.state.look.motion) selected = 5;
    if (frame.state.look.follow_cell) selected = 6;
    const int chosen = ui::choice(frame.ui, "transport.speed", rect, labels, selected);
    if (chosen < 0) return;
    const bool follow = chosen == 6, motion = chosen != 5;
    if (follow != frame.state.look.follow_cell) frame.set("follow_cell", follow ? "on" : "off");
    if (motion != frame.state.look.motion) frame.set("motion", motion ? "on" : "off");
    if (chosen < 5) frame.set("speed", values[static_cast<std::size_t>(chosen)]);
}

}  // namespace

float transport_height(const Frame& frame) {
    if (frame.state.look.lecture) return frame.ui.fonts().pixels(ui::Size::body) + frame.px(24);
    return frame.px(frame.low ? 56.0F : 68.0F);
}

void transport(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, frame.colors().bar);
    canvas.line({rect.x, rect.y}, {rect.x + rect.w, rect.y}, frame.colors().border);
    ui::Layout rest(frame.ui,
                    rect.inset(frame.px(16), frame.px(frame.state.look.lecture ? 6 : 12)));
    const float size = std::min(rest.h, frame.px(36) * frame.ui.text_scale());
    const auto square = [&](const char* name, ui::Icon icon, const char* tip, const char* verb,
                            const char* arg, bool filled) {
        const ui::Rect cell = rest.left(size, 8);
        const ui::Rect place{cell.x, cell.center().y - size / 2, size, size};
        if (ui::button(frame.ui, name, place, "",
                       filled ? ui::ButtonLook::filled : ui::ButtonLook::outlined, tip, icon))
            arg != nullptr ? frame.say(verb, arg) : frame.say(verb);
    };
    const bool playing = frame.work.playing();
    const bool lecture = frame.state.look.lecture;  // then the line of steps needs the space
    const Look usual;
    const bool drawer = frame.state.look.experiment_open();
    const bool other_speed = frame.state.look.speed != usual.speed ||
                             frame.state.look.motion != usual.motion ||
                             frame.state.look.follow_cell;
    if (!lecture && drawer)
        square("transport.first", ui::Icon::first, "First step   Home", "step", "first", false);
    square("transport.previous", ui::Icon::previous, "Previous step   ←", "step", "previous",
           false);
    square("transport.play", playing ? ui::Icon::pause : ui::Icon::play,
           playing ? "Pause   Space" : "Play   Space", "toggle-play", nullptr, true);
    square("transport.next", ui::Icon::last, "Next step   →", "step", "next", false);
    const float factor = frame.ui.text_scale();
    if (frame.small && !lecture) return timeline(frame, rest);
    std::vector<Chip> chips{head_chip(frame)};
    if (frame.trace.model->layers.size() > 1) chips.push_back(layer_chip(frame));
    const LectureRow row = lecture ? lecture_row(frame, rest.w, chips, size) : LectureRow{};
    if (!lecture) {
        status(frame, rest.right(frame.px(170) * factor));
    } else if (frame.work.show_progress()) {
        progress(frame, rest.right(ui::button_width(frame.ui, "Cancel") + frame.px(80)));
    } else {
        const float width = ui::button_width(frame.ui, row.leave);
        const ui::Rect place = rest.right(width).inset(0, std::max(0.0F, (rest.h - size) / 2));
        if (ui::button(frame.ui, "top.lecture", place, row.leave, ui::ButtonLook::outlined,
                       "Back to the full view   F11"))
            frame.set("lecture", "off");
    }
    rest.skip_right(8);
    for (const Chip& chip : chips) {
        draw_chip(frame,
                  {frame.ui, rest.right(chip_width(frame, chip, size) - row.narrower, 8)
                                 .inset(0, std::max(0.0F, (rest.h - size) / 2))},
                  chip);
    }
    if (!lecture && (drawer || other_speed))
        speed_choice(
            frame,
            rest.right(speed_choice_width(frame)).inset(0, std::max(0.0F, (rest.h - size) / 2)));
    rest.skip_right(16);
    rest.skip_left(8);
    if (!lecture || rest.w >= frame.px(kShortestLine)) timeline(frame, rest);
}

}  // namespace headlight::screens
