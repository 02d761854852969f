#include <fmt/format.h>

#include "analysis/prediction.h"
#include "encoder/run_scene.h"
#include "frame/classes.h"
#include "frame/scene_text.h"
#include "scene/truth.h"
#include "walk/panels.h"
#include "walk/sections.h"

namespace headlight::screens {

namespace {

// The role of a class.
enum class Standing { one_of_many, found, truth, mistaken };

constexpr const char* kTwinQuestion = "Which object appears twice, and where?";

// The bar behind the text shows its probability; the full row is `reach`.
void class_row(Frame& frame, const ui::Rect& row, const std::string& name, const Prediction& top,
               double reach, Standing standing = Standing::one_of_many) {
    ui::Canvas canvas(frame.ui);
    const auto part = static_cast<float>(top.probability / reach);
    const bool known = part >= 0 && part <= 1;  // otherwise NaN
    canvas.fill(row, frame.colors().background, frame.px(4));
    if (known)
        canvas.fill(
            {row.x, row.y, std::max(row.w * part, frame.px(2)), row.h},
            ui::with_alpha(standing == Standing::mistaken ? frame.colors().error
                                                          : frame.colors().hue(ui::Hue::attention),
                           0.35F),
            frame.px(4));
    if (standing == Standing::found || standing == Standing::truth)
        canvas.outline(row, frame.colors().ok, frame.px(1.5F), frame.px(4));
    ui::Layout text(frame.ui, row, 8, 0);
    const std::string percent = percent_text(top.probability);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::body, .align = ui::Align::right};
    text.words_right(percent, mono, 8);
    if (standing == Standing::found || standing == Standing::mistaken) {
        const ui::Rect sign = text.right(frame.line());
        const bool right = standing == Standing::found;
        ui::icon(canvas, right ? ui::Icon::check : ui::Icon::close, sign.center(), sign.h * 0.6F,
                 right ? frame.colors().ok : frame.colors().error);
    }
    canvas.label(text, name, {.size = ui::Size::body});
    if (row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(fmt::format("{}\nclass {} · logit {} · probability {:.4g}", name,
                                     top.index, ui::number(top.logit), top.probability));
}

// Whether the model has found the pair: as color, sign and word.
void verdict(Frame& frame, ui::Layout row, std::optional<int> truth, int guess) {
    ui::Canvas canvas(frame.ui);
    const bool right = truth == guess;
    const std::string words =
        (truth && !right ? "correct: " : "") + truth_in_words(*frame.recipe.scene);
    const ImU32 color = !truth  ? frame.colors().dim
                        : right ? frame.colors().ok
                                : frame.colors().error;
    if (truth) {
        const ui::TextStyle bold{.face = ui::Face::bold, .size = ui::Size::body, .color = color};
        const float side = frame.ui.fonts().pixels(ui::Size::body);
        ui::icon(canvas, right ? ui::Icon::check : ui::Icon::close, row.left(side).center(),
                 side * 0.85F, color);
        row.skip_left(6);
        const char* word = right ? "right" : "wrong";
        row.words_left(word, bold, 10);
    }
    canvas.label(row, words, {.size = ui::Size::body, .color = frame.colors().dim});
}

// All answers in the model's order, so that none moves while the scene does.
void scene_answers(Frame& frame, ui::Layout& rect) {
    const MatrixView logits = frame.trace.view(Tensor::logits);
    const std::vector<double> parts = class_probabilities(logits);
    const std::optional<int> truth = answer_of(*frame.recipe.scene);
    const auto guess = static_cast<int>(frame.summary.top.front().index);
    verdict(frame, rect.row(0, 4), truth, guess);
    for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
        const Standing standing = truth == i ? guess == i ? Standing::found : Standing::truth
                                  : truth && guess == i ? Standing::mistaken
                                                        : Standing::one_of_many;
        class_row(frame, rect.row(2, 2), class_name(*frame.trace.model, i),
                  {i, logits(0, i), parts[static_cast<std::size_t>(i)]}, 1, standing);
    }
}

void top_classes(Frame& frame, ui::Layout& rect) {
    if (frame.trace.model->twin.exists()) {
        ui::Canvas(frame.ui).label(rect.row(0, 4), kTwinQuestion,
                                   {.size = ui::Size::body, .color = frame.colors().dim});
    }
    const double reach = bar_reach(frame.summary.top);
    for (const Prediction& top : frame.summary.top) {
        class_row(frame, rect.row(4, 3), class_name(*frame.trace.model, top.index), top, reach);
    }
    if (const std::string text = bar_reach_text(reach); !text.empty())
        ui::Canvas(frame.ui).label(
            rect.row(), text,
            {.size = ui::Size::body, .color = frame.colors().dim, .align = ui::Align::right});
}

// The answer alone: "right: star  97.31 %", or without the probability.
std::string answer_in_short(Frame& frame, bool with_probability) {
    const Prediction& best = frame.summary.top.front();
    std::string text = class_name(*frame.trace.model, best.index);
    if (with_probability) text += "  " + percent_text(best.probability);
    if (!answers_scenes(*frame.trace.model) || !frame.recipe.scene) return text;
    const std::optional<int> truth = answer_of(*frame.recipe.scene);
    if (!truth) return text;
    return (*truth == static_cast<int>(best.index) ? "right: " : "wrong: ") + text;
}

// Reported even while it is folded.
void report(Frame& frame) {
    int place = 0;
    for (const Prediction& top : frame.summary.top)
        frame.ui.report(
            fmt::format("prediction.{}", ++place),
            fmt::format("{} {:.6f}", class_name(*frame.trace.model, top.index), top.probability));
    if (!answers_scenes(*frame.trace.model) || !frame.recipe.scene) return;
    const std::optional<int> truth = answer_of(*frame.recipe.scene);
    const bool right = truth == static_cast<int>(frame.summary.top.front().index);
    frame.ui.report("prediction.verdict", !truth ? "no answer" : right ? "right" : "wrong");
    frame.ui.report("prediction.truth", "truth: " + truth_in_words(*frame.recipe.scene));
}

void draw_prediction(Frame& frame, ui::Layout& rect) {
    if (frame.summary.top.empty()) return;
    report(frame);
    const ui::Rect title{rect.x, rect.y, rect.w, frame.line()};
    const char* words = frame.difference() ? "PREDICTION AFTER" : "PREDICTION";
    const bool open = section_head(frame, rect, Section::prediction, words,
                                   answer_in_short(frame, true), 0, answer_in_short(frame, false));
    if (title.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip("The most probable classes: the softmax over all logits");
    if (!open) return;
    const bool of_scenes = answers_scenes(*frame.trace.model);
    of_scenes&& frame.recipe.scene ? scene_answers(frame, rect) : top_classes(frame, rect);
    rect.skip_top(10);
}

// The height used last, so that nothing below moves while the next prediction is being computed.
struct LastPrediction {
    float height = 0;
};

void pending_prediction(Frame& frame, ui::Layout place) {
    section_head(frame, place, Section::prediction, "PREDICTION", "computing…");
    frame.ui.report("prediction.pending", "yes");
}

}  // namespace

void prediction(Frame& frame, ui::Layout& rect) {
    float& height = frame.memory.own<LastPrediction>().height;
    if (frame.pending(Tensor::logits)) return pending_prediction(frame, rect.top(height));
    const float above = rect.y;
    draw_prediction(frame, rect);
    height = rect.y - above;
}

}  // namespace headlight::screens
