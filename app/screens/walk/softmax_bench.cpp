#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/softmax_row.h"
#include "frame/field_row.h"
#include "state/fields.h"
#include "trace/token_rows.h"
#include "ui/plot.h"
#include "walk/stages.h"

// One row of scores to experiment with: draggable bars, a temperature for this row alone, and the
// hard maximum beside its softmax. The model does not change.
namespace headlight::screens {

namespace {

// The row as computed by the layer, and as changed by dragging.
struct SoftmaxBench {
    const Trace* trace = nullptr;
    std::uint64_t version = 0;
    int head = -1, token = -1;
    std::vector<float> given, scores;
    std::optional<Index> held;  // the key whose bar is being dragged
};

int row_of_bench(const Frame& frame, Index rows) {
    return std::clamp(frame.state.selection.token.value_or(static_cast<int>(rows) / 2), 0,
                      static_cast<int>(rows) - 1);
}

SoftmaxBench& bench_of(Frame& frame) {
    auto& bench = frame.memory.own<SoftmaxBench>();
    const int head =
        std::clamp(frame.state.selection.head, 0, static_cast<int>(frame.trace.shape.heads) - 1);
    const Shown scores = shown(frame, Tensor::scores, head);
    const int token = row_of_bench(frame, scores.view.rows);
    if (bench.trace == &frame.trace && bench.version == frame.trace.version(Tensor::scores) &&
        bench.head == head && bench.token == token)
        return bench;
    const float* row = scores.view.row(token);
    const std::vector<float> given(row, row + scores.view.cols);
    bench = {&frame.trace, frame.trace.version(Tensor::scores), head, token, given, given, {}};
    return bench;
}

// From the original scores, so that nothing moves under the pointer during a drag.
ui::Axis heights_of_scores(const std::vector<float>& given) {
    float low = 0, high = 0;
    for (const float score : given)
        if (std::isfinite(score)) low = std::min(low, score), high = std::max(high, score);
    const float room = std::max(1.0F, (high - low) * 0.25F);
    return {low - room, high + room};
}

// A round number above all weights, in steps, so that the scale rarely changes.
ui::Axis heights_of_weights(const std::vector<float>& weights) {
    const float most = std::ranges::max(weights);
    for (const float top : {0.02F, 0.05F, 0.1F, 0.2F, 0.5F})
        if (most <= top) return {0, top};
    return {0, 1};
}

struct BenchPlot {
    std::string name, title, brief;
    const std::vector<float>& values;
    const std::vector<Index>& keys;  // the displayed ones, a bar each
    ui::Axis heights;
    ImU32 color = 0;
};

std::string name_of_key(const Frame& frame, Index key) {
    return frame.trace.layout.count() == static_cast<Index>(frame.trace.shape.keys)
               ? name_of_token(frame.trace, Side::key, key)
               : fmt::format("key {}", key);
}

// The key whose bar is highlighted: dragged, hovered in any view, or the largest.
Index lit_key(const Frame& frame, const SoftmaxBench& bench, const SoftmaxRow& row) {
    if (bench.held) return *bench.held;
    const auto hovered = frame.focus.col.value_or(-1);
    if (hovered >= 0 && hovered < static_cast<int>(bench.scores.size())) return hovered;
    return std::max<Index>(0, row.largest);
}

// The title with the highlighted key's value at its right end, and below the bars with their scale.
// Returns the axes of the bars.
ui::Axes draw_bench_plot(Frame& frame, ui::Layout rect, const BenchPlot& plot, Index lit) {
    ui::Canvas canvas(frame.ui);
    // In lecture view the bars need the space of large text.
    const ui::Size size = frame.state.look.lecture ? ui::Size::small : ui::Size::body;
    const ui::TextStyle words{.size = size, .color = frame.colors().dim};
    ui::Layout head = rect.row(size);
    const float value = plot.values[static_cast<std::size_t>(lit)];
    const std::string said = fmt::format("{}: {}", name_of_key(frame, lit),
                                         std::isfinite(value) ? ui::number(value, 4) : "masked");
    head.words_right(said, {.face = ui::Face::mono, .size = ui::Size::small}, 12);
    label_that_fits(canvas, head, {plot.title, plot.brief}, words);
    rect.skip_top(4);
    rect.skip_bottom(6);
    const std::string low = ui::number(plot.heights.low, 2);
    const ui::TextStyle edge = frame.mono_dim(ui::Align::right);
    ui::Layout side =
        rect.left(std::max(canvas.measure("−00.0", edge), canvas.measure(low, edge)) + frame.px(6));
    side.skip_right(6);
    canvas.label(side.row(), ui::number(plot.heights.high, 2), edge);
    canvas.label(side.last_row(), low, edge);
    const std::size_t count = plot.keys.size();
    const ui::Axes axes{rect, {0, static_cast<double>(count)}, plot.heights};
    const float each = rect.w / static_cast<float>(count);
    const float gap = each > 4 ? std::min(each * 0.25F, 6.0F) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const float height = plot.values[static_cast<std::size_t>(plot.keys[i])];
        ui::Rect bar = axes.bar(i, count, std::isfinite(height) ? height : 0, 0, gap);
        bar.h = std::max(1.0F, bar.h);
        const ImU32 quiet = ui::mix(plot.color, frame.colors().background, 0.45F);
        canvas.fill(bar, plot.keys[i] == lit ? frame.colors().accent : quiet);
    }
    canvas.line(axes.at(0, 0), axes.at(axes.x.high, 0), frame.colors().border);
    frame.ui.name(plot.name, {rect, {0, 0, 1, static_cast<float>(count)}});
    return axes;
}

std::optional<std::size_t> bar_under(const ui::Axes& plot) {
    const float at = plot.value_at(ImGui::GetIO().MousePos).x;
    if (at < 0 || at >= plot.x.high) return {};
    return static_cast<std::size_t>(at);
}

void hover_key(Frame& frame, const SoftmaxBench& bench, Index key) {
    frame.memory.next_hovered.token = bench.token;
    frame.memory.next_hovered.col = frame.memory.next_hovered.key_token = static_cast<int>(key);
}

// A bar follows the pointer during a drag; a double click restores its original score.
void drag_scores(Frame& frame, const ui::Axes& plot, const BenchPlot& of, SoftmaxBench& bench) {
    const auto mouse = ui::interact(frame.ui, of.name + ".drag", plot.rect, ui::Stop::no);
    const auto bar = bar_under(plot);
    if (mouse.held && !bench.held && bar) bench.held = of.keys[*bar];
    if (mouse.hovered && bar && !bench.held) {
        hover_key(frame, bench, of.keys[*bar]);
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    }
    if (!bench.held) return;
    const auto key = static_cast<std::size_t>(*bench.held);
    if (mouse.double_clicked)
        bench.scores[key] = bench.given[key];
    else if (mouse.held && std::isfinite(bench.given[key]) &&
             ImGui::IsMouseDragging(0, frame.px(2)))
        bench.scores[key] =
            static_cast<float>(plot.y.clamped(plot.value_at(ImGui::GetIO().MousePos).y));
    frame.ui.ask_for_frame();
    if (!mouse.held) bench.held.reset();
}

void hover_bars(Frame& frame, const ui::Axes& plot, const BenchPlot& of,
                const SoftmaxBench& bench) {
    const auto mouse = ui::interact(frame.ui, of.name + ".bars", plot.rect, ui::Stop::no);
    const auto bar = bar_under(plot);
    if (mouse.hovered && bar && !bench.held) hover_key(frame, bench, of.keys[*bar]);
}

// The result as text, with the same numbers as in the plots.
std::string words_of_bench(const Frame& frame, const SoftmaxRow& row, float temperature) {
    if (row.largest < 0) return "Every key is masked, so all weights are 0.";
    const float most = row.weights[static_cast<std::size_t>(row.largest)];
    if (frame.state.look.lecture)
        return fmt::format(
            "The largest weight is {:.1f} %, that of {}. The weights have the entropy of {:.1f} "
            "equal weights.",
            100 * most, name_of_key(frame, row.largest), std::exp2(row.entropy));
    return fmt::format(
        "At temperature {}, {} has the largest score and gets {:.1f} % of the attention. With the "
        "maximum alone, it would get 100 %. The weights have the entropy of {:.1f} equal weights. "
        "Only this row changes here, nothing in the model.",
        fmt::format("{:.3g}", temperature), name_of_key(frame, row.largest), 100 * most,
        std::exp2(row.entropy));
}

// The name of the row, its temperature, and reset buttons.
void bench_head(Frame& frame, ui::Layout row, SoftmaxBench& bench) {
    const bool changed = bench.scores != bench.given || frame.state.look.bench_temperature != 1;
    if (row.button_right("bench.close", "All rows", 6, ui::ButtonLook::outlined,
                         "Shows the whole matrix again")) {
        frame.set("softmax_bench", "false");
        frame.memory.gesture_ended = true;
    }
    if (row.button_right("bench.reset", frame.state.look.lecture ? "Reset" : "Reset the row", 6,
                         changed ? ui::ButtonLook::outlined : ui::ButtonLook::disabled,
                         "Restores the row's own scores and temperature 1")) {
        bench.scores = bench.given;
        if (frame.state.look.bench_temperature != 1) frame.set("bench_temperature", "1");
        frame.memory.gesture_ended = true;
    }
    ui::Canvas canvas(frame.ui);
    row.skip_right(6);
    ui::Layout slider = row.right(std::min(row.w * 0.55F, frame.px(330) * frame.ui.text_scale()));
    const std::string_view label = "Temperature of this row", brief = "Temperature";
    const std::string_view words = canvas.measure(label, {}) < slider.w * 0.5F ? label : brief;
    slider.words_left(words, {}, 8);
    field_slider(frame, *find_field("bench_temperature"), "bench.temperature", slider,
                 frame.px(56) * frame.ui.text_scale());
    row.skip_right(12);
    const ui::TextStyle bold{.face = ui::Face::bold};
    const std::string brief_title = fmt::format("Row {} of S", bench.token),
                      title = fmt::format("{}: the scores of {}", brief_title,
                                          name_of_token(frame.trace, Side::query, bench.token));
    label_that_fits(canvas, row, {title, brief_title}, bold);
}

void report_bench(Frame& frame, const SoftmaxBench& bench, const SoftmaxRow& row, Index lit) {
    const auto number = [](float value) { return fmt::format("{:.6g}", value); };
    frame.ui.report("bench.row", std::to_string(bench.token));
    frame.ui.report("bench.key", std::to_string(lit));
    frame.ui.report("bench.score", number(bench.scores[static_cast<std::size_t>(lit)]));
    frame.ui.report("bench.weight", number(row.weights[static_cast<std::size_t>(lit)]));
    frame.ui.report("bench.largest", std::to_string(row.largest));
    frame.ui.report("bench.entropy", fmt::format("{:.6f}", row.entropy));
    frame.ui.report("bench.changed", bench.scores != bench.given ? "yes" : "no");
}

}  // namespace

