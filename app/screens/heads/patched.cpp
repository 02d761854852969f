#include "heads/patched.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/classes.h"
#include "heads/export.h"
#include "heads/order.h"
#include "heads/patched_stream.h"
#include "ui/progress_bar.h"

namespace headlight::screens {

namespace {

StreamPatchQuestion question_of(const Frame& frame, const HeadsView& view) {
    const Model& model = *frame.trace.model;
    return {
        {{view.said->question.trace, counterfactual_of(frame.recipe, model), *class_asked(frame)},
         frame.work.pinned_trace(),
         counterfactual_of(*frame.state.pinned, model)}};
}

bool by_tokens(const Frame& frame) { return frame.state.look.heads_patched == Patched::tokens; }

}  // namespace

std::string percent(double probability) { return fmt::format("{:.2f} %", probability * 100); }

std::string effect_words(const HeadEffect& effect, const PatchedAnswers& answers) {
    std::string words =
        fmt::format("{:.2f} → {:.2f} %, logit {:+.3f}", answers.now.probability * 100,
                    (answers.now.probability + effect.probability) * 100, effect.logit);
    const double way = answers.from.logit - answers.now.logit;
    if (std::abs(way) > 1e-6)
        words +=
            fmt::format("\n{:.0f} % of the way to the baseline's logit", effect.logit / way * 100);
    return words;
}

void dim_line(Frame& frame, const ui::Rect& row, const std::string& words) {
    ui::Canvas(frame.ui).label(row, words, frame.small_dim());
}

void answers_line(Frame& frame, const ui::Rect& row, const StreamPatchQuestion& question,
                  const PatchedAnswers& answers) {
    const std::string words = fmt::format(
        "{}: before {}, after {}", class_name(*frame.trace.model, question.of.now.of_class),
        percent(answers.from.probability), percent(answers.now.probability));
    ui::Canvas(frame.ui).label(row, words, {.face = ui::Face::bold, .size = ui::Size::small});
    frame.ui.report("heads.patched.now", fmt::format("{:.6f}", answers.now.probability));
    frame.ui.report("heads.patched.before", fmt::format("{:.6f}", answers.from.probability));
}

bool progress_row(Frame& frame, ui::Layout& row, float progress) {
    const ui::Rect stop = row.right(ui::button_width(frame.ui, "Stop"), 8);
    const ui::Rect place = row.right(std::min(frame.px(140), row.w * 0.3F), 12);
    ui::progress_bar(frame.ui, {place.x, place.center().y - frame.px(3), place.w, frame.px(6)},
                     progress);
    return ui::button(frame.ui, "heads.patched.stop", stop, "Stop");
}

bool is_patching(const Frame& frame) {
    return order_of(frame) == order_by(HeadMeasure::patching) && class_asked(frame);
}

bool shows_patched(const Frame& frame) {
    return is_patching(frame) && frame.state.look.heads_patched != Patched::heads;
}

void patched_choice(Frame& frame, ui::Layout row) {
    const std::vector<std::string_view> labels{"heads", "tokens", "layers"};
    ui::Canvas canvas(frame.ui);
    float width = 0;
    for (const auto label : labels) width += canvas.measure(label, {}) + frame.px(24);
    const ui::TextStyle dim{.color = frame.colors().dim};
    const std::string words = "Taken from the baseline:";
    const float before = canvas.measure(words, dim) + frame.px(10);
    if (before + width <= row.w) canvas.label(row.left(before), words, dim);
    const int chosen = ui::segmented(frame.ui, "heads.patched.what", row.left(width), labels,
                                     static_cast<int>(frame.state.look.heads_patched));
    if (chosen >= 0) frame.set("heads_patched", std::string(name_of(static_cast<Patched>(chosen))));
}

void patched(Frame& frame, ui::Rect rect, const HeadsView& view) {
    const StreamPatchQuestion question = question_of(frame, view);
    if (by_tokens(frame))
        patched_tokens(frame, rect, view, question);
    else
        patched_layers(frame, rect, view, question);
}

std::optional<NumberTable> patched_table(Frame& frame, const HeadsView& view) {
    if (!shows_patched(frame)) return std::nullopt;
    const StreamPatchQuestion question = question_of(frame, view);
    return by_tokens(frame) ? patched_tokens_table(frame, question)
                            : patched_layers_table(frame, question);
}

}  // namespace headlight::screens
