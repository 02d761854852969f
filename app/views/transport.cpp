#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "views/panels.h"

namespace headlight::views {

namespace {

std::string text_of(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4f", value);
    return text.data();
}

void timeline(Scene& scene, const ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    const auto state = ui::interact(scene.ui, "transport.timeline", rect);
    const std::vector<Step>& steps = scene.work.steps();
    const auto count = static_cast<int>(steps.size());
    const double position =
        static_cast<double>(std::find(steps.begin(), steps.end(), scene.step()) - steps.begin()) +
        scene.work.phase();
    const ui::Rect track{rect.x, rect.center().y - scene.px(2), rect.w, scene.px(4)};
    const auto part = static_cast<float>(position / count);
    canvas.fill(track, scene.colors().border, scene.px(2));
    canvas.fill({track.x, track.y, track.w * part, track.h}, scene.colors().accent, scene.px(2));
    for (int i = 0; i <= count; ++i) {
        const float x =
            std::round(track.x + track.w * static_cast<float>(i) / static_cast<float>(count));
        canvas.fill(
            {x - scene.px(1), track.y - scene.px(4), scene.px(2), track.h + scene.px(8)},
            static_cast<double>(i) <= position ? scene.colors().accent : scene.colors().faint);
    }
    canvas.list()->AddCircleFilled({track.x + track.w * part, track.center().y},
                                   scene.px(state.hovered || state.held ? 7.0F : 5.0F),
                                   scene.colors().text);
    const float at =
        std::clamp((ImGui::GetIO().MousePos.x - track.x) / std::max(1.0F, track.w), 0.0F, 1.0F);
    if (state.hovered) {
        const int step = std::min(count - 1, static_cast<int>(at * static_cast<float>(count)));
        scene.ui.tooltip(
            scene.trace.nodes[static_cast<std::size_t>(step)].title);
    }
    const bool dragged = state.held && ImGui::GetIO().MouseDelta.x != 0;
    if (dragged || state.clicked) scene.say("scrub", text_of(static_cast<double>(at) * count));
    if (state.released) scene.memory.gesture_ended = true;
}

void progress(Scene& scene, ui::Rect rect) {
    ui::Canvas canvas(scene.ui);
    const ui::Rect stop =
        rect.cut_right(ui::button_width(scene.ui, "Cancel")).inset(0, rect.h * 0.22F);
    rect.cut_right(scene.px(8));
    if (ui::button(scene.ui, "transport.cancel", stop, "Cancel")) scene.say("cancel");
    const ui::Rect bar{rect.x, rect.center().y - scene.px(3), rect.w, scene.px(6)};
    canvas.fill(bar, scene.colors().border, scene.px(3));
    canvas.fill({bar.x, bar.y, bar.w * scene.work.progress(), bar.h}, scene.colors().accent,
                scene.px(3));
}

void status(Scene& scene, const ui::Rect& rect) {
    if (scene.work.show_progress()) return progress(scene, rect);
    ui::Canvas canvas(scene.ui);
    const MatrixSummary* attention = scene.summary.find(Tensor::attention, scene.head);
    if (attention == nullptr) return;
    const RowSums sums = attention->sums;
    const bool whole = std::abs(sums.min - 1) < 1e-4F && std::abs(sums.max - 1) < 1e-4F;
    // Attention-only import computes no layer.
    const std::string time =
        scene.trace.model->is_maps()
            ? ""
            : "layer in " + ui::number(scene.trace.layer_milliseconds(), 1) + " ms";
    const std::string rows =
        whole ? "row sums 1.000"
              : "row sums " + ui::number(sums.min, 3) + " … " + ui::number(sums.max, 3);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .color = scene.colors().dim};
    ui::TextStyle verdict = mono;
    verdict.color = whole ? scene.colors().ok : scene.colors().dim;
    const float icon = scene.ui.fonts().pixels(ui::Size::small);
    const float upper = rect.y + rect.h / 2 - scene.line();
    canvas.label({rect.x, upper, rect.w, scene.line()}, time,
                 {.face = ui::Face::mono,
                  .size = ui::Size::small,
                  .color = scene.colors().dim,
                  .align = ui::Align::right});
    const float width = canvas.measure(rows, mono);
    const ui::Rect lower{rect.x, upper + scene.line(), rect.w, scene.line()};
    if (whole)
        ui::icon(canvas, ui::Icon::check, {lower.x + lower.w - width - icon, lower.center().y},
                 icon * 0.8F, scene.colors().ok);
    verdict.align = ui::Align::right;
    canvas.label(lower, rows, verdict);
}

// Where one is in a row of things, between two buttons that go on.
struct Chip {
    std::string verb, text, widest;  // "layer", "Layer 5 / 12", "Layer 12 / 12"
    std::string_view key_back, key_on;
};

std::string of(std::size_t count) { return " / " + std::to_string(count); }

Chip head_chip(const Scene& scene) {
    const auto heads = static_cast<std::size_t>(scene.trace.shape.heads);
    return {"head", "Head " + std::to_string(scene.head + 1) + of(heads),
            "Head " + std::to_string(heads) + of(heads), "↑", "↓"};
}

// T2T's token transformers are counted apart from the layers, as they are called.
Chip layer_chip(const Scene& scene) {
    const Model& model = *scene.trace.model;
    const auto transformers = static_cast<std::size_t>(model.token_transformers());
    const bool first = scene.trace.block < model.token_transformers();
    const std::size_t count = first ? transformers : model.blocks.size() - transformers;
    const Block& block = model.blocks[static_cast<std::size_t>(scene.trace.block)];
    return {"layer", block.name + of(count), model.blocks.back().name + of(count), "[", "]"};
}

float chip_width(Scene& scene, const Chip& chip, float height) {
    return ui::Canvas(scene.ui).measure(chip.widest, {.size = ui::Size::small}) + 2 * height +
           scene.px(4);
}

void draw_chip(Scene& scene, ui::Rect rect, const Chip& chip) {
    ui::Canvas canvas(scene.ui);
    const ui::Rect back = rect.cut_left(rect.h), on = rect.cut_right(rect.h);
    const std::string name = "transport." + chip.verb;
    const std::string capital = chip.verb == "head" ? "Head" : "Layer";
    if (ui::button(scene.ui, name + ".previous", back, "", ui::ButtonLook::plain,
                   capital + " before   " + std::string(chip.key_back), ui::Icon::previous))
        scene.say(chip.verb, "previous");
    if (ui::button(scene.ui, name + ".next", on, "", ui::ButtonLook::plain,
                   "Next " + chip.verb + "   " + std::string(chip.key_on), ui::Icon::next))
        scene.say(chip.verb, "next");
    canvas.label(rect, chip.text, {.size = ui::Size::small, .align = ui::Align::center});
    scene.ui.report(name, chip.text);
}

void speed_choice(Scene& scene, const ui::Rect& rect) {
    constexpr std::array<const char*, 5> values{"0.25", "0.5", "1", "2", "4"};
    const std::vector<std::string_view> labels{"¼ ×", "½ ×", "1 ×", "2 ×", "4 ×", "no motion"};
    int selected = 2;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::abs(std::stof(values[i]) - scene.state.look.speed) < 1e-3F)
            selected = static_cast<int>(i);
    if (!scene.state.look.motion) selected = 5;
    const int chosen = ui::choice(scene.ui, "transport.speed", rect, labels, selected);
    if (chosen < 0) return;
    const bool motion = chosen < 5;
    if (motion != scene.state.look.motion) scene.set("motion", motion ? "on" : "off");
    if (motion) scene.set("speed", values[static_cast<std::size_t>(chosen)]);
}

}  // namespace

