#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "frame/field_row.h"
#include "frame/figure_preview.h"
#include "frame/overlay.h"
#include "heads/class_choice.h"
#include "heads/flow.h"
#include "heads/heads.h"
#include "program/program.h"
#include "state/class_map_study.h"
#include "state/figure_maps.h"

// The panel for a figure of all heads' maps: which maps, their layout, and a preview.
namespace headlight::screens {

namespace {

// Whether the field has an effect with the current settings.
bool is_asked(const Frame& frame, std::string_view field) {
    const FigureLook& figure = frame.state.look.figure;
    const auto is_among = [&](const auto& names) {
        return std::ranges::find(names, field) != names.end();
    };
    constexpr std::array<std::string_view, 4> kOfAttention{"figure_queries", "figure_mass",
                                                           "attention_scale", "attention_cut"};
    const bool of_classes = !figure.methods.empty(), less = shows_difference(frame.work);
    if ((of_classes || less) && is_among(kOfAttention)) return false;
    if (of_classes && field == "figure_combine") return false;
    if (less && field == "heads_contours") return false;
    if (field == "figure_queries")
        return !frame.state.selection.also.empty() && figure.combine != Combined::hues;
    if (field == "figure_words") return figure.caption == FigureCaption::own;
    if (field == "figure_resolution") return figure.width_cm == 0;
    return true;
}

// Explains the difference, and which settings it lacks.
void say_difference(Frame& frame, ui::Layout& rest) {
    constexpr std::string_view kWords =
        "After − before, in signed colors around zero, with separate rows for each query. Scale, "
        "cut, outline, contours and hues do not apply.";
    const ui::TextStyle style = frame.small_dim();
    rest.paragraph(kWords, style, 8);
    frame.ui.report("figure.difference", "yes");
}

// Toggle buttons for the methods of class maps. With none, the figure shows the heads' maps.
void method_choice(Frame& frame, ui::Layout& rest) {
    const std::vector<MapMethod>& chosen = frame.state.look.figure.methods;
    const Counterfactual change = counterfactual_of(frame.recipe, *frame.trace.model);
    ui::Canvas(frame.ui).label(rest.row(0, 6), "Maps", {});
    ui::Flow flow = flow_in(frame, rest);
    const auto choice = [&](const std::string& name, std::string_view title, bool on,
                            const std::string& help, const std::vector<MapMethod>& next) {
        if (ui::button(frame.ui, "figure.method." + name,
                       flow.take(ui::button_width(frame.ui, title)), title,
                       on ? ui::ButtonLook::marked : ui::ButtonLook::outlined, help))
            frame.set("figure_methods", names_of(next));
    };
    choice("none", "heads", chosen.empty(), "The attention of the chosen heads", {});
    for (const MapMethodInfo& method : all_map_methods()) {
        std::vector<MapMethod> next = chosen;
        const bool on = std::erase(next, method.id) > 0;
        if (!on && !is_possible(method.id, frame.trace, change)) continue;
        if (!on) next.push_back(method.id);
        choice(std::string(name_of(method.id)), method.title, on, std::string(method.help), next);
    }
    if (std::ranges::any_of(chosen, asks_for_class)) class_choice(frame, flow, "figure.class");
    rest.top(flow.bottom() - rest.y + frame.px(8));
}

float rows(Frame& frame, ui::Layout rest) {
    constexpr std::array<std::string_view, 19> kFields{
        "figure_layers",   "figure_heads",      "figure_queries", "figure_combine",
        "figure_picture",  "figure_opacity",    "figure_columns", "figure_mass",
        "attention_scale", "attention_cut",     "heads_smooth",   "heads_contours",
        "figure_tile",     "figure_caption",    "figure_words",   "figure_theme",
        "figure_ground",   "figure_resolution", "figure_width_cm"};
    method_choice(frame, rest);
    if (shows_difference(frame.work)) say_difference(frame, rest);
    for (const std::string_view name : kFields) {
        if (!is_asked(frame, name)) continue;
        const Field& field = *find_field(name);
        field_row(frame, field, rest.top(field_height(frame, field), 2));
    }
    return rest.y;
}

void preview(Frame& frame, ui::Layout rect, const FigurePreview& shown) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim{.color = frame.colors().dim, .align = ui::Align::center};
    canvas.label(rect.last_row(0, 4), shown.size,
                 {.size = ui::Size::small, .color = dim.color, .align = dim.align});
    frame.ui.report("figure.size", shown.size);
    frame.ui.report("figure.error", shown.error);
    if (!shown.error.empty()) {
        canvas.wrapped(rect.inset(frame.px(12)), shown.error, {.color = frame.colors().error});
        return;
    }
    if (!shown.picture.pixels) return canvas.label(rect, "Drawing…", dim);
    const float wide = static_cast<float>(shown.picture.width),
                tall = static_cast<float>(shown.picture.height);
    // Never enlarged.
    const ui::Rect room{rect.center().x - std::min(rect.w, wide) / 2,
                        rect.center().y - std::min(rect.h, tall) / 2, std::min(rect.w, wide),
                        std::min(rect.h, tall)};
    const ui::Rect place = room.fit(wide / tall);
    canvas.photo(place, shown.picture);
    canvas.outline(place, frame.colors().border);
    frame.ui.name("figure.preview", {place, {}});
}

void command_line(Frame& frame, ui::Layout rect, const FigurePreview& shown) {
    ui::Canvas canvas(frame.ui);
    const std::string copy = "Copy";
    ui::Layout head = rect.row(8, 2);
    if (!shown.command.empty() &&
        ui::button(frame.ui, "figure.copy",
                   head.right(ui::button_width(frame.ui, copy)).inset(0, frame.px(2)), copy,
                   ui::ButtonLook::outlined, "Copies the command that draws the same figure"))
        frame.say("copy", "figure");
    canvas.caption(head, "COMMAND FOR THIS FIGURE");
    frame.ui.report("figure.command", shown.command);
    const auto clip = canvas.clip(rect);
    if (shown.command.empty())
        canvas.wrapped(rect, shown.why_no_command, {.color = frame.colors().dim});
    else
        canvas.wrapped(rect, shown.command, {.face = ui::Face::mono, .size = ui::Size::small});
    if (rect.contains(ImGui::GetIO().MousePos) && !shown.command.empty())
        frame.ui.tooltip(shown.command);
}

void buttons(Frame& frame, ui::Layout rect, const FigurePreview& shown) {
    const bool can = shown.error.empty();
    const auto button = [&](const char* name, const char* label, const char* tip,
                            ui::ButtonLook look) {
        return rect.button_right(name, label, 8, can ? look : ui::ButtonLook::disabled, tip);
    };
    if (button("figure.svg", "Save as SVG", "Text stays text, and maps stay sharp at any size",
               ui::ButtonLook::filled))
        frame.say("figure", "svg");
    if (button("figure.pdf", "PDF", "Saves a page of exactly this size, for a paper",
               ui::ButtonLook::outlined))
        frame.say("figure", "pdf");
    if (button("figure.png", "Save as PNG", "Saves it in pixels, as shown here",
               ui::ButtonLook::outlined))
        frame.say("figure", "png");
    ui::Canvas(frame.ui).label(
        rect, frame.work.notice().text,
        {.color = frame.work.notice().is_error ? frame.colors().error : frame.colors().ok});
}

}  // namespace

void figure_panel(Frame& frame, const ui::Rect& window) {
    const auto& shown = frame.memory.own<FigurePreview>();
    if (shown.busy) frame.ui.await_work();
    ui::Layout inside = begin_overlay(frame, window, "figure", "A figure of these maps");
    const float line = frame.line(), gap = frame.px(12);
    buttons(frame, inside.bottom(line + gap), shown);
    inside.bottom(gap);
    command_line(frame, inside.bottom(line * 5), shown);
    inside.bottom(gap);
    const bool upright = frame.is_upright_phone();
    const float wide = std::min(inside.w * 0.45F, frame.px(320) * frame.ui.text_scale());
    const ui::Layout settings = upright ? inside.bottom(inside.h * 0.6F) : inside.left(wide, 20);
    const ui::Layout content = begin_scroll(frame, settings, "figure");
    const float bottom = rows(frame, content);
    end_scroll(content, bottom);
    if (upright) inside.skip_bottom(8);
    preview(frame, inside, shown);
    end_overlay();
}

}  // namespace headlight::screens