void stage_softmax_bench(Frame& frame, ui::Layout rect) {
    SoftmaxBench& bench = bench_of(frame);
    const float temperature = frame.state.look.bench_temperature;
    const float line = frame.line(ui::Size::body);
    bench_head(frame, rect.top(line + frame.px(8), 8), bench);
    ui::Canvas canvas(frame.ui);
    const float lines = frame.state.look.lecture ? 2 : 3;
    const float tall = std::min(rect.h * 0.3F, canvas.wrapped_step({}) * lines);
    ui::Rect words = rect.bottom(tall);
    const auto bars = static_cast<Index>(std::max(8.0F, rect.w / frame.px(5)));
    const std::vector<Index> keys = largest_scores(bench.given, bars);
    const bool all = keys.size() == bench.given.size();
    const std::string which =
        all ? std::string()
            : fmt::format(", the {} largest of {}", keys.size(), bench.given.size());
    const float each = rect.h / 3;
    const SoftmaxRow before = softmax_row(bench.scores, temperature);
    const Index lit = lit_key(frame, bench, before);
    const BenchPlot scores{
        "bench.scores", "Scores s" + which + ": drag a bar", "Scores s: drag a bar", bench.scores,
        keys,           heights_of_scores(bench.given),      frame.colors().dim};
    drag_scores(frame, draw_bench_plot(frame, rect.top(each), scores, lit), scores, bench);
    const SoftmaxRow row = softmax_row(bench.scores, temperature);  // including dragged scores
    const ImU32 ink = frame.colors().hue(ui::Hue::attention);
    const BenchPlot weights{"bench.weights",
                            "Attention weights: softmax of s / T, which add up to 1",
                            "Attention weights: softmax of s / T",
                            row.weights,
                            keys,
                            heights_of_weights(row.weights),
                            ink};
    hover_bars(frame, draw_bench_plot(frame, rect.top(each), weights, lit), weights, bench);
    const BenchPlot hard{"bench.hard",
                         "The maximum alone: a hard choice, without a gradient",
                         "The maximum alone",
                         row.hard,
                         keys,
                         {0, 1},
                         ink};
    hover_bars(frame, draw_bench_plot(frame, rect, hard, lit), hard, bench);
    canvas.wrapped(words, words_of_bench(frame, row, temperature), {.color = frame.colors().dim});
    report_bench(frame, bench, row, lit);
}

}  // namespace headlight::screens
