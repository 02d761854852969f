#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/bias_table.h"
#include "frame/tiling.h"
#include "kernels/counted.h"
#include "positions_screen/view.h"
#include "ui/color_bar.h"

// A relative position bias: for each head a number per offset of two patches, added to their score.
namespace headlight::screens {

namespace {

// The trace that the study used; the current one may have no bias.
const Trace& trace_of(const PositionsView& view) { return *view.said->question.trace; }

ui::ColorScale scale_of(Frame& frame, const PositionsView& view, const StudiedBias& head) {
    const bool own = frame.state.look.range == RangeMode::own;
    return own ? signed_scale(frame, head.properties.low, head.properties.high)
               : signed_scale(frame, view.bias->low, view.bias->high);
}

// "2 rows down, 1 column left of it"
std::string offset_in_words(int down, int right) {
    if (down == 0 && right == 0) return "at the query itself";
    const auto part = [](int count, std::string_view one, const std::string& way) {
        return counted(count, one) + " " + way;
    };
    std::string words;
    if (down != 0) words = part(std::abs(down), "row", down > 0 ? "down" : "up");
    if (right != 0)
        words += (words.empty() ? "" : ", ") +
                 part(std::abs(right), "column", right > 0 ? "right" : "left");
    return words;
}

ui::HeatmapHit picture_of(Frame& frame, const ui::Rect& place, const PositionsView& view,
                          const StudiedBias& head, const std::string& name, bool numbers) {
    Shown shown;
    shown.set_cells(head.picture);
    ui::HeatmapSpec spec;
    spec.name = name;
    spec.cells = shown.cells;
    spec.scale = scale_of(frame, view, head);
    spec.window = {0, 0, static_cast<float>(spec.cells.rows), static_cast<float>(spec.cells.cols)};
    spec.numbers = numbers;
    return ui::heatmap(frame.ui, place, spec);
}

float aspect_of(const PositionsView& view) {
    return static_cast<float>(2 * view.bias->cols - 1) /
           static_cast<float>(2 * view.bias->rows - 1);
}

// A query's row of the head as a map over the patches.
Shown of_row(const PositionsView& view, const float* row, Index prefix, std::uint64_t version) {
    Shown map;
    map.set_cells({row + prefix, view.rows, view.cols, view.cols}, version);
    return map;
}

Index query_of(const PositionsView& view) { return trace_of(view).layout.prefix() + view.patch; }

// The attention without the bias, cached for unchanged frames.
struct LastReading {
    std::uint64_t scaled = 0;
    int head = -1, patch = -1;
    SharedResult row;
};

const SharedResult& without_bias(Frame& frame, const PositionsView& view) {
    auto& last = frame.memory.own<LastReading>();
    const std::uint64_t scaled = trace_of(view).version(Tensor::attention);
    if (last.scaled == scaled && last.head == view.head_index && last.patch == view.patch)
        return last.row;
    Matrix row = attention_without_bias(trace_of(view), view.head_index, query_of(view));
    last = {scaled, view.head_index, view.patch,
            row.size() == 0 ? nullptr : make_result(std::move(row))};
    return last.row;
}

// What is added to the query's scores; with windows it may not be kept.
struct LastAdded {
    std::uint64_t bias = 0;
    int head = -1, patch = -1;
    SharedResult row;
};

const SharedResult& added_row(Frame& frame, const PositionsView& view) {
    const Trace& trace = trace_of(view);
    auto& last = frame.memory.own<LastAdded>();
    const std::uint64_t bias = trace.version(Tensor::relative_bias);
    if (last.bias == bias && last.head == view.head_index && last.patch == view.patch)
        return last.row;
    Matrix row = Matrix::Zero(1, trace.shape.keys);
    const Index query = query_of(view);
    if (const auto windows = windows_of(trace, trace.node(Step::relative_bias)))
        windows->for_each_of(query, [&](Index key, Index offset, bool) {
            row(0, key) = trace.view(Tensor::relative_table)(offset, view.head_index);
        });
    else
        row = trace.view(Tensor::relative_bias, 0, view.head_index).eigen().row(query);
    last = {bias, view.head_index, view.patch, make_result(std::move(row))};
    return last.row;
}

// One scale for the attention with and without bias, for comparison.
ui::ColorScale reading_scale(Frame& frame, const PositionsView& view) {
    const Index prefix = trace_of(view).layout.prefix();
    const MatrixView with = trace_of(view).view(Tensor::attention, 0, view.head_index);
    float most = with.eigen().row(query_of(view)).tail(with.cols - prefix).maxCoeff();
    if (const SharedResult& without = without_bias(frame, view))
        most = std::max(most, without->view().eigen().row(0).tail(with.cols - prefix).maxCoeff());
    ui::ColorScale scale = positive_scale(frame, most);
    scale.map = attention_map(frame);
    return scale;
}

// "key 2 patches right or down"
std::string key_offset_words(int offset) {
    if (offset == 0) return "key at the query itself";
    return "key " + counted(std::abs(offset), "patch") +
           (offset > 0 ? " right or down" : " left or up");
}

}  // namespace

void bias_picture_part(Frame& frame, ui::Layout rect, const PositionsView& view) {
    const std::string head = fmt::format("HEAD {}", view.head_index + 1);
    caption_that_fits(frame.ui, rect.row(0, 4),
                      {"WHAT EACH OFFSET ADDS TO A SCORE · " + head, "BIAS BY OFFSET · " + head});
    const ui::Rect bar = rect.last_row(0, 4);
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim = frame.small_dim();
    label_that_fits(canvas, rect.last_row(0, 2),
                    {"middle: the query itself; above: keys above it", "middle: the query itself"},
                    dim);
    const ui::Rect place = rect.fit(aspect_of(view));
    const auto hit = picture_of(frame, place, view, *view.head, "positions.bias", true);
    const int rows = view.bias->rows, cols = view.bias->cols;
    const float wide = place.w / static_cast<float>(2 * cols - 1),
                tall = place.h / static_cast<float>(2 * rows - 1);
    canvas.mark({place.x + static_cast<float>(cols - 1) * wide,
                 place.y + static_cast<float>(rows - 1) * tall, wide, tall},
                frame.colors().accent, frame.px(2));
    ui::color_line(frame.ui, bar, scale_of(frame, view, *view.head));
    const MatrixView picture = view.head->picture->view();
    frame.ui.report("positions.bias.right",
                    cols > 1 ? fmt::format("{:.6f}", picture(rows - 1, cols)) : "");
    if (!hit.hovered) return;
    frame.ui.tooltip(fmt::format("Key {}: {}",
                                 offset_in_words(hit.row - rows + 1, hit.col - cols + 1),
                                 ui::number(picture(hit.row, hit.col), 4)));
}

void bias_profile_part(Frame& frame, ui::Layout rect, const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    caption_that_fits(frame.ui, rect.row(),
                      {"ALONG THE QUERY'S ROW, DOWN ITS COLUMN", "ALONG ROW, DOWN COLUMN"});
    rect.top(frame.line() * 0.6F);
    ui::Layout words = rect.last_row();
    const BiasProfile& profile = view.head->profile;
    const double low = std::min<double>(0, view.head->properties.low),
                 high = std::max<double>(0, view.head->properties.high),
                 reach = std::max(high - low, 1e-30);
    const std::string top = ui::number(low + reach, 2), bottom = ui::number(low, 2);
    const auto width = std::max(profile.along_row.size(), profile.down_column.size());
    const ui::Plot plot{ui::beside_levels(frame.ui, rect, {top, bottom}),
                        static_cast<int>(width) - 1, low, low + reach};
    ui::grid(frame.ui, plot);
    frame.ui.name("positions.profile", {plot.rect, {}});
    canvas.line({plot.rect.center().x, plot.rect.y},
                {plot.rect.center().x, plot.rect.y + plot.rect.h}, frame.colors().border);
    const ImU32 along = frame.colors().accent, down = frame.colors().hue(ui::Hue::key);
    curve_around(frame, plot, profile.along_row, along);
    curve_around(frame, plot, profile.down_column, down);
    ui::TextStyle legend{.size = ui::Size::small, .color = along};
    words.words_left("row", legend, 16);
    legend.color = down;
    words.words_left("column", legend, 8);
    const ui::TextStyle end = frame.small_dim(ui::Align::right);
    const std::string apart =
        width < 2 ? "one patch" : fmt::format("key ±{} off", counted(width / 2, "patch"));
    if (canvas.measure(apart, end) <= words.w) canvas.label(words, apart, end);
    tip_around(frame, plot, profile.along_row, profile.down_column);
}

void curve_around(Frame& frame, const ui::Plot& plot, const std::vector<double>& values,
                  ImU32 color) {
    ui::curve(frame.ui, plot, values, color, (plot.last + 1 - static_cast<int>(values.size())) / 2);
}

void tip_around(Frame& frame, const ui::Plot& plot, const std::vector<double>& along_row,
                const std::vector<double>& down_column) {
    const int step = plot.step_under(ImGui::GetIO().MousePos);
    if (step < 0) return;
    const int offset = step - (plot.last + 1) / 2;
    std::string found = key_offset_words(offset);
    const auto say = [&](const char* where, const std::vector<double>& values) {
        const int at = offset + static_cast<int>(values.size() / 2);
        if (at >= 0 && at < static_cast<int>(values.size()))
            found += fmt::format("\n{} {:.3f}", where, values[static_cast<std::size_t>(at)]);
    };
    say("along the row", along_row);
    say("down the column", down_column);
    frame.ui.tooltip(found);
}

void bias_heads_part(Frame& frame, ui::Layout rect, const PositionsView& view) {
    const auto count = static_cast<int>(view.bias->heads.size());
    caption_that_fits(frame.ui, rect.row(0, 4),
                      {fmt::format("THE SAME FOR ALL {} HEADS", count), "ALL HEADS"});
    const float gap = frame.px(6), aspect = aspect_of(view);
    const Tiling tiles = largest_tiles(frame, rect, count, aspect, gap);
    const float w = tiles.tall * aspect, h = tiles.tall + frame.line();
    if (w < frame.px(4)) return;
    for (int head = 0; head < count; ++head) {
        ui::Layout tile(frame.ui,
                        {rect.x + static_cast<float>(head % tiles.across) * (w + gap),
                         rect.y + static_cast<float>(head / tiles.across) * (h + gap), w, h});
        const bool chosen = head == view.head_index;
        ui::Canvas(frame.ui).label(tile.row(), std::to_string(head + 1),
                                   {.face = ui::Face::mono,
                                    .size = ui::Size::small,
                                    .color = chosen ? frame.colors().accent : frame.colors().dim});
        const std::string name = fmt::format("positions.bias.head.{}", head + 1);
        const auto hit = picture_of(frame, tile, view,
                                    view.bias->heads[static_cast<std::size_t>(head)], name, false);
        if (chosen) ui::Canvas(frame.ui).outline(tile, frame.colors().accent, frame.px(2));
        if (hit.hovered) frame.ui.tooltip(fmt::format("Head {}: click to see it large", head + 1));
        if (hit.clicked) frame.say("head", std::to_string(head + 1));
    }
}

void bias_over_picture(Frame& frame, ui::Layout rect, const PositionsView& view) {
    const std::string token = fmt::format("TOKEN {}", token_of_patch(frame, view.patch));
    caption_that_fits(
        frame.ui, rect.row(0, 4),
        {fmt::format("ADDED TO THE SCORES OF {} · HEAD {}", token, view.head_index + 1),
         fmt::format("ADDED FOR {} · HEAD {}", token, view.head_index + 1), "ADDED FOR " + token});
    const SharedResult row = added_row(frame, view);
    Shown map = of_row(view, row->view().row(0), trace_of(view).layout.prefix(), row->version());
    map.scale = scale_of(frame, view, *view.head);
    picture_with(frame, rect, view, map, "positions.added");
}

void reading_with_bias(Frame& frame, ui::Layout rect, const PositionsView& view) {
    const std::string token = fmt::format("TOKEN {}", token_of_patch(frame, view.patch));
    caption_that_fits(frame.ui, rect.row(0, 4),
                      {fmt::format("ATTENTION OF {} · HEAD {}", token, view.head_index + 1),
                       "ATTENTION OF " + token});
    const MatrixView attention = trace_of(view).view(Tensor::attention, 0, view.head_index);
    Shown map = of_row(view, attention.row(query_of(view)), trace_of(view).layout.prefix(),
                       trace_of(view).version(Tensor::attention));
    map.scale = reading_scale(frame, view);
    picture_with(frame, rect, view, map, "positions.reads");
}

void reading_without_bias(Frame& frame, ui::Layout rect, const PositionsView& view) {
    caption_that_fits(frame.ui, rect.row(0, 4),
                      {"ITS ATTENTION WITHOUT THE BIAS", "WITHOUT THE BIAS"});
    const SharedResult& row = without_bias(frame, view);
    if (row == nullptr)
        return static_cast<void>(ui::Canvas(frame.ui).wrapped(
            rect,
            "The attention without the bias needs the products Q·K, which are not in memory here.",
            frame.small_dim()));
    Shown map = of_row(view, row->view().row(0), trace_of(view).layout.prefix(), row->version());
    map.scale = reading_scale(frame, view);
    picture_with(frame, rect, view, map, "positions.reads_without");
}

}  // namespace headlight::screens
