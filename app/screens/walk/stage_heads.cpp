#include <algorithm>
#include <cmath>

#include "walk/stages.h"

namespace headlight::screens {

namespace {

// Eases from 0 to 1, for sliding animations.
float eased(double phase) {
    const auto t = static_cast<float>(std::clamp(phase, 0.0, 1.0));
    return t * t * (3 - 2 * t);
}

float motion(const Frame& frame) { return eased(frame.phase()); }

// Frames over the columns of each head in a matrix, strongest for the current head.
void frame_heads(Frame& frame, const ui::Rect& rect, Index first, Index width, Index total_cols) {
    if (rect.empty()) return;
    ui::Canvas canvas(frame.ui);
    const AttentionShape& shape = frame.trace.shape;
    const float per_col = rect.w / static_cast<float>(total_cols);
    // Numbers, if there are more heads than hues; otherwise only the current head's.
    const bool numbered = shape.heads > ui::kHeadHues;
    const ui::TextStyle style{.size = ui::Size::small, .align = ui::Align::center};
    const float number = canvas.measure(std::to_string(shape.heads), style) + frame.px(4);
    const auto every = static_cast<int>(
        std::ceil(number / std::max(1.0F, static_cast<float>(shape.head_dim) * per_col)));
    for (int h = 0; h < static_cast<int>(shape.heads); ++h) {
        const float x = rect.x + static_cast<float>(first + h * width) * per_col;
        const ui::Rect slice{x, rect.y, static_cast<float>(width) * per_col, rect.h};
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

// The columns of queries, keys and values in their source, and the width of a head in each.
struct CutPart {
    Tensor tensor;
    const char* name;
    Tensor from;  // one matrix for all; in cross-attention one for Q, one for K and V
    Index first, width;
};
std::array<CutPart, 3> cut_parts(const Frame& frame) {
    const AttentionShape& shape = frame.trace.shape;
    const Node& node = frame.node();
    const Index c = node.get<CutParameters>().all_alike ? 0 : shape.channels();
    const Tensor queries = node.operands.front(), others = node.operands.back();
    const Index keys = queries == others ? c : 0;
    return {{{node.results[0], "stage.result", queries, 0, shape.head_dim},
             {node.results[1], "stage.key", others, keys, shape.head_dim},
             {node.results[2], "stage.value", others, keys + c, shape.value_width()}}};
}

// A click on its columns selects a head.
void choose_by_column(Frame& frame, Tensor from, const ui::HeatmapHit& hit) {
    if (!hit.hovered) return;
    int head = 0;
    for (const CutPart& part : cut_parts(frame))
        if (part.from == from && hit.col >= part.first)
            head = static_cast<int>((hit.col - part.first) / part.width);
    if (token_of_row(frame.trace, from, hit.row) >= 0)
        hover_token(frame, side_of(frame.trace, from), hit.row);
    frame.ui.tooltip("head " + std::to_string(head + 1) + " of " +
                     std::to_string(frame.trace.shape.heads));
    if (hit.clicked) frame.say("head", std::to_string(head + 1));
}

// In lecture view the step's output gets most of its input's space.
float part_above(const Frame& frame) { return frame.state.look.lecture ? 0.18F : 0.45F; }

// A single row is drawn low, above and below.
ui::Rect low_rows(const Frame& frame, const ui::Rect& rest, float between) {
    const float low = frame.px(44) * frame.ui.text_scale();
    const float above = low / part_above(frame);
    return rest.inset(0, std::max(0.0F, (rest.h - above - between * 2) / 2));
}

ui::Rect whole_pixels(const ui::Rect& r) {
    return {std::round(r.x), std::round(r.y), std::round(r.w), std::round(r.h)};
}

// What is sliced, with its heads marked: one matrix, or two side by side, each with the width of
// its parts. Returns their rectangles.
std::array<ui::Rect, 2> draw_uncut(Frame& frame, const ui::Rect& place) {
    const Tensor queries = frame.node().operands.front(), others = frame.node().operands.back();
    std::array<ui::Rect, 2> places{place, place};
    if (queries != others) {
        const float gap = frame.line() + frame.px(16);
        const float each = (place.w - gap) / 3;
        places = {ui::Rect{place.x, place.y, each, place.h},
                  ui::Rect{place.x + each + gap, place.y, place.w - each - gap, place.h}};
    }
    for (std::size_t i = 0; i < (queries == others ? 1 : 2); ++i) {
        const Tensor from = i == 0 ? queries : others;
        if (frame.trace.rows(from) == 1)
            places[i].h = std::min(places[i].h, frame.px(44) * frame.ui.text_scale());
        places[i] = whole_pixels(places[i]);
        Matrix2D all{.tensor = from, .name = i == 0 ? "stage.left" : "stage.right"};
        all.row = focus_row(frame, from);
        choose_by_column(frame, from, draw_matrix(frame, places[i], all));
        for (const CutPart& part : cut_parts(frame))
            if (part.from == from)
                frame_heads(frame, places[i], part.first, part.width, frame.trace.cols(from));
    }
    return places;
}

}  // namespace

void stage_heads(Frame& frame, const ui::Rect& rect) {
    const AttentionShape& shape = frame.trace.shape;
    const float edge = frame.line() + frame.px(6);
    ui::Layout rest(frame.ui, rect);
    rest.top(edge);
    rest.left(edge);
    rest.last_row(6);
    // Above: all columns. Below: the current head's slice, under its place.
    ui::Rect whole = rest.top((rest.h - edge * 2) * part_above(frame));
    const float wanted =
        frame.state.look.lecture ? whole.w : std::max(frame.px(420), whole.h * 3.4F);
    whole = whole_pixels(whole.inset(std::max(0.0F, (whole.w - wanted) / 2), 0));
    const std::array<CutPart, 3> parts = cut_parts(frame);
    const std::array<ui::Rect, 2> uncut = draw_uncut(frame, whole);

    rest.top(edge * 2);
    const float share = whole.w / 3;
    const float aspect =
        aspect_of(std::max(shape.queries, shape.keys), shape.head_dim, 0.45F, 1.2F);
    const float h = rest.h, most = share - edge,
                w = std::round(wide_for_numbers(frame, std::max(shape.queries, shape.keys),
                                                shape.head_dim, {std::min(most, h * aspect), h},
                                                most));
    const float t = motion(frame);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        // Slides from the place of the slice down to its own.
        const ui::Rect& above = uncut[i == 0 ? 0 : 1];
        const float start =
            above.x + static_cast<float>(parts[i].first + frame.head * parts[i].width) /
                          static_cast<float>(frame.trace.cols(parts[i].from)) * above.w;
        const float to = whole.x + share * (static_cast<float>(i) + 0.5F) - w / 2;
        const bool low = frame.trace.rows(parts[i].tensor) == 1;
        const float high = low ? std::min(h, frame.px(44) * frame.ui.text_scale()) : h;
        const ui::Rect place{std::round(start + (to - start) * t),
                             std::round(whole.y + (rest.y - whole.y) * t), w, std::round(high)};
        Matrix2D m{.tensor = parts[i].tensor, .head = frame.head, .name = parts[i].name};
        m.row = focus_row(frame, parts[i].tensor);
        m.col = i == 0 || info(parts[i].tensor).cols == Axis::head_channel ? frame.focus.col
                                                                           : std::nullopt;
        m.label_top = m.label_left = t >= 1;
        m.label_left = m.label_left && (i == 0 || (i == 1 && is_cross(frame.trace)));
        m.frame = frame.colors().head(frame.head);
        m.bar_below = t >= 1;
        const auto part_hit = draw_matrix(frame, place, m);
        if (i == 0)
            focus_result(frame, part_hit);
        else
            focus_token(frame, part_hit, parts[i].tensor);
    }
}

void stage_concat(Frame& frame, const ui::Rect& rect) {
    const AttentionShape& shape = frame.trace.shape;
    const Tensor apart = frame.node().operands[0], joined = frame.node().result();
    const float edge = frame.line() + frame.px(6);
    ui::Layout rest(frame.ui, rect);
    rest.top(edge);
    rest.left(edge);
    rest.last_row(6);
    if (frame.trace.rows(joined) == 1) rest = low_rows(frame, rest, edge);
    const float t = motion(frame);
    const auto heads = static_cast<float>(shape.heads);
    const ui::Rect upper = rest.top((rest.h - edge * 2) * part_above(frame));
    rest.top(edge * 2);
    // The heads separately above, concatenated below.
    const float gap = std::min(frame.px(20), upper.w * 0.25F / heads);
    const float wanted =
        frame.state.look.lecture ? upper.w : std::max(frame.px(420), upper.h * 2.4F);
    const float width = std::min(upper.w, wanted);
    const float each = (width - gap * (heads - 1)) / heads;
    const float left = rest.x + (rest.w - width) / 2;
    const ui::Rect together{std::round(left), std::round(rest.y), std::round(width),
                            std::round(rest.h)};
    for (int h = 0; h < static_cast<int>(shape.heads); ++h) {
        const ui::Rect place{std::round(left + static_cast<float>(h) * (each + gap)),
                             std::round(upper.y), std::round(each), std::round(upper.h)};
        Matrix2D m{.tensor = apart, .head = h, .name = "stage.head." + std::to_string(h + 1)};
        m.row = focus_row(frame, apart);
        m.label_top = place.w > frame.px(30);
        m.label_left = h == 0;
        m.frame = frame.colors().head(h);
        m.outline_cell = false;
        if (frame.focus.col && *frame.focus.col / shape.value_width() == h)
            m.col = *frame.focus.col % static_cast<int>(shape.value_width());
        const auto hit = draw_matrix(frame, place, m);
        if (!hit.hovered) continue;
        if (info(apart).rows == Axis::token) frame.memory.next_hovered.token = hit.row;
        frame.memory.next_hovered.col = h * static_cast<int>(shape.value_width()) + hit.col;
        if (hit.clicked)
            frame.say("cell", std::to_string(hit.row),
                      std::to_string(h * shape.value_width() + hit.col));
    }
    // Column by column instead of row by row: the heads arrive one after another.
    const float arrived = std::max(1.0F, together.w * t);
    const float around = edge + frame.px(4);
    const auto clip =
        ui::Canvas(frame.ui).clip({together.x - around, together.y - around,
                                   around + (t >= 1 ? together.w + frame.px(200) : arrived),
                                   around + together.h + frame.px(8)});
    draw_linked(frame, together, linked_matrix(frame, joined, "stage.result"));
    const int queries = static_cast<int>(frame.trace.rows(joined)),
              channels = static_cast<int>(shape.values());
    const bool everything =
        frame.ui.window("stage.result", queries, channels).cols >= static_cast<float>(channels);
    if (everything) frame_heads(frame, together, 0, shape.value_width(), shape.values());
}

}  // namespace headlight::screens
