#include <fmt/format.h>

#include "analysis/prediction.h"
#include "encoder/run_scene.h"
#include "scene/truth.h"
#include "views/panels.h"
#include "views/shapes.h"

namespace headlight::views {

namespace {

std::string class_name(const Model& model, Index index) {
    const auto i = static_cast<std::size_t>(index);
    if (i < model.class_names.size()) return model.class_names[i];
    return answers_scenes(model) ? answer_name(static_cast<int>(index))
                                 : fmt::format("class {}", index);
}

// What a class is beside its number.
enum class Standing { one_of_many, found, truth, mistaken };

// Its probability is the length of the bar that the words stand on.
void class_row(Scene& scene, const ui::Rect& row, const std::string& name, const Prediction& top,
               Standing standing = Standing::one_of_many) {
    ui::Canvas canvas(scene.ui);
    const auto part = static_cast<float>(top.probability);
    const bool known = part >= 0 && part <= 1;  // else NaN
    canvas.fill(row, scene.colors().background, scene.px(4));
    if (known)
        canvas.fill(
            {row.x, row.y, std::max(row.w * part, scene.px(2)), row.h},
            ui::with_alpha(standing == Standing::mistaken ? scene.colors().error
                                                          : scene.colors().hue(ui::Hue::attention),
                           0.35F),
            scene.px(4));
    if (standing == Standing::found || standing == Standing::truth)
        canvas.outline(row, scene.colors().ok, scene.px(1.5F), scene.px(4));
    ui::Rect text = row.inset(scene.px(8), 0);
    const std::string percent = known ? fmt::format("{:.1f} %", top.probability * 100) : "NaN";
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    canvas.label(text.cut_right(canvas.measure(percent, mono) + 1), percent, mono);
    text.cut_right(scene.px(8));
    if (standing == Standing::found || standing == Standing::mistaken) {
        const ui::Rect sign = text.cut_right(scene.line());
        const bool right = standing == Standing::found;
        ui::icon(canvas, right ? ui::Icon::check : ui::Icon::close, sign.center(), sign.h * 0.6F,
                 right ? scene.colors().ok : scene.colors().error);
    }
    canvas.label(text, name, {.size = ui::Size::small});
    if (row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        scene.ui.tooltip(fmt::format("{}\nclass {} · logit {} · probability {:.4g}", name,
                                     top.index, ui::number(top.logit), top.probability));
}

// Whether the model has found the pair: colour, sign and word.
void verdict(Scene& scene, ui::Rect row, std::optional<int> truth, int guess) {
    ui::Canvas canvas(scene.ui);
    const bool right = truth == guess;
    const std::string words = "truth: " + truth_in_words(*scene.recipe.scene);
    const ImU32 color = !truth  ? scene.colors().dim
                        : right ? scene.colors().ok
                                : scene.colors().error;
    if (truth) {
        const ui::TextStyle bold{.face = ui::Face::bold, .size = ui::Size::small, .color = color};
        const float side = scene.ui.fonts().pixels(ui::Size::small);
        ui::icon(canvas, right ? ui::Icon::check : ui::Icon::close, row.cut_left(side).center(),
                 side * 0.85F, color);
        row.cut_left(scene.px(6));
        const char* word = right ? "right" : "wrong";
        canvas.label(row.cut_left(canvas.measure(word, bold) + scene.px(10)), word, bold);
    }
    canvas.label(row, truth ? words : words.substr(words.find(' ') + 1),
                 {.size = ui::Size::small, .color = scene.colors().dim});
    scene.ui.report("prediction.verdict", !truth ? "no answer" : right ? "right" : "wrong");
    scene.ui.report("prediction.truth", words);
}

// All answers in the model's order, so that none moves while the scene does.
void scene_answers(Scene& scene, ui::Rect& rect) {
    const MatrixView logits = scene.trace.view(Tensor::logits);
    const std::vector<double> parts = class_probabilities(logits);
    const std::optional<int> truth = answer_of(*scene.recipe.scene);
    const auto guess = static_cast<int>(scene.summary.top.front().index);
    verdict(scene, rect.cut_top(scene.line()), truth, guess);
    rect.cut_top(scene.px(4));
    for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
        const Standing standing = truth == i ? guess == i ? Standing::found : Standing::truth
                                  : truth && guess == i ? Standing::mistaken
                                                        : Standing::one_of_many;
        class_row(scene, rect.cut_top(scene.line() + scene.px(2)),
                  class_name(*scene.trace.model, i),
                  {i, logits(0, i), parts[static_cast<std::size_t>(i)]}, standing);
        rect.cut_top(scene.px(2));
    }
}

void top_classes(Scene& scene, ui::Rect& rect) {
    for (const Prediction& top : scene.summary.top) {
        class_row(scene, rect.cut_top(scene.line() + scene.px(4)),
                  class_name(*scene.trace.model, top.index), top);
        rect.cut_top(scene.px(3));
    }
}

// Of a model of shapes that is shown a photograph.
void photograph_note(Scene& scene, ui::Rect& rect) {
    const ui::TextStyle style{.size = ui::Size::small, .color = scene.colors().dim};
    rect.cut_top(scene.px(2));
    rect.cut_top(ui::Canvas(scene.ui).wrapped(rect,
                                              "This model was trained on drawn shapes; of "
                                              "photographs its answers say little.",
                                              style));
    scene.ui.report("prediction.note", "photograph");
}

}  // namespace

void prediction(Scene& scene, ui::Rect& rect) {
    if (scene.summary.top.empty()) return;
    ui::Canvas canvas(scene.ui);
    const ui::Rect title = rect.cut_top(scene.line());
    canvas.caption(title, scene.difference() ? "PREDICTION NOW" : "PREDICTION");
    if (title.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        scene.ui.tooltip("The most probable of the model's classes: softmax over all logits");
    rect.cut_top(scene.px(4));
    const bool of_scenes = answers_scenes(*scene.trace.model);
    of_scenes&& scene.recipe.scene ? scene_answers(scene, rect) : top_classes(scene, rect);
    if (of_scenes && !scene.recipe.scene) photograph_note(scene, rect);
    int place = 0;
    for (const Prediction& top : scene.summary.top)
        scene.ui.report(
            fmt::format("prediction.{}", ++place),
            fmt::format("{} {:.6f}", class_name(*scene.trace.model, top.index), top.probability));
    rect.cut_top(scene.px(10));
}

}  // namespace headlight::views
