#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/head_table.h"
#include "frame/picture.h"
#include "heads/export.h"
#include "heads/order.h"
#include "heads/patched_stream.h"
#include "program/ordinals.h"

namespace headlight::screens {

namespace {

struct Branch {
    std::string_view name;
    HeadEffect LayerEffect::*effect;
    ImU32 color;
};

std::array<Branch, 3> branches(const Frame& frame) {
    return {{{"attention", &LayerEffect::attention, frame.colors().accent},
             {"MLP", &LayerEffect::mlp, frame.colors().hue(ui::Hue::weight)},
             {"both", &LayerEffect::both, frame.colors().text}}};
}

void branch_legend(Frame& frame, ui::Layout row) {
    ui::Canvas canvas(frame.ui);
    for (const Branch& branch : branches(frame)) {
        const ui::TextStyle style{.size = ui::Size::small, .color = branch.color};
        row.words_left(branch.name, style, 12);
    }
    const ui::TextStyle dim = frame.small_dim();
    const std::string_view both = "both";
    ui::TextStyle right = dim;
    right.align = ui::Align::right;
    canvas.label(row.right(canvas.measure(both, dim) + frame.px(8)), both, right);
    canvas.label(row, "of the layer, taken from the baseline for all tokens", dim);
}

std::string layer_words(const Frame& frame, int layer, const LayerEffects& found) {
    std::string words = layer_name(frame, layer) + " from the baseline";
    for (const Branch& branch : branches(frame))
        words += fmt::format(
            "\n{}: {}", branch.name,
            effect_words(found.layers[static_cast<std::size_t>(layer)].*branch.effect, found));
    return words;
}

// The start and scale of bars, and the position of the other run.
struct BarPlace {
    float zero = 0, each = 0;
};

const ui::TextStyle kNumberStyle{
    .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};

void draw_layer(Frame& frame, ui::Rect row, int layer, const LayerEffects& found,
                const BarPlace& bars, const HeadsView& view) {
    const auto mouse = ui::interact(
        frame.ui, "heads.patched.layer." + layer_number(*frame.trace.model, layer), row);
    ui::Canvas canvas(frame.ui);
    const LayerEffect& effect = found.layers[static_cast<std::size_t>(layer)];
    const bool present = layer == view.chosen.layer;
    if (mouse.hovered || present)
        canvas.fill(row, mouse.hovered ? frame.colors().hover : frame.colors().card, frame.px(4));
    const ui::Rect inside = row.inset(0, row.h * 0.12F);
    const float tall = inside.h / 3;
    float y = inside.y;
    for (const Branch& branch : branches(frame)) {
        const auto length = static_cast<float>((effect.*branch.effect).probability) * bars.each;
        canvas.fill({std::min(bars.zero, bars.zero + length), y, std::max(std::abs(length), 1.0F),
                     std::max(tall - 1, 1.0F)},
                    branch.color);
        y += tall;
    }
    ui::Rect name = row.inset(frame.px(6), 0);
    canvas.label(
        name, layer_name(frame, layer),
        {.size = ui::Size::small, .color = present ? frame.colors().text : frame.colors().dim});
    canvas.label(name, change_text(effect.both.probability), kNumberStyle);
    if (mouse.hovered) frame.ui.tooltip(layer_words(frame, layer, found));
    if (mouse.clicked) frame.say("layer", layer_number(*frame.trace.model, layer));
}

BarPlace bar_place(Frame& frame, const ui::Rect& rect, const LayerEffects& found) {
    double low = std::min(0.0, found.from.probability - found.now.probability),
           high = std::max(0.0, found.from.probability - found.now.probability);
    for (const LayerEffect& layer : found.layers)
        for (const HeadEffect* effect : {&layer.attention, &layer.mlp, &layer.both})
            if (std::isfinite(effect->probability)) {
                low = std::min(low, effect->probability);
                high = std::max(high, effect->probability);
            }
    // Between the layers' names and their values.
    ui::Canvas canvas(frame.ui);
    float left = 0;
    for (const Layer& layer : frame.trace.model->layers)
        left = std::max(left, canvas.measure(layer.name, {.size = ui::Size::small}));
    const float frills = frame.px(20),
                right = canvas.measure("−100.00 points", kNumberStyle) + frills,
                wide = std::max(rect.w - left - frills - right, 1.0F);
    const auto span = static_cast<float>(std::max(high - low, 1e-9));
    return {rect.x + left + frills + static_cast<float>(-low) / span * wide, wide / span};
}

// "after" and "before" below the two lines, beside each other if they would overlap.
void name_lines(Frame& frame, const ui::Rect& rect, float y, float now, float before) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim = frame.small_dim(),
                        red{.size = ui::Size::small, .color = frame.colors().error};
    const float gap = frame.px(8), w_now = canvas.measure("after", dim),
                w_before = canvas.measure("before", red);
    const auto placed = [&](float x, float width) {
        return std::clamp(x - width / 2, rect.x, std::max(rect.x, rect.x + rect.w - width));
    };
    float at_now = placed(now, w_now), at_before = placed(before, w_before);
    if (at_now < at_before + w_before + gap && at_before < at_now + w_now + gap) {
        if (before < now) {
            at_before = std::max(rect.x, at_now - gap - w_before);
            at_now = at_before + w_before + gap;
        } else {
            at_now = std::max(rect.x, at_before - gap - w_now);
            at_before = at_now + w_now + gap;
        }
    }
    canvas.text({at_now, y}, "after", dim);
    canvas.text({at_before, y}, "before", red);
}

void layer_bars(Frame& frame, ui::Layout rect, const HeadsView& view,
                const StreamPatchQuestion& question) {
    const auto said = of_question(ask_in(frame, view, kLayerPatching, question), question);
    ui::Layout head = rect.top(frame.line() * 1.4F);
    const ui::Layout second = rect.top(frame.line() * 1.2F);
    progress_row(frame, head, kLayerPatching);
    if (!said) return dim_line(frame, head, "Computing…");
    if (!said->error.empty()) return dim_line(frame, head, said->error);
    const LayerEffects& found = said->answer;
    answers_line(frame, head, question, found);
    branch_legend(frame, second);
    const int first = frame.trace.model->token_transformers(),
              count = static_cast<int>(found.layers.size()) - first;
    const ui::Rect foot = rect.last_row();
    const BarPlace bars = bar_place(frame, rect, found);
    const float each =
        std::min(rect.h / static_cast<float>(std::max(count, 1)), frame.line() * 3.2F);
    ui::Canvas canvas(frame.ui);
    const float bottom = rect.y + each * static_cast<float>(count);
    for (int b = first; b < first + count; ++b)
        draw_layer(frame, {rect.x, rect.y + each * static_cast<float>(b - first), rect.w, each}, b,
                   found, bars, view);
    canvas.line({bars.zero, rect.y}, {bars.zero, bottom}, frame.colors().dim);
    const float before =
        bars.zero + static_cast<float>(found.from.probability - found.now.probability) * bars.each;
    canvas.line({before, rect.y}, {before, bottom}, frame.colors().error, frame.px(1.5F));
    name_lines(frame, rect, std::min(bottom, foot.y), bars.zero, before);
    for (std::size_t b = 0; b < found.layers.size(); ++b)
        frame.ui.report(fmt::format("heads.patched.layer.{}", b + 1),
                        fmt::format("{:.6f}", found.layers[b].both.probability));
}

NumberTable layers_table(const Frame& frame, const LayerEffects& found) {
    NumberTable table{
        {"layer", "from the baseline"}, {}, {"change in the probability", "in the logit"}, {}};
    for (auto b = static_cast<std::size_t>(frame.trace.model->token_transformers());
         b < found.layers.size(); ++b)
        for (const auto& [what, effect] : {std::pair{"attention", found.layers[b].attention},
                                           {"MLP", found.layers[b].mlp},
                                           {"both", found.layers[b].both}})
            table.add({layer_in_tables(frame.trace.model->layers[b]), what},
                      {effect.probability, static_cast<double>(effect.logit)});
    return table;
}

}  // namespace

void patched_layers(Frame& frame, ui::Rect rect, const HeadsView& view,
                    const StreamPatchQuestion& question) {
    layer_bars(frame, {frame.ui, rect}, view, question);
}

std::optional<NumberTable> patched_layers_table(Frame& frame, const StreamPatchQuestion& question) {
    const auto said = of_question(studies_of(frame).ask(kLayerPatching, question), question);
    const auto* found = awaited(frame, said);
    return found == nullptr ? std::nullopt : std::optional(layers_table(frame, *found));
}

}  // namespace headlight::screens
