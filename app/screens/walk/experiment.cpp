#include "frame/baseline_changes.h"
#include "frame/field_row.h"
#include "frame/field_words.h"
#include "state/changes.h"
#include "state/fields.h"
#include "walk/panels.h"
#include "walk/sections.h"

namespace headlight::screens {

namespace {

// The group's fields that have an effect here.
std::vector<const Field*> fields_of(const Frame& frame, FieldGroup which) {
    std::vector<const Field*> fields;
    for (const Field& field : all_fields())
        if (field.group == which && is_shown(field, frame.state, frame.trace))
            fields.push_back(&field);
    return fields;
}

// The changed ones; a mask and positions are always named.
std::string summary_of(const Frame& frame, const std::vector<const Field*>& fields) {
    const Recipe& recipe = frame.state.recipe;
    const Field& first = *fields.front();
    const bool named = first.name == "mask" || first.name == "positions";
    std::string words = named ? words_of(first, field_value(frame, first)) : "";
    for (const RecipeField* changed : changed_fields(recipe, frame.trace))
        for (const Field* field : fields)
            if (field->name == changed->name && !(named && field == &first))
                words += (words.empty() ? "" : ", ") +
                         change_in_words(*changed, recipe, *frame.trace.model);
    return words;
}

void field_card(Frame& frame, ui::Layout& rect, const std::vector<const Field*>& fields) {
    float height = 0;
    for (const Field* field : fields) height += field_height(frame, *field);
    const ui::Rect whole = rect.top(height + frame.px(16), 10);
    ui::Canvas(frame.ui).card(whole, frame.colors().card);
    ui::Layout inside(frame.ui, whole, 12, 8);
    for (const Field* field : fields)
        field_row(frame, *field, inside.top(field_height(frame, *field)));
}

// A group of fields with a foldable header; nothing if it is empty.
void group(Frame& frame, ui::Layout& rect, FieldGroup which, Section section,
           std::string_view title, float spare = 0) {
    const std::vector<const Field*> fields = fields_of(frame, which);
    if (fields.empty()) return;
    if (section_head(frame, rect, section, title, summary_of(frame, fields), spare))
        field_card(frame, rect, fields);
}

// At the step that adds positions, there is a button to the Positions screen.
void positions_group(Frame& frame, ui::Layout& rect) {
    const Node& step = frame.node();
    const bool here = step.id == Step::position || step.op == Op::relative || step.op == Op::rotate;
    const char* words = "See them";
    const float wide = here && frame.trace.image ? ui::button_width(frame.ui, words) : 0;
    ui::Layout head(frame.ui, {rect.x, rect.y, rect.w, section_head_height(frame)});
    group(frame, rect, FieldGroup::positions, Section::positions, "POSITIONS", wide);
    if (wide > 0 &&
        ui::button(frame.ui, "positions.see", head.right(wide), words, ui::ButtonLook::outlined,
                   "Shows the positions by themselves and over the picture   Ctrl+4")) {
        frame.set("screen", "positions");
        const PositionWay way = step.op == Op::rotate     ? PositionWay::turned
                                : step.op == Op::relative ? PositionWay::bias
                                                          : PositionWay::added;
        if (way != frame.state.look.position_way)
            frame.set("position_way", std::string(name_of(way)));
    }
}

// The width of the button at the right end of the header that saves a baseline, while there is
// none.
float keep_width(Frame& frame, const char* label) {
    return frame.state.pinned ? 0 : ui::button_width(frame.ui, label) + frame.px(4);
}
void keep_button(Frame& frame, ui::Layout head, const char* label) {
    if (ui::button(frame.ui, "compare.pin", head.right(keep_width(frame, label)), label,
                   ui::ButtonLook::outlined,
                   "Saves this result as “before”. Every matrix can then show before, after, or "
                   "the difference   P"))
        frame.say("pin");
}

// Compares the current result with the baseline.
void comparison(Frame& frame, ui::Layout& rect) {
    if (!frame.state.pinned) return;
    ui::Layout row = rect.row(10);
    const ui::Rect drop = row.right(row.h), swap = row.right(row.h);
    row.skip_right(6);
    const int chosen = ui::segmented(frame.ui, "compare", row, {"before", "after", "difference"},
                                     static_cast<int>(frame.state.look.compare));
    if (chosen >= 0) frame.say("compare", std::string(name_of(static_cast<Compare>(chosen))));
    if (ui::button(frame.ui, "compare.swap", swap, "", ui::ButtonLook::plain,
                   "Swaps the baseline and the current experiment   V", ui::Icon::swap))
        frame.say("swap");
    if (ui::button(frame.ui, "compare.unpin", drop, "", ui::ButtonLook::plain,
                   "Discards the baseline", ui::Icon::close))
        frame.say("unpin");
    rect.skip_top(10);
}

// While the baseline is shown: says that the settings below are not, and what differs.
void whose_settings(Frame& frame, ui::Layout& rect) {
    if (!frame.state.pinned || frame.state.look.compare == Compare::after) return;
    const std::vector<std::string> lines = changes_since_baseline(frame);
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.color = frame.colors().dim};
    const std::string words =
        frame.before() ? "You see “before”, but the settings below belong to “after”."
                       : "You see after − before, but the settings below belong to “after”.";
    const float inner = rect.w - frame.px(24), line = frame.line(ui::Size::body);
    const float tall = canvas.measure_wrapped(words, style, inner).y;
    const ui::Rect whole = rect.top(
        tall + line * static_cast<float>(std::max<std::size_t>(1, lines.size())) + frame.px(16));
    canvas.card(whole, frame.colors().card);
    canvas.outline(whole, ui::with_alpha(frame.colors().accent, 0.6F), 1, frame.px(8));
    ui::Layout inside(frame.ui, whole, 12, 8);
    canvas.wrapped(inside.top(tall), words, style);
    if (lines.empty()) canvas.label(inside, "The settings are the same.", style);
    for (const std::string& text : lines) canvas.label(inside.top(line), text, {});
    rect.skip_top(10);
    frame.ui.report("compare.settings", words);
}

}  // namespace

