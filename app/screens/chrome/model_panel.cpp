#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "chrome/chrome.h"
#include "chrome/hub_models.h"
#include "chrome/local_models.h"
#include "chrome/model_text.h"
#include "disk/names.h"
#include "families/load.h"
#include "frame/overlay.h"
#include "model/builder.h"
#include "state/directory.h"

namespace headlight::screens {

namespace {

void section(Frame& frame, ui::Layout& rest, const std::string& title) {
    ui::Canvas(frame.ui).caption(rest.row(0, 6), title);
}

// A name and its values, wrapped in two or three columns; the row has the height of its tallest
// column.
struct Column {
    std::string text;
    float part = 0;  // fraction of the width
    ui::TextStyle style;
};
void table_row(Frame& frame, ui::Layout& rest, const std::vector<Column>& columns) {
    ui::Layout row = rest;
    float tall = 0;
    for (const Column& column : columns) {
        ui::Rect cell = row.left(rest.w * column.part);
        cell.w -= frame.px(16);
        tall = std::max(tall, ui::Canvas(frame.ui).wrapped(cell, column.text, column.style));
    }
    rest.top(tall + frame.px(4));
}

void facts_table(Frame& frame, ui::Layout& rest, const std::vector<ModelFact>& facts) {
    const ui::TextStyle name{.color = frame.colors().dim}, value{},
        origin{.color = frame.colors().dim};
    for (const ModelFact& fact : facts) {
        table_row(
            frame, rest,
            {{fact.what, 0.24F, name}, {fact.value, 0.36F, value}, {fact.origin, 0.4F, origin}});
        frame.ui.report("model." + fact.what, fact.value);
    }
}

// The parts of the model with their number of parameters and fraction of the total.
void parts_table(Frame& frame, ui::Layout& rest, const Model& model) {
    ui::Canvas canvas(frame.ui);
    const std::int64_t all = std::max<std::int64_t>(parameter_count(model), 1);
    const ui::TextStyle words{};
    const ui::TextStyle number{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const auto line = [&](const std::string& name, std::int64_t count, bool bar) {
        ui::Layout row = rest.row(4);
        const float part = static_cast<float>(count) / static_cast<float>(all);
        const ui::Rect whole = row.inset(0, frame.px(1));
        row = row.inset(frame.px(8), 0);
        if (bar)
            canvas.fill({whole.x, whole.y, std::max(whole.w * part, frame.px(2)), whole.h},
                        ui::with_alpha(frame.colors().hue(ui::Hue::weight), 0.3F), frame.px(4));
        const std::string text = grouped(count);
        row.words_right(text, number, 8);
        canvas.label(row, name, words);
    };
    for (const ModelPart& part : parts_of(model)) line(part.name, part.parameters, true);
    const ui::Rect rule = rest.top(frame.px(8));
    canvas.line({rule.x, rule.center().y}, {rule.x + rule.w, rule.center().y},
                frame.colors().border);
    line("all parameters", parameter_count(model), false);
    frame.ui.report("model.parameters", grouped(parameter_count(model)));
}

// A line of a list; whether it is clicked and not the one that is shown.
bool list_line(Frame& frame, ui::Layout& rest, const std::string& name, const std::string& label,
               bool shown, const std::string& tip) {
    ui::Rect row = rest.row(8);
    const auto state = ui::interact(frame.ui, name, row);
    ui::Canvas canvas(frame.ui);
    if (state.hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        canvas.fill(row, frame.colors().hover, frame.px(6));
        frame.ui.tooltip(tip);
    }
    canvas.label(row.inset(frame.px(8), 0), label,
                 {.color = shown ? frame.colors().accent : frame.colors().text});
    return state.clicked && !shown;
}

void recent_models(Frame& frame, ui::Layout& rest) {
    int number = 0;
    for (const std::string& file : frame.state.recent_models)
        if (list_line(frame, rest, fmt::format("model.recent.{}", ++number), model_name(file),
                      file == frame.recipe.weights, file))
            frame.say("open-model", file);
    if (number > 0) return;
    const ui::TextStyle dim{.color = frame.colors().dim};
    rest.paragraph("None yet. You can open one attention layer, attention maps, or a model of " +
                       names_of_models() + ".",
                   dim);
}

// The encoders in a file with several; a click opens another one.
void encoders(Frame& frame, ui::Layout& rest, const Model& model) {
    if (model.encoders.size() < 2) return;
    rest.skip_top(16);
    section(frame, rest, "PARTS OF THE FILE");
    for (const std::string& name : model.encoders) {
        const bool shown = name == model.encoder;
        if (list_line(frame, rest, "model.encoder." + name, name, shown,
                      shown ? "This part is open." : "Opens this part of the file instead."))
            frame.set("part", name);
    }
}

void unused(Frame& frame, ui::Layout& rest, const Model& model) {
    if (model.unused.empty()) return;
    section(frame, rest,
            fmt::format("IN THE FILE, BUT NOT USED · {}", grouped(unused_count(model))));
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    for (const std::string& line : model.unused) rest.paragraph(line, mono, 2);
    rest.skip_top(16);
}

void foot(Frame& frame, ui::Layout rect) {
    const auto next = [&](const char* name, const char* label, const char* tip, ui::Icon icon) {
        return rect.button_left(name, label, 8, ui::ButtonLook::outlined, tip, icon);
    };
    if (next("model.open", "Open a model…", "Ctrl+O", ui::Icon::folder)) frame.say("show", "files");
    if (frame.recipe.weights.empty()) return;
    const char* random = "Use one random layer";
    const bool fits = ui::button_width(frame.ui, random) <= rect.w;
    if (next("model.none", fits ? random : "Close it",
             "Closes the model and walks through a single random layer", ui::Icon::none))
        frame.say("close-model");
}

void contents(Frame& frame, ui::Layout& rest) {
    const Model& model = *frame.trace.model;
    const ui::TextStyle dim{.color = frame.colors().dim};
    const std::string file =
        frame.recipe.weights.empty() ? "No file: " + model.title : frame.recipe.weights;
    rest.paragraph(file, dim, 14);

    const float gap = frame.px(40);
    const bool beside = rest.w > frame.px(700) * frame.ui.text_scale();
    ui::Layout left(frame.ui, beside ? rest.left((rest.w - gap) * 0.58F) : rest);
    const float x = beside ? left.x : rest.x, whole = beside ? left.w + rest.w : rest.w;
    section(frame, left, "PARAMETERS");
    parts_table(frame, left, model);
    ui::Layout right(frame.ui, beside ? rest : left);
    right.left(beside ? gap : 0);
    if (!beside) right.skip_top(16);
    section(frame, right, "RECENT MODELS");
    recent_models(frame, right);
    encoders(frame, right, model);
    local_models_list(frame, right, [&] {
        right.skip_top(16);
        section(frame, right, "ON THIS MACHINE");
    });
    right.skip_top(16);
    section(frame, right, "MODELS TO DOWNLOAD");
    hub_models_list(frame, right);

    rest = {x, std::max(left.y, right.y) + frame.px(16), whole, 1e6F};
    section(frame, rest, "FACTS AND THEIR SOURCES");
    facts_table(frame, rest, model_facts(frame.trace, frame.recipe));
    rest.skip_top(16);
    if (frame.trace.image) {
        section(frame, rest, "PREPROCESSING");
        facts_table(frame, rest, preprocessing_facts(frame.trace, frame.recipe));
        rest.skip_top(16);
    }
    unused(frame, rest, model);
}

}  // namespace

void model_panel(Frame& frame, const ui::Rect& window) {
    const std::string name = model_name_of(frame.recipe),
                      kind = model_kind(frame.trace, frame.recipe);
    const std::string title = frame.is_upright_phone() ? name : name + " · " + kind;
    ui::Layout inside = begin_overlay(frame, window, "model", title);
    ui::Layout bottom = inside.last_row(12, 12);
    foot(frame, bottom);
    const ui::Layout content = begin_scroll(frame, inside, "model");
    ui::Layout rest = content;
    contents(frame, rest);
    end_scroll(content, rest.y);
    end_overlay();
}

}  // namespace headlight::screens
