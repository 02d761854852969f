#include <fmt/format.h>

#include "views/panels.h"

namespace headlight::views {

namespace {

std::string class_name(const Model& model, Index index) {
    const auto i = static_cast<std::size_t>(index);
    return i < model.class_names.size() ? model.class_names[i] : fmt::format("class {}", index);
}

// Its probability is the length of the bar that the words stand on.
void class_row(Scene& scene, const ui::Rect& row, const std::string& name, const Prediction& top) {
    ui::Canvas canvas(scene.ui);
    const auto part = static_cast<float>(top.probability);
    const bool known = part >= 0 && part <= 1;  // else NaN
    canvas.fill(row, scene.colors().background, scene.px(4));
    if (known)
        canvas.fill({row.x, row.y, std::max(row.w * part, scene.px(2)), row.h},
                    ui::with_alpha(scene.colors().hue(ui::Hue::attention), 0.35F), scene.px(4));
    ui::Rect text = row.inset(scene.px(8), 0);
    const std::string percent = known ? fmt::format("{:.1f} %", top.probability * 100) : "NaN";
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    canvas.label(text.cut_right(canvas.measure(percent, mono) + 1), percent, mono);
    text.cut_right(scene.px(8));
    canvas.label(text, name, {.size = ui::Size::small});
    if (row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        scene.ui.tooltip(fmt::format("{}\nclass {} · logit {} · probability {:.4g}", name,
                                     top.index, ui::number(top.logit), top.probability));
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
    int place = 0;
    for (const Prediction& top : scene.summary.top) {
        const std::string name = class_name(*scene.trace.model, top.index);
        class_row(scene, rect.cut_top(scene.line() + scene.px(4)), name, top);
        rect.cut_top(scene.px(3));
        scene.ui.report(fmt::format("prediction.{}", ++place),
                        fmt::format("{} {:.6f}", name, top.probability));
    }
    rect.cut_top(scene.px(10));
}

}  // namespace headlight::views
