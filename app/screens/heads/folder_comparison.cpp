#include "analysis/sample_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heads/folder.h"
#include "heads/memory.h"
#include "heads/order.h"
#include "kernels/counted.h"
#include "state/folder_table.h"
#include "ui/color_bar.h"
#include "ui/heatmap_view.h"
#include "ui/layout.h"
#include "ui/plot.h"

// Compares the current image with those of a folder.
namespace headlight::screens {

namespace {

struct Measure {
    HeadMeasure id;
    std::string name, unit;
    double factor = 1;  // from the measured value to the displayed one
    int digits = 2;
};

std::string_view short_name(const HeadMeasureInfo& info) {
    return info.card.empty() || info.label.size() < info.card.size() ? info.label : info.card;
}

Measure measure_shown(const Frame& frame, const HeadMeasureInfo& info) {
    if (info.id == HeadMeasure::importance)
        return turns_output(frame) ? Measure{info.id, "change when off", "(1 − cos)", 1, 4}
                                   : Measure{info.id, "change when off", "points", 100};
    // With several grids, the patch size is not unique.
    if (info.unit == kPixels && !frame.trace.model->has_merges())
        return {info.id, std::string(info.label), "patches",
                1.0 / frame.trace.grid.settings.stride};
    if (info.of_row == nullptr)
        return {info.id, std::string(short_name(info)), std::string(info.unit), 1, 3};
    return {info.id, std::string(info.label), std::string(info.unit)};
}

// Entropy and distance, the measure for the order of the maps, and those on request that were
// measured.
std::vector<Measure> measures(const Frame& frame, const FolderFinder::Said& said) {
    std::vector<Measure> all;
    const auto ordered = measure_of(order_of(frame));
    for (const HeadMeasureInfo& info : all_head_measures()) {
        const bool every_run = info.of_row != nullptr;
        if (info.id == HeadMeasure::entropy || info.id == HeadMeasure::distance ||
            (every_run && info.id == ordered) || said.question.asks(info.id))
            all.push_back(measure_shown(frame, info));
    }
    return all;
}

// The measure for the order of the maps, or else the entropy.
const Measure& ordered_by(const Frame& frame, const std::vector<Measure>& all) {
    const auto ordered = measure_of(order_of(frame));
    const auto found = std::ranges::find_if(all, [&](const Measure& m) { return m.id == ordered; });
    return found == all.end() ? all.front() : *found;
}

// The value for the current image, as on the screen.
double present_value(const Frame& frame, const HeadsView& view, const Measure& measure,
                     const HeadPlace& head) {
    if (info(measure.id).of_row != nullptr)
        return numbers_of(frame, head)[measure.id] * measure.factor;
    return number_of(frame, view, head, measure.id)
        .value_or(std::numeric_limits<double>::quiet_NaN());
}

std::vector<double> values_of(const FolderMeasures& folder, const HeadPlace& head,
                              const Measure& measure) {
    std::vector<double> values = measures_of(folder, head, measure.id);
    for (double& value : values) value *= measure.factor;
    return values;
}

std::string mean_words(const SampleStatistics& all, const Measure& measure) {
    return fmt::format("{:.{}f} ± {:.{}f}", all.mean, measure.digits, all.deviation,
                       measure.digits);
}

std::string with_unit(const std::string& words, const Measure& measure, const char* between) {
    return measure.unit.empty() ? words : words + between + measure.unit;
}

// A dot for every image, their mean ± one standard deviation, and the current image.
void distribution(Frame& frame, const ui::Rect& rect, const std::vector<double>& values,
                  const SampleStatistics& all, double present) {
    double low = all.least, high = all.most;
    if (std::isfinite(present)) {
        low = std::min(low, present);
        high = std::max(high, present);
    }
    const ui::Axes axes{rect, {low, high > low ? high : low + 1}, {}};
    const auto x_of = [&](double value) { return axes.at(axes.x.clamped(value), 0).x; };
    ui::Canvas canvas(frame.ui);
    const float middle = rect.center().y, dot = frame.px(2);
    const float from = x_of(all.mean - all.deviation), to = x_of(all.mean + all.deviation);
    canvas.fill({from, middle - rect.h * 0.3F, std::max(to - from, 1.0F), rect.h * 0.6F},
                frame.colors().border, frame.px(2));
    for (const double value : values)
        canvas.fill({x_of(value) - dot / 2, middle - dot / 2, dot, dot}, frame.colors().dim,
                    dot / 2);
    const float mean = x_of(all.mean);
    canvas.line({mean, middle - rect.h * 0.3F}, {mean, middle + rect.h * 0.3F},
                frame.colors().text);
    if (!std::isfinite(present)) return;
    const float at = x_of(present), half = frame.px(4);
    canvas.triangle({at - half, rect.y}, {at + half, rect.y}, {at, middle}, frame.colors().accent);
    canvas.line({at, middle}, {at, rect.y + rect.h}, frame.colors().accent, frame.px(1.5F));
}

void measure_row(Frame& frame, ui::Layout row, float names, const HeadsView& view,
                 const FolderFinder::Said& said, const Measure& measure) {
    const std::vector<double> values = values_of(said.answer, view.shown, measure);
    const SampleStatistics all = sample_statistics(values);
    const double present = present_value(frame, view, measure, view.shown);
    ui::Canvas canvas(frame.ui);
    const bool hovered = row.contains(ImGui::GetIO().MousePos);
    const ui::TextStyle dim = frame.small_dim();
    canvas.label(row.left(names + frame.px(10)), measure.name, dim);
    if (all.count == 0) return canvas.label(row, "none yet", dim);
    const std::string words = mean_words(all, measure);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const float wide =
        std::max(canvas.measure("−00.00 ± 00.00", mono), canvas.measure(words, mono));
    canvas.label(row.right(wide + 1, 10), words, mono);
    if (std::isfinite(present)) {
        ui::TextStyle here = mono;
        here.color = frame.colors().accent;
        canvas.label(row.right(canvas.measure("−00.00", here), 10),
                     fmt::format("{:.{}f}", present, measure.digits), here);
    }
    distribution(frame, row.inset(0, row.h * 0.1F), values, all, present);
    frame.ui.report("heads.among." + measure.name,
                    fmt::format("{:.6f} {:.6f} {}", all.mean, all.deviation, all.count));
    if (!hovered) return;
    std::string tip =
        fmt::format("{}: {} on {}, from {:.{}f} to {:.{}f}.", name_of_head(frame, view.shown),
                    with_unit(words, measure, " "), counted(all.count, "image"), all.least,
                    measure.digits, all.most, measure.digits);
    if (said.question.asks(measure.id))
        tip += "\nMeasured: " + folder_noun(said.question, measure.id) + ".";
    if (std::isfinite(present))
        tip += fmt::format("\nHere {:.{}f}", present, measure.digits) +
               (all.deviation > 0 ? fmt::format(": {:+.1f} standard deviations from the mean.",
                                                (present - all.mean) / all.deviation)
                                  : ".");
    frame.ui.tooltip(tip);
}

// ---- every head's mean

struct MeansMemory {
    std::shared_ptr<const FolderFinder::Said> of;
    std::string measure;
    SharedResult cells;
    double most = 0;
};

void find_means(const Frame& frame, const HeadsView& view,
                const std::shared_ptr<const FolderFinder::Said>& said, const Measure& measure,
                MeansMemory& memory) {
    if (memory.of == said && memory.measure == measure.name) return;
    memory = {said, measure.name, nullptr, 0};
    const int first = frame.trace.model->token_transformers();
    Matrix means = Matrix::Constant(static_cast<Index>(frame.trace.model->layers.size()) - first,
                                    most_heads(view), std::numeric_limits<float>::quiet_NaN());
    for (const HeadTile& tile : view.tiles) {
        const SampleStatistics all =
            sample_statistics(values_of(said->answer, tile.place, measure));
        if (all.count == 0) continue;
        means(tile.place.layer - first, tile.place.head) = static_cast<float>(all.mean);
        memory.most = std::max(memory.most, std::abs(all.mean));
    }
    memory.cells = make_result(std::move(means));
}

gl::Rgb rgb_of(ImU32 color) {
    const ImVec4 parts = ImGui::ColorConvertU32ToFloat4(color);
    const auto byte = [](float part) { return static_cast<std::uint8_t>(part * 255 + 0.5F); };
    return {byte(parts.x), byte(parts.y), byte(parts.z)};
}

void mean_matrix(Frame& frame, ui::Layout rect, const HeadsView& view,
                 const std::shared_ptr<const FolderFinder::Said>& said, const Measure& measure) {
    auto& memory = frame.memory.own<MeansMemory>();
    find_means(frame, view, said, measure, memory);
    const MatrixView means = memory.cells->view();
    ui::Canvas canvas(frame.ui);
    const std::string name = with_unit(measure.name, measure, ", ");
    ui::label_that_fits(canvas, rect.row(),
                        {"each head's mean: " + name, "means: " + name, "means"},
                        frame.small_dim());
    Shown map;
    map.set_cells(memory.cells);
    const auto most = static_cast<float>(memory.most);
    ui::HeatmapSpec spec;
    spec.name = "heads.among.means";
    spec.cells = map.cells;
    spec.scale = info(measure.id).of_row == nullptr ? signed_scale(frame, -most, most)
                                                    : positive_scale(frame, most);
    spec.window = {0, 0, static_cast<float>(means.rows), static_cast<float>(means.cols)};
    spec.scale.nan = rgb_of(frame.colors().card);  // for layers without such a head
    spec.numbers = false;
    ui::color_line(frame.ui, rect.last_row(), spec.scale);
    const int first = frame.trace.model->token_transformers();
    spec.row = view.shown.layer - first;
    spec.col = view.shown.head;
    const auto hit = ui::heatmap(frame.ui, rect, spec);
    if (!hit.hovered) return;
    const HeadPlace place{first + hit.row, hit.col};
    if (std::ranges::find(view.tiles, place, &HeadTile::place) == view.tiles.end()) return;
    frame.memory.own<HeadsMemory>().next_pointed.head = place;
    const SampleStatistics all = sample_statistics(values_of(said->answer, place, measure));
    frame.ui.tooltip(fmt::format("{}: {} {} on {}", name_of_head(frame, place), measure.name,
                                 with_unit(mean_words(all, measure), measure, " "),
                                 counted(all.count, "image")));
}

}  // namespace

void among_card(Frame& frame, ui::Layout rect, const HeadsView& view,
                const std::shared_ptr<const FolderFinder::Said>& said) {
    const std::vector<Measure> all = measures(frame, *said);
    const auto done = std::ranges::count_if(said->answer.images,
                                            [](const auto& image) { return image->error.empty(); });
    ui::Layout right = rect.right(std::min(rect.w * 0.3F, rect.h * 1.4F), 16);
    mean_matrix(frame, right, view, said, ordered_by(frame, all));
    ui::Canvas canvas(frame.ui);
    const std::string on = name_of_head(frame, view.shown) + " on " + counted(done, "image");
    ui::label_that_fits(
        canvas, rect.top(frame.line() * 1.2F),
        {on + ": here, mean ± standard deviation", on + ": here, mean ± deviation", on},
        {.face = ui::Face::bold, .size = ui::Size::small});
    const float each = std::min(rect.h / static_cast<float>(all.size()), frame.line() * 1.5F);
    float names = 0;
    for (const Measure& measure : all)
        names = std::max(names, canvas.measure(measure.name, {.size = ui::Size::small}));
    for (const Measure& measure : all)
        measure_row(frame, rect.top(each), names, view, *said, measure);
}

}  // namespace headlight::screens
