#include <algorithm>
#include <cmath>

#include "walk/stages.h"

namespace headlight::screens {

namespace {

// Smoothly from 0 to 1, for things that slide.
float eased(double phase) {
    const auto t = static_cast<float>(std::clamp(phase, 0.0, 1.0));
    return t * t * (3 - 2 * t);
}

float motion(const Frame& frame) { return eased(frame.phase()); }

// Frames over a matrix whose columns belong to heads, the shown head's frame strongest.
void frame_heads(Frame& frame, const ui::Rect& rect, Index first, Index total_cols) {
    if (rect.empty()) return;
    ui::Canvas canvas(frame.ui);
    const AttentionShape& shape = frame.trace.shape;
    const float per_col = rect.w / static_cast<float>(total_cols);
    // Where hues run out, numbers; else of the shown head alone.
    const bool numbered = shape.heads > ui::kHeadHues;
    const ui::TextStyle style{.size = ui::Size::small, .align = ui::Align::center};
    const float number = canvas.measure(std::to_string(shape.heads), style) + frame.px(4);
    const auto every = static_cast<int>(
        std::ceil(number / std::max(1.0F, static_cast<float>(shape.head_dim) * per_col)));
    for (int h = 0; h < static_cast<int>(shape.heads); ++h) {
        const float x = rect.x + static_cast<float>(first + h * shape.head_dim) * per_col;
        const ui::Rect slice{x, rect.y, static_cast<float>(shape.head_dim) * per_col, rect.h};
        const bool chosen = h == frame.head;
        if (chosen) canvas.outline(slice.inset(-1), frame.colors().head(h), frame.px(2.5F));
        canvas.fill({slice.x + 1, slice.y + slice.h + frame.px(3), std::max(1.0F, slice.w - 2),
                     frame.px(3)},
                    ui::with_alpha(frame.colors().head(h), chosen ? 1.0F : 0.55F));
        const bool near = std::abs(h - frame.head) < every;
        if (!chosen && (!numbered || near || h % every != 0)) continue;
        ui::TextStyle ink = style;
        ink.color = chosen ? frame.colors().text : frame.colors().dim;
        canvas.label({slice.x + (slice.w - number) / 2, slice.y + slice.h + frame.px(6), number,
                      frame.line()},
                     std::to_string(h + 1), ink);
    }
}

// A head is chosen by a click on its columns.
void choose_by_column(Frame& frame, const ui::HeatmapHit& hit, Index first) {
    if (!hit.hovered) return;
    const Index channel = (hit.col - first) % frame.trace.shape.channels();
    const auto head = static_cast<int>(channel / frame.trace.shape.head_dim);
    frame.memory.next_hovered.token = hit.row;
    frame.ui.tooltip("head " + std::to_string(head + 1) + " of " +
                     std::to_string(frame.trace.shape.heads));
    if (hit.clicked) frame.say("head", std::to_string(head + 1));
}

}  // namespace

void stage_heads(Frame& frame, const ui::Rect& rect) {
    const AttentionShape& shape = frame.trace.shape;
    const float edge = frame.line() + frame.px(6);
    ui::Rect rest = rect;
    rest.cut_top(edge);
    rest.cut_left(edge);
    rest.cut_bottom(frame.line() + frame.px(6));
    // Above: all columns. Below: the shown head's, cut out under the place they come from.
    const float c = static_cast<float>(shape.channels());
    ui::Rect whole = rest.cut_top((rest.h - edge * 2) * 0.44F);
    whole = whole.inset(std::max(0.0F, (whole.w - std::max(frame.px(420), whole.h * 3.4F)) / 2), 0);
    whole = {std::round(whole.x), std::round(whole.y), std::round(whole.w), std::round(whole.h)};
    Matrix2D all{.tensor = Tensor::qkv, .name = "stage.left"};
    all.row = frame.focus.token;
    const auto hit = draw_matrix(frame, whole, all);
    choose_by_column(frame, hit, 0);
    for (Index part = 0; part < 3; ++part)
        frame_heads(frame, whole, part * shape.channels(), 3 * shape.channels());

    rest.cut_top(edge * 2);
    const std::array<Tensor, 3> parts{Tensor::query, Tensor::key, Tensor::value};
    const std::array<const char*, 3> names{"stage.result", "stage.key", "stage.value"};
    const float share = whole.w / 3;
    const float aspect = std::clamp(
        static_cast<float>(shape.head_dim) / static_cast<float>(shape.queries), 0.45F, 1.2F);
    const float h = rest.h, w = std::round(std::min(share - edge, h * aspect));
    const float t = motion(frame);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        // Slides from the slice's place down to its own.
        const float from = whole.x + (static_cast<float>(i) * c +
                                      static_cast<float>(frame.head * shape.head_dim)) /
                                         (3 * c) * whole.w;
        const float to = whole.x + share * (static_cast<float>(i) + 0.5F) - w / 2;
        const ui::Rect place{std::round(from + (to - from) * t),
                             std::round(whole.y + (rest.y - whole.y) * t), w, std::round(h)};
        Matrix2D m{.tensor = parts[i], .head = frame.head, .name = names[i]};
        m.row = frame.focus.token;
        m.col =
            i == 0 || info(parts[i]).cols == Axis::head_channel ? frame.focus.col : std::nullopt;
        m.label_top = m.label_left = t >= 1;
        m.label_left = m.label_left && i == 0;
        m.frame = frame.colors().head(frame.head);
        m.bar_below = t >= 1;
        const auto part_hit = draw_matrix(frame, place, m);
        if (i == 0)
            focus_result(frame, part_hit);
        else
            focus_token(frame, part_hit, parts[i]);
    }
}

