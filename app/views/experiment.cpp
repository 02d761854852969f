#include <algorithm>
#include <charconv>
#include <cstdio>

#include "state/fields.h"
#include "views/field_words.h"
#include "views/head_switch.h"
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

bool is_slider(const Field& field) { return field.slide_low < field.slide_high; }

std::string name_of(const Field& field) { return "field." + std::string(field.name); }

// What stands in a row: the value, and whether it is the model's own or the person's instead of it.
struct Present {
    std::string value;
    bool of_model = false, own = false;
};
Present present_value(const Scene& scene, const Field& field) {
    const std::string text = field.get(scene.state);
    const bool bare = scene.trace.model->is_bare_layer();
    if (field.name == "positions" && bare && text == "model") return {"sinusoidal"};
    if (!field.of_model) return {text};
    if (text != "model") return {text, false, true};
    return {field.of_model(scene.trace), true, false};
}

// What is being typed into a field stays the person's until it is done.
void typed_value(Scene& scene, const Field& field, const ui::Rect& rect,
                 const std::string& present) {
    std::string text = present;
    if (ui::number_field(scene.ui, name_of(field) + ".text", rect, text) && text != present) {
        scene.set(field.name, text);
        scene.memory.gesture_ended = true;
    }
}

void slider_row(Scene& scene, const Field& field, ui::Rect row, const std::string& present) {
    const ui::Rect number = row.cut_right(scene.px(74) * scene.ui.text_scale());
    row.cut_right(scene.px(6));
    typed_value(scene, field, number, present);
    double value = to_double(present, field.low);
    const auto slid = ui::slider(scene.ui, name_of(field), row, value, field.slide_low,
                                 field.slide_high, field.logarithmic);
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
    const std::vector<std::string_view> options = options_of(field, scene.trace);
    std::vector<std::string> words;
    int selected = 0;
    for (const std::string_view option : options) {
        if (option == present) selected = static_cast<int>(words.size());
        words.push_back(words_of(field, option));
    }
    const int chosen = ui::choice(scene.ui, name_of(field), row, options, selected, words);
    if (chosen >= 0) scene.set(field.name, std::string(options[static_cast<std::size_t>(chosen)]));
}

// Beside the label: that the value is the model's, or the way back to it.
void origin_mark(Scene& scene, const Field& field, ui::Rect label, const Present& present) {
    ui::Canvas canvas(scene.ui);
    label.cut_left(canvas.measure(label_of(field, scene.trace), {.size = ui::Size::small}) +
                   scene.px(8));
    const ui::TextStyle quiet{.size = ui::Size::small, .color = scene.colors().faint};
    const bool room = canvas.measure("model", quiet) <= label.w;
    if (present.of_model && room && !scene.trace.model->is_bare_layer())
        canvas.label(label, "model", quiet);
    if (!present.own) return;
    const ui::Rect place = label.cut_left(scene.line() + scene.px(2));
    if (ui::button(scene.ui, name_of(field) + ".reset",
                   {place.x, place.center().y - place.w / 2, place.w, place.w}, "",
                   ui::ButtonLook::plain, "Back to what it is without your choice",
                   ui::Icon::close))
        scene.say("reset", std::string(field.name));
}

// Label and value on one line; a slider takes a second one.
float field_height(Scene& scene, const Field& field) {
    return scene.line() + scene.px(8) + (is_slider(field) ? scene.line() + scene.px(4) : 0);
}

void field_row(Scene& scene, const Field& field, ui::Rect rect) {
    ui::Canvas canvas(scene.ui);
    const Present present = present_value(scene, field);
    ui::Rect row = rect.cut_top(scene.line() + scene.px(8));
    const bool by_slider = is_slider(field);
    const ui::Rect label = by_slider ? row : row.cut_left(row.w * label_share(field));
    canvas.label(label, label_of(field, scene.trace), {.size = ui::Size::small});
    if (label.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        scene.ui.tooltip(help_of(field, scene.trace));
    origin_mark(scene, field, label, present);
    if (by_slider)
        slider_row(scene, field, rect, present.value);
    else if (field.kind == FieldKind::choice || field.name == "family")
        choice_row(scene, field, row, present.value);
    else if (field.kind != FieldKind::toggle)
        typed_value(scene, field, row.inset(0, scene.px(2)), present.value);
    else if (ui::toggle(scene.ui, name_of(field), row, present.value == "true"))
        scene.set(field.name, present.value == "true" ? "false" : "true");
}

// Those of its fields that have something to say here; nothing where there are none.
void group(Scene& scene, ui::Rect& rect, FieldGroup which, std::string_view title) {
    std::vector<const Field*> fields;
    float height = 0;
    for (const Field& field : all_fields()) {
        if (field.group != which || !is_shown(field, scene.state, scene.trace)) continue;
        fields.push_back(&field);
        height += field_height(scene, field);
    }
    if (fields.empty()) return;
    ui::Canvas canvas(scene.ui);
    canvas.caption(rect.cut_top(scene.line()), title);
    rect.cut_top(scene.px(4));
    const ui::Rect whole = rect.cut_top(height + scene.px(16));
    canvas.card(whole, scene.colors().card);
    ui::Rect inside = whole.inset(scene.px(12), scene.px(8));
    for (const Field* field : fields)
        field_row(scene, *field, inside.cut_top(field_height(scene, *field)));
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
        if (chosen >= 0)
            scene.say("compare", std::string(kNames<Compare>[static_cast<std::size_t>(chosen)]));
        if (ui::button(scene.ui, "compare.unpin", drop, "", ui::ButtonLook::plain, "Let go of A",
                       ui::Icon::close))
            scene.say("unpin-a");
    }
    rect.cut_top(scene.px(10));
}

}  // namespace

void experiment(Scene& scene, ui::Rect& rect) {
    comparison(scene, rect);
    switched_off_line(scene, rect, "experiment");
    group(scene, rect, FieldGroup::experiment, "EXPERIMENT");
    group(scene, rect, FieldGroup::layer, "LAYER");
    group(scene, rect, FieldGroup::patches, "PATCHES");
    group(scene, rect, FieldGroup::image, "IMAGE");
    group(scene, rect, FieldGroup::model, "MODEL");
    group(scene, rect, FieldGroup::rollout, "ROLLOUT");
    group(scene, rect, FieldGroup::look, "DISPLAY");
}

}  // namespace headlight::views
