#include "frame/field_row.h"

#include <algorithm>

#include "frame/field_words.h"
#include "frame/mask_brush.h"
#include "kernels/read_number.h"
#include "program/mask_text.h"
#include "state/changes.h"

namespace headlight::screens {

namespace {

double to_double(const std::string& text, double otherwise) {
    double value = otherwise;
    read_number(text.data(), text.data() + text.size(), value);
    return value;
}

bool is_slider(const Field& field) { return field.slide_low < field.slide_high; }

std::string name_of(const Field& field) { return "field." + std::string(field.name); }

// The text of a row: its value, and whether it is the model's own or the user's.
struct Present {
    std::string value;
    bool of_model = false, own = false;
};
Present present_value(const Frame& frame, const Field& field) {
    const RecipeField* of_recipe = find_field(recipe_fields(), field.name);
    if (of_recipe == nullptr) return {field.get(frame.state)};
    const Recipe& recipe = frame.state.recipe;
    const std::string text = effective_value(*of_recipe, recipe, frame.trace);
    if (field.of_model && text == "model") return {field.of_model(frame.trace), true, false};
    return {text, false, is_changed(*of_recipe, recipe, frame.trace)};
}

// Keeps the user's text until they finish typing.
void typed_value(Frame& frame, const Field& field, const std::string& name, const ui::Rect& rect,
                 const std::string& present) {
    std::string text = present;
    if (ui::number_field(frame.ui, name + ".text", rect, text) && text != present) {
        frame.set(field.name, text);
        frame.memory.gesture_ended = true;
    }
}

void slider_row(Frame& frame, const Field& field, const std::string& name, ui::Layout row,
                float number, const std::string& present) {
    typed_value(frame, field, name, row.right(number, 6), present);
    double value = to_double(present, field.low);
    const auto slid = ui::slider(frame.ui, name, row, value, field.slide_low, field.slide_high,
                                 field.logarithmic);
    if (slid.changed) {
        State with_file = frame.state;  // a file determines the channels, which heads must divide
        if (!frame.recipe.weights.empty()) with_file.recipe.channels = frame.trace.config.channels;
        const int unit = field.unit ? field.unit(frame.trace) : 1;
        const std::string next = slider_text(field, with_file, value, unit);
        if (next != present) frame.set(field.name, next);
    }
    if (slid.released) frame.memory.gesture_ended = true;
}

// A mask rule: a switch, or its numbers.
void rule_row(Frame& frame, const Field& field, ui::Layout row, const MaskRules& rules,
              const MaskInfo& mask) {
    const auto held = std::ranges::find(rules, mask.id, &MaskRule::kind);
    const bool holds = held != rules.end();
    MaskRules others = rules;
    std::erase_if(others, [&](const MaskRule& rule) { return rule.kind == mask.id; });
    const auto without = mask_text(others);
    const auto set_with = [&](const std::string& rule) {
        frame.set(field.name, others.empty() ? rule : without + " + " + rule);
    };
    const std::string name = name_of(field) + "." + std::string(mask.name);
    ui::Canvas(frame.ui).label(row.left(row.w * 0.7F), mask.label, {.color = frame.colors().dim});
    if (mask.most == 0) {
        if (!ui::toggle(frame.ui, name, row, holds)) return;
        return holds ? frame.set(field.name, without) : set_with(std::string(mask.name));
    }
    const std::string said = holds ? mask_text({*held}).substr(mask.name.size() + 1) : "none";
    std::string text = said;
    if (!ui::number_field(frame.ui, name, row.inset(0, frame.px(2)), text) || text == said) return;
    if (text.empty() || text == "none") return frame.set(field.name, without);
    set_with(std::string(mask.name) + " " + text);
}

// The painted part of the mask, with a button to remove it and the switch of the brush.
void painted_row(Frame& frame, const Field& field, ui::Layout row, const MaskRules& rules) {
    MaskBrush& brush = frame.memory.own<MaskBrush>();
    const std::string name = name_of(field) + "." + std::string(info(MaskKind::blocked).name);
    const ui::Rect place = row.right(std::min(row.w * 0.3F, frame.px(44)));
    if (ui::toggle(frame.ui, name, place, brush.on)) brush.on = !brush.on;
    if (place.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(
            "Masks what you paint: cells of the scores or the attention, or patches as keys. Begin "
            "on a masked cell or patch to unmask.");
    const auto held = std::ranges::find(rules, MaskKind::blocked, &MaskRule::kind);
    if (held != rules.end()) {
        const ui::Rect off = row.right(frame.line() + frame.px(2));
        if (ui::button(frame.ui, name + ".reset", {off.x, off.center().y - off.w / 2, off.w, off.w},
                       "", ui::ButtonLook::plain, "Removes the painted mask", ui::Icon::close)) {
            MaskRules others = rules;
            std::erase_if(others, [](const MaskRule& r) { return r.kind == MaskKind::blocked; });
            frame.set(field.name, mask_text(others));
        }
    }
    ui::Canvas(frame.ui).label(row,
                               held != rules.end() ? label_of(MaskRules{*held}) : "paint by hand",
                               {.color = frame.colors().dim});
}

// Rules that are available here. One that is set is always shown, so that it can be removed.
bool is_offered(const Frame& frame, const MaskInfo& mask) {
    if (!is_cross(frame.trace) || !mask.needs_square) return true;
    return std::ranges::find(frame.state.recipe.mask, mask.id, &MaskRule::kind) !=
           frame.state.recipe.mask.end();
}

void rule_rows(Frame& frame, const Field& field, ui::Layout rect, const MaskRules& rules) {
    for (const MaskInfo& mask : all_masks()) {
        if (!is_offered(frame, mask)) continue;
        const ui::Layout row = rect.row(8);
        if (mask.id == MaskKind::blocked)
            painted_row(frame, field, row, rules);
        else
            rule_row(frame, field, row, rules, mask);
    }
}

// Beside the label: a note that the value is the model's, or a button to return to it.
void origin_mark(Frame& frame, const Field& field, ui::Layout label, const Present& present) {
    ui::Canvas canvas(frame.ui);
    label.left(canvas.measure(label_of(field, frame.trace), {}) + frame.px(8));
    const ui::TextStyle quiet{.size = ui::Size::small, .color = frame.colors().faint};
    const bool room = canvas.measure("model", quiet) <= label.w;
    if (present.of_model && room && !frame.trace.model->is_bare_layer())
        canvas.label(label, "model", quiet);
    if (!present.own) return;
    const ui::Rect place = label.left(frame.line() + frame.px(2));
    if (ui::button(frame.ui, name_of(field) + ".reset",
                   {place.x, place.center().y - place.w / 2, place.w, place.w}, "",
                   ui::ButtonLook::plain, "Resets this setting", ui::Icon::close))
        frame.say("reset", std::string(field.name));
}

}  // namespace

void field_slider(Frame& frame, const Field& field, const std::string& name, ui::Rect row,
                  float number) {
    slider_row(frame, field, name, {frame.ui, row}, number, present_value(frame, field).value);
}

std::string field_value(const Frame& frame, const Field& field) {
    return present_value(frame, field).value;
}

void field_choice(Frame& frame, const Field& field, const ui::Rect& rect) {
    const std::vector<std::string_view> options = options_of(field, frame.trace);
    const std::string present = field_value(frame, field);
    std::vector<std::string> words;
    int selected = 0;
    for (const std::string_view option : options) {
        if (option == present) selected = static_cast<int>(words.size());
        words.push_back(words_of(field, option));
    }
    const int chosen = ui::choice(frame.ui, name_of(field), rect, options, selected, words);
    if (chosen >= 0) frame.set(field.name, std::string(options[static_cast<std::size_t>(chosen)]));
}

float field_height(Frame& frame, const Field& field) {
    const float line = frame.line() + frame.px(8);
    if (field.kind == FieldKind::rules)
        return line * static_cast<float>(1 + std::ranges::count_if(all_masks(), [&](const auto& m) {
                                             return is_offered(frame, m);
                                         }));
    return line + (is_slider(field) ? frame.line() + frame.px(4) : 0);
}

void field_row(Frame& frame, const Field& field, ui::Layout rect) {
    const Present present = present_value(frame, field);
    ui::Layout row = rect.row(8);
    const bool by_slider = is_slider(field);
    const ui::Rect label = by_slider ? row : row.left(row.w * label_share(field));
    ui::Canvas(frame.ui).label(label, label_of(field, frame.trace), {});
    if (label.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(help_of(field, frame.trace));
    origin_mark(frame, field, {frame.ui, label}, present);
    if (field.kind == FieldKind::rules)
        rule_rows(frame, field, rect, frame.recipe.mask);
    else if (by_slider)
        slider_row(frame, field, name_of(field), rect, frame.px(74) * frame.ui.text_scale(),
                   present.value);
    else if (field.kind == FieldKind::choice || field.options)
        field_choice(frame, field, row);
    else if (field.kind != FieldKind::toggle)
        typed_value(frame, field, name_of(field), row.inset(0, frame.px(2)), present.value);
    else if (ui::toggle(frame.ui, name_of(field), row, present.value == "true"))
        frame.set(field.name, present.value == "true" ? "false" : "true");
}

}  // namespace headlight::screens
