#include <algorithm>

#include "views/stages.h"

namespace headlight::views {

namespace {

std::string class_text(const Scene& scene, Index index) {
    const auto& names = scene.trace.model->class_names;
    const auto i = static_cast<std::size_t>(index);
    return i < names.size() ? names[i] : "class " + std::to_string(index);
}

std::string percent(double probability) {
    return ui::number(100 * probability, probability < 0.1 ? 2 : 1) + " %";
}

// The five best classes; behind them the one in focus, where it is none of these.
std::vector<Prediction> listed(const Scene& scene) {
    std::vector<Prediction> list = scene.summary.top;
    const MatrixView logits = scene.trace.view(Tensor::logits);
    const auto col = scene.focus.col;
    if (!col || *col >= logits.cols) return list;
    for (const Prediction& p : list)
        if (p.index == *col) return list;
    list.push_back(
        {*col, logits(0, *col), class_probabilities(logits)[static_cast<std::size_t>(*col)]});
    return list;
}

// Name, probability, and the probability as a part of the whole width.
void draw_class(Scene& scene, const ui::Rect& rect, const Prediction& p, int place) {
    ui::Canvas canvas(scene.ui);
    const std::string name = "stage.class." + std::to_string(place);
    const ui::Interaction state = ui::interact(scene.ui, name, rect);
    scene.ui.name(name, {rect, {0, 0, 0, 0}});
    const bool lit = scene.focus.col == static_cast<int>(p.index);
    if (lit || state.hovered)
        canvas.fill(rect.inset(-scene.px(8), 0), scene.colors().hover, scene.px(6));
    ui::Rect rest = rect.inset(0, scene.px(4));
    ui::Rect words = rest.cut_top(scene.line());
    ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    if (lit) mono.color = scene.colors().accent;
    const std::string share = percent(p.probability);
    canvas.label(words.cut_right(canvas.measure(share, mono) + 1), share, mono);
    words.cut_right(scene.px(10));
    canvas.label(words, class_text(scene, p.index), {.size = ui::Size::small});
    rest.cut_top(scene.px(3));
    const ui::Rect track = rest.cut_top(scene.px(6));
    canvas.fill(track, scene.colors().border, scene.px(3));
    const auto part = static_cast<float>(p.probability);
    if (part >= 0)  // not NaN
        canvas.fill({track.x, track.y, std::max(scene.px(3), track.w * part), track.h},
                    scene.colors().accent, scene.px(3));
    scene.ui.report(name, class_text(scene, p.index) + " " + share);
    if (!state.hovered) return;
    scene.memory.next_hovered.col = static_cast<int>(p.index);
    scene.ui.tooltip("class " + std::to_string(p.index) + ": logit " + ui::number(p.logit, 4));
    if (state.clicked) scene.say("cell", "0", std::to_string(p.index));
}

void draw_classes(Scene& scene, const ui::Rect& rect) {
    const auto list = listed(scene);
    ui::Canvas canvas(scene.ui);
    const float head = scene.line() + scene.px(6), each = scene.line() + scene.px(20);
    const auto rows =
        static_cast<float>(list.size() > scene.summary.top.size() ? list.size() : list.size() + 1);
    ui::Rect rest = rect;
    const float spare = rest.h - head - each * rows - scene.px(12);
    if (spare > 0) rest.cut_top(spare / 2);
    canvas.caption(rest.cut_top(head), "MOST PROBABLE CLASSES");
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i == scene.summary.top.size()) rest.cut_top(scene.px(12));  // the one in focus
        if (rest.h < each) return;
        draw_class(scene, rest.cut_top(each), list[i], static_cast<int>(i) + 1);
    }
}

}  // namespace

void stage_head(Scene& scene, const ui::Rect& rect) {
    // An embedding has no classes; of a difference there are no probabilities.
    if (scene.summary.top.empty() || scene.difference()) return stage_product(scene, rect);
    ui::Rect rest = rect;
    const float width = std::min(rest.w * 0.36F, scene.px(300) * scene.ui.text_scale());
    const ui::Rect list = rest.cut_right(width);
    rest.cut_right(scene.px(28));
    draw_classes(scene, list.inset(scene.px(8), 0));
    stage_product(scene, rest);
}

}  // namespace headlight::views
