#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "frame/field_words.h"
#include "frame/head_switch.h"
#include "program/mask_text.h"
#include "state/changes.h"
#include "state/fields.h"
#include "walk/panels.h"
#include "walk/sections.h"

namespace headlight::screens {

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
Present present_value(const Frame& frame, const Field& field) {
    const RecipeField* of_recipe = find_field(recipe_fields(), field.name);
    if (of_recipe == nullptr) return {field.get(frame.state)};
    const Recipe& recipe = frame.state.recipe;
    const std::string text = effective_value(*of_recipe, recipe, frame.trace);
    if (field.of_model && text == "model") return {field.of_model(frame.trace), true, false};
    return {text, false, is_changed(*of_recipe, recipe, frame.trace)};
}

// What is being typed into a field stays the person's until it is done.
void typed_value(Frame& frame, const Field& field, const ui::Rect& rect,
                 const std::string& present) {
    std::string text = present;
    if (ui::number_field(frame.ui, name_of(field) + ".text", rect, text) && text != present) {
        frame.set(field.name, text);
        frame.memory.gesture_ended = true;
    }
}

void slider_row(Frame& frame, const Field& field, ui::Rect row, const std::string& present) {
    const ui::Rect number = row.cut_right(frame.px(74) * frame.ui.text_scale());
    row.cut_right(frame.px(6));
    typed_value(frame, field, number, present);
    double value = to_double(present, field.low);
    const auto slid = ui::slider(frame.ui, name_of(field), row, value, field.slide_low,
                                 field.slide_high, field.logarithmic);
    if (slid.changed && field.snap) {
        State with_file = frame.state;  // a file decides the channels that heads must divide
        if (!frame.recipe.weights.empty()) with_file.recipe.channels = frame.trace.config.channels;
        value = field.snap(with_file, value);
    }
    const std::string next = to_text(field, value);
    if (slid.changed && next != present) frame.set(field.name, next);
    if (slid.released) frame.memory.gesture_ended = true;
}

void choice_row(Frame& frame, const Field& field, const ui::Rect& row, const std::string& present) {
    const std::vector<std::string_view> options = options_of(field, frame.trace);
    std::vector<std::string> words;
    int selected = 0;
    for (const std::string_view option : options) {
        if (option == present) selected = static_cast<int>(words.size());
        words.push_back(words_of(field, option));
    }
    const int chosen = ui::choice(frame.ui, name_of(field), row, options, selected, words);
    if (chosen >= 0) frame.set(field.name, std::string(options[static_cast<std::size_t>(chosen)]));
}

// A rule of a mask: whether it holds, or the numbers with which it holds.
void rule_row(Frame& frame, const Field& field, ui::Rect row, const MaskRules& rules,
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
    ui::Canvas(frame.ui).label(row.cut_left(row.w * 0.7F), mask.label,
                               {.color = frame.colors().dim});
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

void rule_rows(Frame& frame, const Field& field, ui::Rect rect, const MaskRules& rules) {
    for (const MaskInfo& mask : all_masks())
        rule_row(frame, field, rect.cut_top(frame.line() + frame.px(8)), rules, mask);
}

// Beside the label: that the value is the model's, or the way back to it.
void origin_mark(Frame& frame, const Field& field, ui::Rect label, const Present& present) {
    ui::Canvas canvas(frame.ui);
    label.cut_left(canvas.measure(label_of(field, frame.trace), {}) + frame.px(8));
    const ui::TextStyle quiet{.size = ui::Size::small, .color = frame.colors().faint};
    const bool room = canvas.measure("model", quiet) <= label.w;
    if (present.of_model && room && !frame.trace.model->is_bare_layer())
        canvas.label(label, "model", quiet);
    if (!present.own) return;
    const ui::Rect place = label.cut_left(frame.line() + frame.px(2));
    if (ui::button(frame.ui, name_of(field) + ".reset",
                   {place.x, place.center().y - place.w / 2, place.w, place.w}, "",
                   ui::ButtonLook::plain, "Back to what it is without your choice",
                   ui::Icon::close))
        frame.say("reset", std::string(field.name));
}

// Label and value on one line; a slider takes a second one.
float field_height(Frame& frame, const Field& field) {
    const float line = frame.line() + frame.px(8);
    if (field.kind == FieldKind::rules) return line * static_cast<float>(1 + all_masks().size());
    return line + (is_slider(field) ? frame.line() + frame.px(4) : 0);
}

void field_row(Frame& frame, const Field& field, ui::Rect rect) {
    ui::Canvas canvas(frame.ui);
    const Present present = present_value(frame, field);
    ui::Rect row = rect.cut_top(frame.line() + frame.px(8));
    const bool by_slider = is_slider(field);
    const ui::Rect label = by_slider ? row : row.cut_left(row.w * label_share(field));
    canvas.label(label, label_of(field, frame.trace), {});
    if (label.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(help_of(field, frame.trace));
    origin_mark(frame, field, label, present);
    if (field.kind == FieldKind::rules)
        rule_rows(frame, field, rect, frame.recipe.mask);
    else if (by_slider)
        slider_row(frame, field, rect, present.value);
    else if (field.kind == FieldKind::choice || field.name == "family")
        choice_row(frame, field, row, present.value);
    else if (field.kind != FieldKind::toggle)
        typed_value(frame, field, row.inset(0, frame.px(2)), present.value);
    else if (ui::toggle(frame.ui, name_of(field), row, present.value == "true"))
        frame.set(field.name, present.value == "true" ? "false" : "true");
}

// Those of the group's fields that have something to say here.
std::vector<const Field*> fields_of(const Frame& frame, FieldGroup which) {
    std::vector<const Field*> fields;
    for (const Field& field : all_fields())
        if (field.group == which && is_shown(field, frame.state, frame.trace))
            fields.push_back(&field);
    return fields;
}

// What is changed of them; a mask and positions are named in any case.
std::string summary_of(const Frame& frame, const std::vector<const Field*>& fields) {
    const Recipe& recipe = frame.state.recipe;
    const Field& first = *fields.front();
    const bool named = first.name == "mask" || first.name == "positions";
    std::string words = named ? words_of(first, present_value(frame, first).value) : "";
    for (const RecipeField* changed : changed_fields(recipe, frame.trace))
        for (const Field* field : fields)
            if (field->name == changed->name && !(named && field == &first))
                words += (words.empty() ? "" : ", ") + change_in_words(*changed, recipe);
    return words;
}

void field_card(Frame& frame, ui::Rect& rect, const std::vector<const Field*>& fields) {
    float height = 0;
    for (const Field* field : fields) height += field_height(frame, *field);
    const ui::Rect whole = rect.cut_top(height + frame.px(16));
    ui::Canvas(frame.ui).card(whole, frame.colors().card);
    ui::Rect inside = whole.inset(frame.px(12), frame.px(8));
    for (const Field* field : fields)
        field_row(frame, *field, inside.cut_top(field_height(frame, *field)));
    rect.cut_top(frame.px(10));
}

// A group of fields under a head that folds it; nothing where it has nothing to say.
void group(Frame& frame, ui::Rect& rect, FieldGroup which, Section section,
           std::string_view title) {
    const std::vector<const Field*> fields = fields_of(frame, which);
    if (fields.empty()) return;
    if (section_head(frame, rect, section, title, summary_of(frame, fields)))
        field_card(frame, rect, fields);
}

// At the right end of the section's head: keeping a result, while none is kept.
float keep_width(Frame& frame, const char* label) {
    return frame.state.pinned ? 0 : ui::button_width(frame.ui, label) + frame.px(4);
}
void keep_button(Frame& frame, ui::Rect head, const char* label) {
    const ui::Rect place = head.cut_right(keep_width(frame, label));
    if (ui::button(frame.ui, "compare.pin", place, label, ui::ButtonLook::outlined,
                   "Keeps this result as “before”; afterwards every matrix can show now, before, "
                   "or the difference   P"))
        frame.say("pin");
}

// Holding the present result against the one that was kept.
void comparison(Frame& frame, ui::Rect& rect) {
    if (!frame.state.pinned) return;
    ui::Rect row = rect.cut_top(frame.line() + frame.px(10));
    const ui::Rect drop = row.cut_right(row.h);
    row.cut_right(frame.px(6));
    const int chosen = ui::segmented(frame.ui, "compare", row, {"now", "before", "difference"},
                                     static_cast<int>(frame.state.look.compare));
    if (chosen >= 0)
        frame.say("compare", std::string(kNames<Compare>[static_cast<std::size_t>(chosen)]));
    if (ui::button(frame.ui, "compare.unpin", drop, "", ui::ButtonLook::plain,
                   "Let go of the result that was kept", ui::Icon::close))
        frame.say("unpin");
    rect.cut_top(frame.px(10));
}

// As a person says it: layers are counted from 1, files are known by their last name.
std::string said_value(const RecipeField& field, const Recipe& recipe) {
    if (field.name == "scene") return recipe.scene ? "drawn" : "none";
    if (field.name == "tokens") return gives_tokens(recipe.tokens) ? "given" : "none";
    if (field.name == "layer") return std::to_string(recipe.layer + 1);
    const std::string value = field.get(recipe);
    if (field.kind == FieldKind::file) return std::filesystem::path(value).filename().string();
    return words_of(field, value);
}

// In what the result that was kept was made otherwise than the present one, a line each.
std::vector<std::string> changes_since_kept(const Frame& frame) {
    const Recipe &then = *frame.state.pinned, &now = frame.state.recipe;
    std::vector<std::string> lines;
    for (const RecipeField& field : recipe_fields()) {
        if (!field.parts.empty() || field.get(then) == field.get(now)) continue;
        const std::string before = said_value(field, then), present = said_value(field, now);
        lines.push_back(std::string(field.label) + "  " + before + " → " +
                        (before == present ? "another" : present));
    }
    return lines;
}

// While the result that was kept is on the screen: whose settings stand below, and in what the two
// differ.
void whose_settings(Frame& frame, ui::Rect& rect) {
    if (!frame.state.pinned || frame.state.look.compare == Compare::now) return;
    const std::vector<std::string> lines = changes_since_kept(frame);
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.color = frame.colors().dim};
    const std::string words = frame.before()
                                  ? "The picture is of before, the settings below are of now."
                                  : "The picture is now − before, the settings below are of now.";
    const float inner = rect.w - frame.px(24), line = frame.line(ui::Size::body);
    const float tall = canvas.measure_wrapped(words, style, inner).y;
    const ui::Rect whole = rect.cut_top(
        tall + line * static_cast<float>(std::max<std::size_t>(1, lines.size())) + frame.px(16));
    canvas.card(whole, frame.colors().card);
    canvas.outline(whole, ui::with_alpha(frame.colors().accent, 0.6F), 1, frame.px(8));
    ui::Rect inside = whole.inset(frame.px(12), frame.px(8));
    canvas.wrapped(inside.cut_top(tall), words, style);
    if (lines.empty()) canvas.label(inside, "They are the same.", style);
    for (const std::string& text : lines) canvas.label(inside.cut_top(line), text, {});
    rect.cut_top(frame.px(10));
    frame.ui.report("compare.settings", words);
}

}  // namespace

void experiment(Frame& frame, ui::Rect& rect) {
    std::string summary;
    if (frame.state.pinned && frame.state.look.compare != Compare::now)
        summary = "showing " + std::string(name_of(frame.state.look.compare));
    constexpr const char* keep = "Keep, to compare";
    const ui::Rect head{rect.x, rect.y, rect.w, section_head_height(frame)};
    const bool open = section_head(frame, rect, Section::experiment, "EXPERIMENT", summary,
                                   keep_width(frame, keep));
    if (!frame.state.pinned) keep_button(frame, head, keep);
    if (open) {
        rect.cut_top(frame.px(4));
        comparison(frame, rect);
        whose_settings(frame, rect);
        group(frame, rect, FieldGroup::scores, Section::scores, "SCORES");
        group(frame, rect, FieldGroup::mask, Section::mask, "MASK");
        group(frame, rect, FieldGroup::positions, Section::positions, "POSITIONS");
        group(frame, rect, FieldGroup::layer, Section::layer, "LAYER");
    }
    group(frame, rect, FieldGroup::rollout, Section::rollout, "ROLLOUT");
}

void signal_settings(Frame& frame, ui::Rect& rect) {
    group(frame, rect, FieldGroup::signal, Section::signal, "SIGNAL");
}

void settings(Frame& frame, ui::Rect& rect) {
    group(frame, rect, FieldGroup::patches, Section::patches, "PATCHES");
    group(frame, rect, FieldGroup::image, Section::image, "IMAGE");
    group(frame, rect, FieldGroup::model, Section::model, "MODEL");
    group(frame, rect, FieldGroup::look, Section::look, "DISPLAY");
}

}  // namespace headlight::screens
