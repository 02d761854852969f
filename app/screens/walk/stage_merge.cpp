#include <algorithm>
#include <array>
#include <cmath>

#include "frame/picture.h"
#include "ops/picture.h"
#include "walk/stages.h"

// Swin's patch merging: the positions of four tokens, their rows, and the merged row.
namespace headlight::screens {

namespace {

constexpr int kParts = 4;

// The four tokens of the finer grid that form one of this layer, in the order of its channels.
std::array<int, kParts> finer_tokens(const PatchGrid& grid, int token) {
    const int row = 2 * (token / grid.cols), col = 2 * (token % grid.cols), across = 2 * grid.cols;
    std::array<int, kParts> finer{};
    for (int part = 0; part < kParts; ++part)
        finer[static_cast<std::size_t>(part)] = (row + part % 2) * across + col + part / 2;
    return finer;
}

// Labels above the bands of channels: the token that each comes from.
void band_names(Frame& frame, const ui::Rect& place, const gl::CellWindow& window, Index cols) {
    ui::Canvas canvas(frame.ui);
    const float band = static_cast<float>(cols) / kParts;
    const auto x_of = [&](float col) {
        return place.x + (col - window.col) / window.cols * place.w;
    };
    constexpr std::array<std::string_view, kParts> kNames{"upper left", "lower left", "upper right",
                                                          "lower right"};
    for (int part = 0; part < kParts; ++part) {
        const float left = std::max(place.x, x_of(band * static_cast<float>(part))),
                    right = std::min(place.x + place.w, x_of(band * static_cast<float>(part + 1)));
        if (right - left < frame.px(4)) continue;
        const ImU32 hue = frame.colors().head(part);
        canvas.fill({left + 1, place.y + place.h + frame.px(3), right - left - 2, frame.px(4)},
                    hue);
        const std::string_view name = kNames[static_cast<std::size_t>(part)];
        const ui::TextStyle style = frame.small_dim(ui::Align::center);
        if (canvas.measure(name, style) <= right - left)
            canvas.label({left, place.y + place.h + frame.px(8), right - left, frame.line()}, name,
                         style);
    }
}

}  // namespace

void stage_merge(Frame& frame, const ui::Rect& rect) {
    const Trace& trace = frame.trace;
    const PatchGrid& grid = trace.grid;
    const PatchGrid finer =
        grid_of_level(*trace.model, grid, trace.model->level_of(trace.layer) - 1);
    const double phase = frame.phase();
    const bool forming = phase < 1.0;
    const int token = std::clamp(
        forming ? static_cast<int>(phase * grid.count()) : focus_of(frame, Side::query).value_or(0),
        0, grid.count() - 1);
    const auto four = finer_tokens(grid, token);
    ui::Layout rest(frame.ui, rect);
    rest.bottom(frame.line() * 2 + frame.px(8));
    ui::Layout left = rest.left(rest.w * 0.36F);
    rest.left(frame.px(30) + frame.line());
    rest.row(4);

    ui::Rect upper = left.top(left.h * 0.56F);
    const ui::Rect picture =
        upper.fit(static_cast<float>(trace.image->width) / static_cast<float>(trace.image->height));
    std::array<TokenMark, kParts> marks{};
    for (std::size_t part = 0; part < kParts; ++part)
        marks[part] = {four[part], frame.colors().head(static_cast<int>(part))};
    draw_picture(frame, picture,
                 {.name = "stage.image", .grid = true, .marks = marks, .patches = &finer});
    left.top(frame.px(10) + frame.line());
    const int width = static_cast<int>(trace.cols(Tensor::merge_input)),
              part = frame.focus.col ? std::clamp(*frame.focus.col / width, 0, kParts - 1) : 0;
    Matrix2D from{.tensor = Tensor::merge_input, .name = "stage.left"};
    from.row = four[static_cast<std::size_t>(part)];
    if (frame.focus.col) from.col = *frame.focus.col % width;
    left.left(frame.line());
    draw_matrix(frame, left, from);

    Matrix2D m = linked_matrix(frame, Tensor::merge_gathered, "stage.result");
    if (forming) {
        m.row = token;
        m.col.reset();
    }
    m.revealed = static_cast<float>(phase);
    m.label_left = true;
    const ui::Rect place{std::round(rest.x), std::round(rest.y), std::round(rest.w),
                         std::round(rest.h)};
    draw_linked(frame, place, m);
    band_names(frame, place, shared_window(frame), trace.cols(Tensor::merge_gathered));
}

}  // namespace headlight::screens
