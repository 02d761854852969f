#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "disk/names.h"
#include "model/builder.h"
#include "views/model_text.h"
#include "views/overlay.h"
#include "views/panels.h"

namespace headlight::views {

namespace {

void section(Scene& scene, ui::Rect& rest, const std::string& title) {
    ui::Canvas(scene.ui).caption(rest.cut_top(scene.line()), title);
    rest.cut_top(scene.px(6));
}

// A name and what belongs to it, wrapped in two or three columns; the row is as tall as its
// tallest.
struct Column {
    std::string text;
    float part = 0;  // of the width
    ui::TextStyle style;
};
void table_row(Scene& scene, ui::Rect& rest, const std::vector<Column>& columns) {
    ui::Canvas canvas(scene.ui);
    ui::Rect row = rest;
    float tall = 0;
    for (const Column& column : columns) {
        ui::Rect cell = row.cut_left(rest.w * column.part);
        cell.w -= scene.px(16);
        tall = std::max(tall, canvas.wrapped(cell, column.text, column.style));
    }
    rest.cut_top(tall + scene.px(4));
}

void facts_table(Scene& scene, ui::Rect& rest, const std::vector<ModelFact>& facts) {
    const ui::TextStyle name{.size = ui::Size::small, .color = scene.colors().dim},
        value{.size = ui::Size::small},
        origin{.size = ui::Size::small, .color = scene.colors().dim};
    for (const ModelFact& fact : facts) {
        table_row(
            scene, rest,
            {{fact.what, 0.24F, name}, {fact.value, 0.36F, value}, {fact.origin, 0.4F, origin}});
        scene.ui.report("model." + fact.what, fact.value);
    }
}

// The parts of the model with their parameters: how many, and which share of all.
void parts_table(Scene& scene, ui::Rect& rest, const Model& model) {
    ui::Canvas canvas(scene.ui);
    const std::int64_t all = std::max<std::int64_t>(parameter_count(model), 1);
    const ui::TextStyle words{.size = ui::Size::small};
    const ui::TextStyle number{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const auto line = [&](const std::string& name, std::int64_t count, bool bar) {
        ui::Rect row = rest.cut_top(scene.line() + scene.px(4));
        const float part = static_cast<float>(count) / static_cast<float>(all);
        const ui::Rect whole = row.inset(0, scene.px(1));
        row = row.inset(scene.px(8), 0);
        if (bar)
            canvas.fill({whole.x, whole.y, std::max(whole.w * part, scene.px(2)), whole.h},
                        ui::with_alpha(scene.colors().hue(ui::Hue::weight), 0.3F), scene.px(4));
        const std::string text = grouped(count);
        canvas.label(row.cut_right(canvas.measure(text, number) + 1), text, number);
        row.cut_right(scene.px(8));
        canvas.label(row, name, words);
    };
    for (const ModelPart& part : parts_of(model)) line(part.name, part.parameters, true);
    const ui::Rect rule = rest.cut_top(scene.px(8));
    canvas.line({rule.x, rule.center().y}, {rule.x + rule.w, rule.center().y},
                scene.colors().border);
    line("all parameters", parameter_count(model), false);
    scene.ui.report("model.parameters", grouped(parameter_count(model)));
}

void recent_models(Scene& scene, ui::Rect& rest) {
    const float tall = scene.line() + scene.px(8);
    int number = 0;
    for (const std::string& file : scene.state.recent_models) {
        const bool shown = file == scene.recipe.weights;
        ui::Rect row = rest.cut_top(tall);
        const auto state = ui::interact(scene.ui, fmt::format("model.recent.{}", ++number), row);
        ui::Canvas canvas(scene.ui);
        if (state.hovered) {
            ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            canvas.fill(row, scene.colors().hover, scene.px(6));
            scene.ui.tooltip(file);
        }
        canvas.label(row.inset(scene.px(8), 0), model_name(file),
                     {.size = ui::Size::small,
                      .color = shown ? scene.colors().accent : scene.colors().text});
        if (state.clicked && !shown) scene.say("open-model", file);
    }
    if (number > 0) return;
    const ui::TextStyle dim{.size = ui::Size::small, .color = scene.colors().dim};
    rest.cut_top(ui::Canvas(scene.ui).wrapped(
        rest,
        "None yet. A checkpoint of timm, DINO, DINOv2, CLIP, Hugging Face, Google's ViT or "
        "T2T-ViT can be opened, one attention layer, or attention maps.",
        dim));
}

void unused(Scene& scene, ui::Rect& rest, const Model& model) {
    if (model.unused.empty()) return;
    section(scene, rest,
            fmt::format("IN THE FILE, BUT NOT USED · {}", grouped(unused_count(model))));
    ui::Canvas canvas(scene.ui);
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    for (const std::string& line : model.unused)
        rest.cut_top(canvas.wrapped(rest, line, mono) + scene.px(2));
    rest.cut_top(scene.px(16));
}

void foot(Scene& scene, ui::Rect rect) {
    const auto next = [&](const char* name, const char* label, const char* tip, ui::Icon icon) {
        const ui::Rect place = rect.cut_left(ui::button_width(scene.ui, label, icon));
        rect.cut_left(scene.px(8));
        return ui::button(scene.ui, name, place, label, ui::ButtonLook::outlined, tip, icon);
    };
    if (next("model.open", "Open a model…", "Ctrl+O", ui::Icon::folder)) scene.say("show", "files");
    if (scene.recipe.weights.empty()) return;
    if (next("model.none", "One layer drawn from a seed", "Walk through a single layer instead",
             ui::Icon::none))
        scene.say("close-model");
}

void contents(Scene& scene, ui::Rect& rest) {
    const Model& model = *scene.trace.model;
    ui::Canvas canvas(scene.ui);
    const ui::TextStyle dim{.size = ui::Size::small, .color = scene.colors().dim};
    const std::string file =
        scene.recipe.weights.empty() ? "No file: " + model.title : scene.recipe.weights;
    rest.cut_top(canvas.wrapped(rest, file, dim) + scene.px(14));

    const float gap = scene.px(40);
    const bool beside = rest.w > scene.px(700) * scene.ui.text_scale();
    ui::Rect left = beside ? rest.cut_left((rest.w - gap) * 0.58F) : rest;
    const float x = beside ? left.x : rest.x, whole = beside ? left.w + rest.w : rest.w;
    section(scene, left, "PARAMETERS");
    parts_table(scene, left, model);
    ui::Rect right = beside ? rest : left;
    right.cut_left(beside ? gap : 0);
    if (!beside) right.cut_top(scene.px(16));
    section(scene, right, "MODELS OPENED BEFORE");
    recent_models(scene, right);

    rest = {x, std::max(left.y, right.y) + scene.px(16), whole, 1e6F};
    section(scene, rest, "WHAT IS KNOWN, AND WHO SAYS SO");
    facts_table(scene, rest, model_facts(scene.trace, scene.recipe));
    rest.cut_top(scene.px(16));
    section(scene, rest, "HOW PICTURES ARE PREPARED");
    facts_table(scene, rest, preprocessing_facts(scene.trace, scene.recipe));
    rest.cut_top(scene.px(16));
    unused(scene, rest, model);
}

}  // namespace

void model_panel(Scene& scene, const ui::Rect& window) {
    const std::string title =
        model_name_of(scene.recipe) + " · " + model_kind(scene.trace, scene.recipe);
    ui::Rect inside = begin_overlay(scene, window, "model", title);
    ui::Rect bottom = inside.cut_bottom(scene.line() + scene.px(12));
    foot(scene, bottom);
    inside.cut_bottom(scene.px(12));
    const ui::Rect content = begin_scroll(scene, inside, "model");
    ui::Rect rest = content;
    contents(scene, rest);
    end_scroll(content, rest.y);
    end_overlay();
}

}  // namespace headlight::views
