#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "look/view.h"
#include "ui/heatmap_view.h"

// Given tokens instead of a picture: words in a sentence, cells of a feature map, or the matrix of
// all tokens.
namespace headlight::screens {

namespace {

constexpr Index kMostChips = 16;

void take_token(Frame& frame, Index token, bool hovered, bool clicked) {
    if (hovered) hover_token(frame, Side::query, token);
    if (clicked) pin_token(frame, Side::query, token);
}

struct Chip {
    Index token = 0;
    std::string name, weight;
    float share = 0;
    ui::Size size = ui::Size::large;  // of the name
};

// The width of a word with its name in this size.
float chip_width(Frame& frame, const std::string& name, ui::Size size) {
    const float least = size == ui::Size::large ? 92.0F : size == ui::Size::body ? 76.0F : 52.0F;
    const float inset = frame.px(size == ui::Size::small ? 12 : 24);
    return std::max(frame.px(least) * frame.ui.text_scale(),
                    ui::Canvas(frame.ui).measure(name, {.size = size}) + inset);
}

// Of the weight below a name of this size.
ui::Size weight_size(ui::Size name) { return std::min(name, ui::Size::body); }

float gap_between(const Frame& frame, ui::Size size) {
    return frame.px(size == ui::Size::small ? 5 : 10);
}

// Large, or smaller where all words fit on one line only then.
ui::Size chip_size(Frame& frame, Index count, float room) {
    for (const ui::Size size : {ui::Size::large, ui::Size::body, ui::Size::small}) {
        const float gap = gap_between(frame, size);
        float wide = -gap;
        for (Index token = 0; token < count; ++token)
            wide += gap + chip_width(frame, token_name(frame.trace.layout, token), size);
        if (wide <= room) return size;
    }
    return ui::Size::large;
}

void draw_chip(Frame& frame, const ui::Rect& place, const LookView& view, const Chip& chip,
               const ui::ColorScale& scale) {
    ui::Canvas canvas(frame.ui);
    const auto mouse =
        ui::interact(frame.ui, "look.token." + std::to_string(chip.token), place, ui::Stop::no);
    take_token(frame, chip.token, mouse.hovered, mouse.clicked);
    if (mouse.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const gl::Rgb color = scale.color(chip.share);
    const ImU32 fill = IM_COL32(color.r, color.g, color.b, 255);
    const float round = frame.px(6);
    canvas.fill(place, fill, round);
    canvas.outline(place, chip.token == view.token ? frame.colors().text : frame.colors().border,
                   frame.px(chip.token == view.token ? 3.0F : 1.0F), round);
    ui::Layout inside(frame.ui,
                      place.inset(frame.px(chip.size == ui::Size::small ? 4 : 10), frame.px(8)));
    const ImU32 ink = ui::ink_on(color);
    canvas.label(inside.top(frame.line(chip.size)), chip.name,
                 {.size = chip.size, .color = ink, .align = ui::Align::center});
    canvas.label(inside, chip.weight,
                 {.face = ui::Face::mono,
                  .size = weight_size(chip.size),
                  .color = ink,
                  .align = ui::Align::center});
}

// In reading order, on as many lines as needed. A single line leaves space for arrows below.
void sentence(Frame& frame, const ui::Rect& rect, const LookView& view) {
    const MatrixView row = row_of(view, view.shown);
    const ui::ColorScale scale = times_even(reachable(view, view.shown.layer));
    const ui::Size size = chip_size(frame, row.cols, rect.w);
    const float gap = gap_between(frame, size);
    const float high = frame.line(size) + frame.line(weight_size(size)) + frame.px(18);
    float x = rect.x, y = rect.y;
    std::vector<WordPlace> placed;
    for (Index token = 0; token < row.cols; ++token) {
        Chip chip{token, token_name(frame.trace.layout, token), "", row(0, token), size};
        chip.weight = fmt::format("{:.1f} %", 100 * chip.share);
        const float wide = std::min(rect.w, chip_width(frame, chip.name, size));
        if (x > rect.x && x + wide > rect.x + rect.w) {
            x = rect.x;
            y += high + gap;
        }
        if (y + high > rect.y + rect.h) return;
        const ui::Rect place{x, y, wide, high};
        draw_chip(frame, place, view, chip, scale);
        placed.push_back({place, chip.share, chip.name});
        x += wide + gap;
    }
    const float below = rect.y + high + frame.px(4);
    if (y == rect.y)
        word_arrows(frame, {rect.x, below, rect.w, rect.y + rect.h - below}, placed, view.token);
}

// One token's map over the cells of a feature map.
void cells(Frame& frame, const ui::Rect& rect, const LookView& view) {
    const Shown map = shown_map(frame, view, view.shown);
    const PatchGrid& grid = frame.trace.grid;
    const ui::Rect place = rect.fit(static_cast<float>(grid.cols) / static_cast<float>(grid.rows));
    ui::HeatmapSpec spec;
    spec.name = "look.cells";
    spec.cells = map.cells;
    spec.scale = map.scale;
    spec.window = {0, 0, static_cast<float>(grid.rows), static_cast<float>(grid.cols)};
    const auto patch = static_cast<int>(row_of_token(frame.trace, Axis::patch, view.token));
    if (patch >= 0) {
        spec.row = patch / grid.cols;
        spec.col = patch % grid.cols;
    }
    const ui::HeatmapHit hit = ui::heatmap(frame.ui, place, spec);
    if (hit.hovered)
        take_token(frame, token_of_row(frame.trace, Axis::patch, hit.row * grid.cols + hit.col),
                   true, hit.clicked);
}

// All queries by all keys of the head.
void matrix(Frame& frame, const ui::Rect& rect, const LookView& view) {
    const MatrixView all = frame.trace.view(Tensor::attention, 0, view.shown.head);
    if (all.empty() || view.shown.layer != frame.trace.layer) return;
    Shown map;
    map.set_cells(all, frame.trace.version(Tensor::attention));
    ui::HeatmapSpec spec;
    spec.name = "look.matrix";
    spec.cells = map.cells;
    spec.scale = times_even(reachable(view, view.shown.layer));
    spec.window = {0, 0, static_cast<float>(all.rows), static_cast<float>(all.cols)};
    spec.row = view.token;
    spec.outline_cell = false;
    const float shape =
        std::clamp(static_cast<float>(all.cols) / static_cast<float>(all.rows), 0.5F, 2.0F);
    const ui::HeatmapHit hit = ui::heatmap(frame.ui, rect.fit(shape), spec);
    if (!hit.hovered) return;
    take_token(frame, hit.row, true, hit.clicked);
    frame.ui.tooltip(fmt::format("{} to {}: {}", name_of_token(frame.trace, Side::query, hit.row),
                                 token_name(frame.trace.layout, hit.col),
                                 ui::number(all(hit.row, hit.col), 4)));
}

}  // namespace

void look_at_given(Frame& frame, ui::Rect rect, LookView& view, LookMemory& memory) {
    ui::Layout body(frame.ui,
                    rect.inset(frame.px(rect.w > frame.px(1400) ? 48 : 20), frame.px(14)));
    const bool beside = rect.w > rect.h * 1.1F;
    ui::Layout left(frame.ui, beside ? body.left(body.w * 0.52F) : body.top(body.h * 0.6F));
    beside ? body.left(frame.px(40)) : body.top(frame.px(8));
    say_question(frame, left);
    left.skip_top(12);
    ui::TextStyle style = lead_style(frame, left.w);
    style.color = frame.colors().dim;
    const ui::Rect words = left.bottom(ui::Canvas(frame.ui).wrapped_step(style) * 3, 10);
    if (!left.empty()) {
        const MatrixView map = patches_of(frame, view, view.shown);
        if (map.rows > 1 && map.cols > 1)
            cells(frame, left, view);
        else if (frame.trace.shape.keys <= kMostChips && !is_cross(frame.trace))
            sentence(frame, left, view);
        else
            matrix(frame, left, view);
    }
    const Runs caption = caption_runs(frame, view);
    draw_runs(frame, words, caption, style);
    frame.ui.report("look.caption", text_of(caption));
    if (!body.empty()) heads_column(frame, body, view, memory, "tokens");
}

}  // namespace headlight::screens
