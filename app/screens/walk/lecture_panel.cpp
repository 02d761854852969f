#include "walk/lecture_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "encoder/run_scene.h"
#include "frame/classes.h"
#include "frame/field_words.h"
#include "frame/lecture_head.h"
#include "kernels/read_number.h"
#include "scene/truth.h"

namespace headlight::screens {

namespace {

constexpr std::string_view kControl = "temperature";

const Field& control() { return *find_field(kControl); }

// In a low window the heads need its space, unless the lesson refers to it or it was changed. In
// lecture view, Improvise has it too.
bool has_control(const Frame& frame) {
    const bool wanted =
        !frame.low || frame.state.recipe.temperature != 1 || is_spoken_of(frame, "field.");
    return wanted && is_shown(control(), frame.state, frame.trace);
}
bool has_prediction(const Frame& frame) { return !frame.summary.top.empty(); }

float lecture_row_height(const Frame& frame) { return frame.line() + frame.px(8); }

// Without decimals, to leave space for the class name.
std::string whole_percent(double probability) {
    if (std::isnan(probability)) return "NaN";
    if (probability < 1 && probability >= 0.995) return "> 99 %";
    if (probability > 0 && probability < 0.005) return "< 1 %";
    return fmt::format("{:.0f} %", 100 * probability);
}

// The most probable class over a bar of its probability; for a scene, whether it is correct.
void prediction_line(Frame& frame, const ui::Rect& row) {
    const Prediction& top = frame.summary.top.front();
    const std::string name = class_name(*frame.trace.model, top.index);
    ui::Canvas canvas(frame.ui);
    frame.ui.keep_clear(row);
    canvas.fill(row, frame.colors().card, frame.px(4));
    const auto part = static_cast<float>(top.probability);
    if (part >= 0)  // otherwise NaN
        canvas.fill({row.x, row.y, row.w * part, row.h},
                    ui::with_alpha(frame.colors().hue(ui::Hue::attention), 0.22F), frame.px(4));
    ui::Layout text(frame.ui, row, 8, 0);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const std::string words = frame.of_after(name);
    const bool judged = answers_scenes(*frame.trace.model) && frame.recipe.scene;
    const float others = frame.px(8) + (judged ? frame.line() : 0) +
                         canvas.measure(words, {.size = ui::Size::small}) + 1;
    std::string percent = percent_text(top.probability);
    if (canvas.measure(percent, mono) + others > text.w) percent = whole_percent(top.probability);
    // If both still do not fit, the bar shows the probability. A name that does not even fit alone
    // is shortened.
    if (canvas.measure(percent, mono) + others > text.w && others <= text.w) percent.clear();
    text.words_right(percent, mono);
    if (!percent.empty()) text.skip_right(8);
    if (judged) {
        const auto truth = answer_of(*frame.recipe.scene);
        const bool right = truth == static_cast<int>(top.index);
        if (truth)
            ui::icon(canvas, right ? ui::Icon::check : ui::Icon::close,
                     text.right(frame.line()).center(), frame.line() * 0.6F,
                     right ? frame.colors().ok : frame.colors().error);
    }
    canvas.label(text, words, {.size = ui::Size::small});
    frame.ui.report("prediction.1", fmt::format("{} {:.6f}", name, top.probability));
}

constexpr float kHandRoom = 120;  // units in which a slider is still usable

constexpr const char* kInAllLayers = " in all layers";

bool has_layers(const Frame& frame) { return frame.trace.model->layers.size() > 1; }

float control_words(const Frame& frame) {
    return ui::Canvas(frame.ui).measure("Temperature 0.000", {.size = ui::Size::small}) +
           frame.px(8);
}

// In large type, a narrow column has no space for label and slider side by side.
bool has_room_beside(const Frame& frame, float width) {
    return width - control_words(frame) >= frame.px(kHandRoom);
}

// With its scope, if the slider keeps its room.
float words_beside(const Frame& frame, float width) {
    if (!has_layers(frame)) return control_words(frame);
    const float whole =
        ui::Canvas(frame.ui).measure(std::string("Temperature 0.000") + kInAllLayers,
                                     {.size = ui::Size::small}) +
        frame.px(8);
    return std::max(control_words(frame), std::min(whole, width - frame.px(kHandRoom)));
}

void control_line(Frame& frame, ui::Rect words, ui::Rect row) {
    const Field& field = control();
    const std::string present = field.get(frame.state);
    double value = field.low;
    read_number(present.data(), present.data() + present.size(), value);
    const ui::TextStyle style{.size = ui::Size::small};
    // The number takes precedence over its name.
    ui::Canvas canvas(frame.ui);
    const std::string everywhere = has_layers(frame) ? kInAllLayers : "";
    label_that_fits(canvas, words,
                    {"Temperature " + present + everywhere, "T = " + present + everywhere,
                     "Temperature " + present, "T = " + present},
                    style);
    if (words.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(help_of(field, frame.trace));
    const auto slid = ui::slider(frame.ui, "field." + std::string(kControl), row, value,
                                 field.slide_low, field.slide_high, field.logarithmic);
    const std::string next = fmt::format("{:.3g}", value);
    if (slid.changed && next != present) frame.set(field.name, next);
    if (slid.released) frame.memory.gesture_ended = true;
}

}  // namespace

float lecture_panel_height(const Frame& frame, float width) {
    const float control = has_room_beside(frame, width) ? 1.0F : 2.0F;
    return lecture_row_height(frame) *
           ((has_prediction(frame) ? 1.0F : 0.0F) + (has_control(frame) ? control : 0.0F));
}

void lecture_panel(Frame& frame, ui::Layout& rect) {
    const auto next = [&] {
        ui::Rect row = rect.top(lecture_row_height(frame));
        row.h -= frame.px(8);
        return row;
    };
    if (has_prediction(frame)) prediction_line(frame, next());
    if (!has_control(frame)) return;
    const bool beside = has_room_beside(frame, rect.w);
    ui::Layout words(frame.ui, next());
    const ui::Rect left = beside ? words.left(words_beside(frame, words.w)) : words;
    control_line(frame, left, beside ? words : next());
}

}  // namespace headlight::screens
