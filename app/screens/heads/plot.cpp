#include "heads/plot.h"

#include <algorithm>

namespace headlight::screens {

ui::Rect with_ends(Frame& frame, ui::Layout rect, const std::string& top,
                   const std::string& bottom) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style = frame.mono_dim();
    const float width = std::max(canvas.measure(top, style), canvas.measure(bottom, style));
    const ui::Rect side = rect.left(width + frame.px(6));
    canvas.text({side.x, side.y}, top, style);
    canvas.text({side.x, side.y + side.h - frame.line()}, bottom, style);
    return rect.inset(frame.px(6), frame.line() / 2);
}

void legend_name(Frame& frame, ui::Layout row, const std::string& name, ImU32 hue) {
    ui::Canvas canvas(frame.ui);
    const float spot = frame.px(8);
    const ui::Rect place = row.left(frame.px(14));
    canvas.fill({place.x, place.center().y - spot / 2, spot, spot}, hue, spot / 2);
    canvas.label(row, name, {.size = ui::Size::small});
}

std::string name_of_step(const Frame& frame, int step) {
    const int first = frame.trace.model->alike_from();
    if (step > 0) return std::to_string(first + step);
    return first == 0 ? "input" : "after " + std::to_string(first);
}

void steps_line(Frame& frame, const ui::Plot& plot, const ui::Rect& row) {
    const ui::TextStyle style = frame.mono_dim();
    ui::Canvas canvas(frame.ui);
    float free_from = row.x;
    for (int step = 0; step <= plot.last; ++step) {
        const std::string name = name_of_step(frame, step);
        const float wide = canvas.measure(name, style);
        const float x =
            std::min(std::max(plot.at(step, 0).x - wide / 2, row.x), row.x + row.w - wide);
        if (x < free_from) continue;
        canvas.text({x, row.y}, name, style);
        free_from = x + wide + frame.px(8);
    }
}

std::string after(const Frame& frame, int step) {
    const Model& model = *frame.trace.model;
    const int layer = model.alike_from() + step - 1;  // the layer just passed
    return layer < model.token_transformers()
               ? "before the first layer"
               : "after " + model.layers[static_cast<std::size_t>(layer)].name;
}

std::string with_article(const std::string& token) {
    const bool counted = !token.empty() && token.back() >= '0' && token.back() <= '9';
    return counted ? token : "the " + token;
}

}  // namespace headlight::screens