void experiment(Frame& frame, ui::Layout& rect) {
    std::string summary;
    if (frame.state.pinned && frame.state.look.compare != Compare::after)
        summary = "showing " + std::string(name_of(frame.state.look.compare));
    constexpr const char* keep = "Save as baseline";
    const bool drawn_out = is_open(frame, Section::experiment);
    const float spare = drawn_out ? keep_width(frame, keep) : 0;
    const ui::Rect head{rect.x, rect.y, rect.w, section_head_height(frame)};
    const bool open = section_head(frame, rect, Section::experiment, "EXPERIMENT", summary, spare);
    if (open && !frame.state.pinned) keep_button(frame, {frame.ui, head}, keep);
    rect.skip_top(4);
    comparison(frame, rect);
    whose_settings(frame, rect);
    if (!open) return;
    group(frame, rect, FieldGroup::signal, Section::signal, "SIGNAL");
    group(frame, rect, FieldGroup::scores, Section::scores, "SCORES");
    group(frame, rect, FieldGroup::mask, Section::mask, "MASK");
    positions_group(frame, rect);
    group(frame, rect, FieldGroup::layer, Section::layer, "LAYER");
    group(frame, rect, FieldGroup::rollout, Section::rollout, "ROLLOUT");
    group(frame, rect, FieldGroup::patches, Section::patches, "PATCHES");
    group(frame, rect, FieldGroup::image, Section::image, "IMAGE");
    group(frame, rect, FieldGroup::model, Section::model, "MODEL");
    group(frame, rect, FieldGroup::look, Section::look, "DISPLAY");
}

}  // namespace headlight::screens