void transport(Scene& scene, const ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    canvas.fill(rect, scene.colors().bar);
    canvas.line({rect.x, rect.y}, {rect.x + rect.w, rect.y}, scene.colors().border);
    ui::Rect rest = rect.inset(scene.px(16), scene.px(12));
    const float size = std::min(rest.h, scene.px(36) * scene.ui.text_scale());
    const auto square = [&](const char* name, ui::Icon icon, const char* tip, const char* verb,
                            const char* arg, bool filled) {
        const ui::Rect cell = rest.cut_left(size);
        rest.cut_left(scene.px(8));
        const ui::Rect place{cell.x, cell.center().y - size / 2, size, size};
        if (ui::button(scene.ui, name, place, "",
                       filled ? ui::ButtonLook::filled : ui::ButtonLook::outlined, tip, icon))
            arg != nullptr ? scene.say(verb, arg) : scene.say(verb);
    };
    const bool playing = scene.work.playing();
    square("transport.first", ui::Icon::first, "To the first step   Home", "step", "first", false);
    square("transport.previous", ui::Icon::previous, "Step back   ←", "step", "previous", false);
    square("transport.play", playing ? ui::Icon::pause : ui::Icon::play,
           playing ? "Pause   Space" : "Play   Space", "toggle-play", nullptr, true);
    square("transport.next", ui::Icon::last, "Next step   →", "step", "next", false);
    const float factor = scene.ui.text_scale();
    const bool lecture = scene.state.look.lecture;
    if (!lecture) {
        status(scene, rest.cut_right(scene.px(170) * factor));
    } else if (scene.work.show_progress()) {
        progress(scene, rest.cut_right(scene.px(170) * factor));
    } else {
        const float width = ui::button_width(scene.ui, "Leave  F11");
        const ui::Rect place = rest.cut_right(width).inset(0, std::max(0.0F, (rest.h - size) / 2));
        if (ui::button(scene.ui, "top.lecture", place, "Leave  F11", ui::ButtonLook::outlined,
                       "Back to the full view"))
            scene.set("lecture", "off");
    }
    rest.cut_right(scene.px(8));
    std::vector<Chip> chips{head_chip(scene)};
    if (scene.trace.model->blocks.size() > 1) chips.push_back(layer_chip(scene));
    for (const Chip& chip : chips) {
        draw_chip(scene,
                  rest.cut_right(chip_width(scene, chip, size))
                      .inset(0, std::max(0.0F, (rest.h - size) / 2)),
                  chip);
        rest.cut_right(scene.px(8));
    }
    if (!lecture)
        speed_choice(scene,
                     rest.cut_right(scene.px(68)).inset(0, std::max(0.0F, (rest.h - size) / 2)));
    rest.cut_right(scene.px(16));
    rest.cut_left(scene.px(8));
    timeline(scene, rest);
}

}  // namespace headlight::views
