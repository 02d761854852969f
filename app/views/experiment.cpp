#include <algorithm>
#include <charconv>
#include <cstdio>

#include "state/fields.h"
#include "views/panels.h"

namespace headlight::views {

namespace {

double to_double(const std::string& text, double otherwise) {
    double value = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string to_text(const Field& field, double value) {
    std::array<char, 48> text{};
    if (field.kind == FieldKind::integer)
        std::snprintf(text.data(), text.size(), "%.0f", value);
    else
        std::snprintf(text.data(), text.size(), "%.3g", value);
    return text.data();
}

// What is being typed into a field stays the person's until it is done.
void typed_value(Scene& scene, const Field& field, const ui::Rect& rect,
                 const std::string& present) {
    std::string text = present;
    if (ui::number_field(scene.ui, "field." + std::string(field.name) + ".text", rect, text) &&
        text != present) {
        scene.set(field.name, text);
        scene.memory.gesture_ended = true;
    }
}

void slider_row(Scene& scene, const Field& field, ui::Rect row, const std::string& present) {
    const ui::Rect number = row.cut_right(scene.px(74) * scene.ui.text_scale());
    row.cut_right(scene.px(6));
    typed_value(scene, field, number, present);
    double value = to_double(present, field.low);
    const auto slid = ui::slider(scene.ui, "field." + std::string(field.name), row, value,
                                 field.slide_low, field.slide_high, field.logarithmic);
    if (slid.changed && field.snap) {
        State with_file = scene.state;  // a file decides the channels that heads must divide
        if (!scene.recipe.weights.empty()) with_file.recipe.channels = scene.trace.config.channels;
        value = field.snap(with_file, value);
    }
    const std::string next = to_text(field, value);
    if (slid.changed && next != present) scene.set(field.name, next);
    if (slid.released) scene.memory.gesture_ended = true;
}

void choice_row(Scene& scene, const Field& field, const ui::Rect& row, const std::string& present) {
    int selected = 0;
    for (std::size_t i = 0; i < field.choices.size(); ++i)
        if (field.choices[i] == present) selected = static_cast<int>(i);
    const int chosen =
        ui::choice(scene.ui, "field." + std::string(field.name), row, field.choices, selected);
    if (chosen >= 0)
        scene.set(field.name, std::string(field.choices[static_cast<std::size_t>(chosen)]));
}

bool is_slider(const Field& field) { return field.slide_low < field.slide_high; }

// What a weights file decides instead of the person; empty where the person does.
std::string decided_by_file(const Scene& scene, const Field& field) {
    if (scene.recipe.weights.empty()) return "";
    if (field.name == "channels") return std::to_string(scene.trace.config.channels);
    if (field.name == "bias") return scene.trace.has(Tensor::qkv_bias) ? "yes" : "no";
    return field.name == "seed" ? "not used" : "";
}

// Label and value on one line; a slider takes a second one.
float field_height(Scene& scene, const Field& field) {
    const bool slides = is_slider(field) && decided_by_file(scene, field).empty();
    return scene.line() + scene.px(8) + (slides ? scene.line() + scene.px(4) : 0);
}

void field_row(Scene& scene, const Field& field, ui::Rect rect) {
    ui::Canvas canvas(scene.ui);
    if (const std::string value = decided_by_file(scene, field); !value.empty()) {
        const ui::Rect row = rect.cut_top(scene.line() + scene.px(8));
        ui::TextStyle style{.size = ui::Size::small, .color = scene.colors().dim};
        canvas.label(row, field.label, style);
        style.align = ui::Align::right;
        canvas.label(row, value, style);
        if (row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
            scene.ui.tooltip("The weights file decides this.");
        return;
    }
    const std::string present = field.get(scene.state);
    ui::Rect row = rect.cut_top(scene.line() + scene.px(8));
    const bool by_slider = is_slider(field);
    const ui::Rect label = by_slider ? row : row.cut_left(row.w * 0.46F);
    canvas.label(label, field.label, {.size = ui::Size::small});
    if (label.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        scene.ui.tooltip(std::string(field.help));
    if (by_slider)
        slider_row(scene, field, rect, present);
    else if (field.kind == FieldKind::choice)
        choice_row(scene, field, row, present);
    else if (field.kind != FieldKind::toggle)
        typed_value(scene, field, row.inset(0, scene.px(2)), present);
    else if (ui::toggle(scene.ui, "field." + std::string(field.name), row, present == "true"))
        scene.set(field.name, present == "true" ? "false" : "true");
}

void group(Scene& scene, ui::Rect& rect, FieldGroup which, std::string_view title) {
    ui::Canvas canvas(scene.ui);
    canvas.caption(rect.cut_top(scene.line()), title);
    rect.cut_top(scene.px(4));
    float height = 0;
    for (const Field& field : all_fields())
        if (field.group == which) height += field_height(scene, field);
    const ui::Rect whole = rect.cut_top(height + scene.px(16));
    canvas.card(whole, scene.colors().card);
    ui::Rect inside = whole.inset(scene.px(12), scene.px(8));
    for (const Field& field : all_fields())
        if (field.group == which)
            field_row(scene, field, inside.cut_top(field_height(scene, field)));
    rect.cut_top(scene.px(10));
}

// Keeping a result and holding the present one against it.
void comparison(Scene& scene, ui::Rect& rect) {
    const bool pinned = scene.state.pinned.has_value();
    ui::Rect row = rect.cut_top(scene.line() + scene.px(10));
    if (!pinned) {
        if (ui::button(
                scene.ui, "compare.pin", row, "Pin as A · compare   P", ui::ButtonLook::outlined,
                "Keep this result; afterwards every matrix can show now, A, or the difference"))
            scene.say("pin-a");
    } else {
        const ui::Rect drop = row.cut_right(row.h);
        row.cut_right(scene.px(6));
        const int chosen = ui::segmented(scene.ui, "compare", row, {"now", "A", "difference"},
                                         static_cast<int>(scene.state.look.compare));
        constexpr std::array<const char*, 3> names{"now", "a", "difference"};
        if (chosen >= 0) scene.say("compare", names[static_cast<std::size_t>(chosen)]);
        if (ui::button(scene.ui, "compare.unpin", drop, "", ui::ButtonLook::plain, "Let go of A",
                       ui::Icon::close))
            scene.say("unpin-a");
    }
    rect.cut_top(scene.px(10));
}

}  // namespace

void experiment(Scene& scene, ui::Rect& rect) {
    comparison(scene, rect);
    group(scene, rect, FieldGroup::experiment, "EXPERIMENT");
    group(scene, rect, FieldGroup::layer, "LAYER");
    group(scene, rect, FieldGroup::patches, "PATCHES");
    group(scene, rect, FieldGroup::image, "IMAGE");
    group(scene, rect, FieldGroup::look, "DISPLAY");
}

}  // namespace headlight::views