void stage_concat(Frame& frame, const ui::Rect& rect) {
    const AttentionShape& shape = frame.trace.shape;
    const float edge = frame.line() + frame.px(6);
    ui::Rect rest = rect;
    rest.cut_top(edge);
    rest.cut_left(edge);
    rest.cut_bottom(frame.line() + frame.px(6));
    const float t = motion(frame);
    const auto heads = static_cast<float>(shape.heads);
    const ui::Rect upper = rest.cut_top((rest.h - edge * 2) * 0.46F);
    rest.cut_top(edge * 2);
    // The heads apart above, together below.
    const float gap = std::min(frame.px(20), upper.w * 0.25F / heads);
    const float width = std::min(upper.w, std::max(frame.px(420), upper.h * 2.4F));
    const float each = (width - gap * (heads - 1)) / heads;
    const float left = rest.x + (rest.w - width) / 2;
    const ui::Rect together{std::round(left), std::round(rest.y), std::round(width),
                            std::round(rest.h)};
    for (int h = 0; h < static_cast<int>(shape.heads); ++h) {
        const ui::Rect place{std::round(left + static_cast<float>(h) * (each + gap)),
                             std::round(upper.y), std::round(each), std::round(upper.h)};
        Matrix2D m{.tensor = Tensor::head_output,
                   .head = h,
                   .name = "stage.head." + std::to_string(h + 1)};
        m.row = frame.focus.token;
        m.label_top = place.w > frame.px(30);
        m.label_left = h == 0;
        m.frame = frame.colors().head(h);
        m.outline_cell = false;
        if (frame.focus.col && *frame.focus.col / shape.head_dim == h)
            m.col = *frame.focus.col % static_cast<int>(shape.head_dim);
        const auto hit = draw_matrix(frame, place, m);
        if (!hit.hovered) continue;
        frame.memory.next_hovered.token = hit.row;
        frame.memory.next_hovered.col = h * static_cast<int>(shape.head_dim) + hit.col;
        if (hit.clicked)
            frame.say("cell", std::to_string(hit.row),
                      std::to_string(h * shape.head_dim + hit.col));
    }
    // Column by column instead of row by row: the heads arrive one after another.
    const float arrived = std::max(1.0F, together.w * t);
    ui::Canvas canvas(frame.ui);
    const float around = edge + frame.px(4);
    const auto clip = canvas.clip({together.x - around, together.y - around,
                                   around + (t >= 1 ? together.w + frame.px(200) : arrived),
                                   around + together.h + frame.px(8)});
    draw_linked(frame, together, linked_matrix(frame, Tensor::concat, "stage.result"));
    const int queries = static_cast<int>(shape.queries),
              channels = static_cast<int>(shape.channels());
    const bool everything =
        frame.ui.window("stage.result", queries, channels).cols >= static_cast<float>(channels);
    if (everything) frame_heads(frame, together, 0, shape.channels());
}

}  // namespace headlight::screens
