#include <algorithm>

#include "frame/classes.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

// The five most probable classes, followed by the focused one if it is not among them.
std::vector<Prediction> listed(const Frame& frame) {
    std::vector<Prediction> list = frame.summary.top;
    const MatrixView logits = frame.trace.view(Tensor::logits);
    const auto col = frame.focus.col;
    if (!col || *col >= logits.cols) return list;
    for (const Prediction& p : list)
        if (p.index == *col) return list;
    list.push_back(
        {*col, logits(0, *col), class_probabilities(logits)[static_cast<std::size_t>(*col)]});
    return list;
}

// Names and probabilities are smaller where they have no space side by side.
ui::Size type_of_classes(const Frame& frame, const std::vector<Prediction>& list, float width) {
    const ui::Canvas canvas(frame.ui);
    for (const Prediction& p : list)
        if (canvas.measure(class_name(*frame.trace.model, p.index), {}) + frame.px(12) +
                canvas.measure(percent_text(p.probability), {.face = ui::Face::mono}) >
            width)
            return ui::Size::small;
    return ui::Size::body;
}

// Name and probability, with a bar; `reach` is the probability of the full width.
void draw_class(Frame& frame, const ui::Rect& rect, const Prediction& p, int place, double reach,
                ui::Size size) {
    ui::Canvas canvas(frame.ui);
    const std::string name = "stage.class." + std::to_string(place);
    const ui::Interaction state = ui::interact(frame.ui, name, rect, ui::Stop::no);
    frame.ui.name(name, {rect, {0, 0, 0, 0}});
    const bool lit = frame.focus.col == static_cast<int>(p.index);
    if (lit || state.hovered)
        canvas.fill(rect.inset(-frame.px(8), 0), frame.colors().hover, frame.px(6));
    ui::Layout rest(frame.ui, rect, 0, 4);
    ui::Layout words = rest.row();
    ui::TextStyle mono{.face = ui::Face::mono, .size = size, .align = ui::Align::right};
    if (lit) mono.color = frame.colors().accent;
    const std::string share = percent_text(p.probability);
    words.words_right(share, mono, 10);
    canvas.label(words, class_name(*frame.trace.model, p.index), {.size = size});
    rest.skip_top(3);
    const ui::Rect track = rest.top(frame.px(6));
    canvas.fill(track, frame.colors().border, frame.px(3));
    const auto part = static_cast<float>(p.probability / reach);
    if (part >= 0)  // not NaN
        canvas.fill({track.x, track.y, std::max(frame.px(3), track.w * part), track.h},
                    frame.colors().accent, frame.px(3));
    frame.ui.report(name, class_name(*frame.trace.model, p.index) + " " + share);
    if (!state.hovered) return;
    frame.memory.next_hovered.col = static_cast<int>(p.index);
    frame.ui.tooltip("class " + std::to_string(p.index) + ": logit " + ui::number(p.logit, 4));
    if (state.clicked) frame.say("cell", "0", std::to_string(p.index));
}

void draw_classes(Frame& frame, const ui::Rect& rect) {
    const auto list = listed(frame);
    const float head = frame.line() + frame.px(6), each = frame.line() + frame.px(20);
    const auto rows =
        static_cast<float>(list.size() > frame.summary.top.size() ? list.size() : list.size() + 1);
    ui::Layout rest(frame.ui, rect);
    const float spare = rest.h - head - each * rows - frame.px(12);
    if (spare > 0) rest.top(spare / 2);
    const double reach = bar_reach(list);
    const ui::Rect title = rest.top(head);
    caption_that_fits(frame.ui, title, {"MOST PROBABLE CLASSES", "MOST PROBABLE", "CLASSES"});
    ui::Canvas(frame.ui).label(title, bar_reach_text(reach), frame.small_dim(ui::Align::right));
    const ui::Size size = type_of_classes(frame, list, rest.w);
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i == frame.summary.top.size()) rest.skip_top(12);  // the focused one
        if (rest.h < each) return;
        draw_class(frame, rest.top(each), list[i], static_cast<int>(i) + 1, reach, size);
    }
}

}  // namespace

void stage_head(Frame& frame, const ui::Rect& rect) {
    // An embedding has no classes, and a difference no probabilities.
    if (frame.summary.top.empty() || frame.difference()) return stage_product(frame, rect);
    ui::Layout rest(frame.ui, rect);
    const float width = std::min(rest.w * 0.36F, frame.px(300) * frame.ui.text_scale());
    const ui::Rect list = rest.right(width, 28);
    draw_classes(frame, list.inset(frame.px(8), 0));
    stage_product(frame, rest);
}

}  // namespace headlight::screens
