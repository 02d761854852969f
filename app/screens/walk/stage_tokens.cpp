#include <algorithm>

#include "walk/stages.h"

// Concatenating and selecting rows: learned tokens before the patches, and the row that represents
// the image after the last layer.
namespace headlight::screens {

namespace {

// The screen rectangle of rows [first, first + count) of a matrix, with a visible minimum height;
// empty if they are out of view.
ui::Rect rows_on_screen(Frame& frame, const std::string& name, Index first, Index count) {
    const auto placed = frame.ui.names().find(name);
    if (placed == frame.ui.names().end()) return {};
    const auto& [where, window] = placed->second;
    const float per_row = where.h / window.rows;
    const float top = std::max(0.0F, (static_cast<float>(first) - window.row) * per_row);
    const float bottom =
        std::min(where.h, (static_cast<float>(first + count) - window.row) * per_row);
    if (bottom <= 0 || top >= where.h) return {};
    return {where.x, where.y + top, where.w, std::max(bottom - top, frame.px(3))};
}

// A bar in their color on the left edge of some rows.
void mark_rows(Frame& frame, const ui::Rect& rows, ImU32 color) {
    if (rows.h <= 0) return;
    ui::Canvas(frame.ui).fill({rows.x - frame.px(7), rows.y, frame.px(4), rows.h}, color);
}

// Names of the learned tokens beside their rows, one line each if they fit, otherwise the first and
// the last. Returns their width.
float name_rows(Frame& frame, const ui::Rect& beside, const TokenLayout& layout) {
    ui::Canvas canvas(frame.ui);
    ui::TextStyle style = frame.small_dim();
    style.color = frame.colors().hue(ui::Hue::weight);
    const Index count = layout.prefix();
    float each = beside.h / static_cast<float>(count), widest = 0;
    std::vector<std::string> names;
    for (Index t = 0; t < count; ++t) names.push_back(token_name(layout, t));
    if (each < frame.line() * 0.9F) {
        names = {names.front(), "…", names.back()};
        each = std::max(beside.h / 3, frame.line() * 0.8F);
    }
    ui::Rect row{beside.x, beside.y, beside.w, each};
    for (const std::string& name : names) {
        canvas.label(row, name, style);
        widest = std::max(widest, canvas.measure(name, style));
        row.y += each;
    }
    return std::min(widest, beside.w);
}

// From the edge of one block of rows to the same rows in the result.
void thread(Frame& frame, ImVec2 from, ImVec2 to, ImU32 color) {
    ui::Canvas(frame.ui).line(from, to, ui::with_alpha(color, 0.55F), frame.px(1.25F));
}

}  // namespace

void stage_stack(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    const Tensor learned = step.operands[0], patches = step.operands[1];
    const Index rows = frame.trace.rows(step.result()), t = frame.trace.rows(learned);
    const float edge = frame.line() + frame.px(4), between = frame.px(150) * frame.ui.text_scale();
    ui::Layout rest(frame.ui, rect);
    rest.top(edge);
    rest.left(edge);
    rest.bottom(edge);
    const float aspect = aspect_of(rows, frame.trace.cols(step.result()), 0.4F, 0.9F);
    const float w =
        std::max(0.0F, std::min((rest.w - between) / 2, rest.h * widest(frame, aspect)));
    const float x = rest.x + (rest.w - 2 * w - between) / 2;
    // The learned tokens are drawn higher than in proportion, to be legible.
    const float high = std::min(frame.line() * static_cast<float>(t), rest.h * 0.3F);
    const ui::Rect above = whole({x, rest.y, w, high});
    const ui::Rect below = whole({x, above.y + high + 1.6F * edge, w, rest.h - high - 1.6F * edge});
    const ui::Rect result = whole({x + w + between, rest.y, w, rest.h});

    Matrix2D top{.tensor = learned, .name = "stage.left"};
    const gl::CellWindow& window = shared_window(frame);
    top.window = {0, window.col, static_cast<float>(t), window.cols};
    top.row = focus_row(frame, learned);
    top.col = frame.focus.col;
    top.label_left = false;
    focus_token(frame, draw_matrix(frame, above, top), learned);
    Matrix2D under{.tensor = patches, .name = "stage.right"};
    under.window = {0, window.col, static_cast<float>(rows - t), window.cols};
    under.row = focus_row(frame, patches);
    under.col = frame.focus.col;
    under.bar_below = true;
    focus_token(frame, draw_matrix(frame, below, under), patches);
    Matrix2D m = linked_matrix(frame, step.result(), "stage.result");
    m.label_left = false;
    m.bar_below = true;
    m.revealed = static_cast<float>(frame.phase());
    draw_linked(frame, result, m);

    const ImU32 ink = frame.colors().hue(ui::Hue::weight), plain = frame.colors().dim;
    const ui::Rect taken = rows_on_screen(frame, "stage.result", 0, t);
    mark_rows(frame, taken, ink);
    const ui::Rect beside{above.x + w + frame.px(10), above.y, between - frame.px(30), above.h};
    const float names = name_rows(frame, beside, frame.trace.layout);
    if (taken.h <= 0) return;
    const float end = result.x - frame.px(9);
    thread(frame, {beside.x + names + frame.px(6), above.center().y}, {end, taken.center().y}, ink);
    const ImVec2 turn{beside.x + names + frame.px(6), below.y};  // around the names
    thread(frame, {below.x + w, below.y}, turn, plain);
    thread(frame, turn, {end, taken.y + taken.h}, plain);
    thread(frame, {below.x + w, below.y + below.h}, {end, result.y + result.h}, plain);
}

namespace {

// The rows selected from the tokens, and their description.
struct Taken {
    Index first = 0, count = 1;
    std::string words;
};

std::vector<Taken> taken_by(const Trace& trace) {
    // For the model: a token transformer's own tokens are laid out differently.
    const PrefixTokens& prefix = trace.model->prefix;
    const Index before = prefix.count(),
                patches =
                    trace.rows(trace.has(Tensor::norm) ? Tensor::norm : Tensor::encoded) - before;
    const Taken mean{before, patches, "mean of " + std::to_string(patches) + " patches"};
    const Taken first{0, 1, prefix.class_token ? "class token" : "first token"};
    switch (trace.model->pooling) {
        case Pooling::class_and_distillation:
            return {first, {1, 1, "distillation token"}};
        case Pooling::class_and_patches:
            return {first, mean};
        case Pooling::patches:
            return {mean};
        case Pooling::class_token:
        case Pooling::attention:
        case Pooling::none:
            break;
    }
    return {first};
}

void draw_pooled(Frame& frame, const ui::Rect& place, const std::vector<Taken>& parts) {
    const Tensor result = frame.node().result();
    Matrix2D m{.tensor = result, .name = "stage.result"};
    gl::CellWindow& window = shared_window(frame);
    m.window = window;
    m.col = frame.focus.col;
    m.label_left = false;
    m.revealed = static_cast<float>(frame.phase());
    focus_result(frame, draw_matrix(frame, place, m));
    ui::zoom_and_pan(frame.ui, place, window, 1, static_cast<int>(frame.trace.cols(result)));
    if (parts.size() == 1) return;
    const float each = place.w / static_cast<float>(parts.size());
    ui::TextStyle style = frame.small_dim();
    style.align = ui::Align::center;
    for (std::size_t i = 0; i < parts.size(); ++i)
        ui::Canvas(frame.ui).label({place.x + each * static_cast<float>(i),
                                    place.y + place.h + frame.px(3), each, frame.line()},
                                   parts[i].words, style);
}

}  // namespace

void stage_pool(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    const Tensor tokens = step.operands[0];
    const Index rows = frame.trace.rows(tokens), cols = frame.trace.cols(tokens);
    const float edge = frame.line() + frame.px(4), low = frame.px(40) * frame.ui.text_scale();
    ui::Layout rest(frame.ui, rect);
    rest.top(edge);
    rest.bottom(edge);
    ui::Layout lower = rest.bottom(low + edge * 1.6F);
    lower.top(edge * 1.6F);
    rest.left(edge);
    const float side = frame.px(150) * frame.ui.text_scale();
    const float w =
        std::max(0.0F, std::min(rest.w - 2 * side, std::max(rest.h * 1.1F, rest.w * 0.5F)));
    const ui::Rect upper = whole({rest.x + (rest.w - w) / 2, rest.y, w, rest.h});
    Matrix2D m{.tensor = tokens, .name = "stage.left"};
    // Two concatenated rows double the result's width; its columns then differ from the tokens'.
    const auto parts = taken_by(frame.trace);
    const gl::CellWindow& window = shared_window(frame);
    const bool same = parts.size() == 1;
    m.window = {0, same ? window.col : 0, static_cast<float>(rows),
                same ? window.cols : static_cast<float>(cols)};
    if (frame.focus.col) m.col = *frame.focus.col % static_cast<int>(cols);
    // The row that the focused value of the result comes from; a mean has no single one.
    const auto half = static_cast<std::size_t>(frame.focus.col.value_or(0) / cols);
    const Taken& from = parts[std::min(half, parts.size() - 1)];
    m.row =
        from.count == 1 ? std::optional(static_cast<int>(from.first)) : focus_row(frame, tokens);
    const auto hit = draw_matrix(frame, upper, m);
    focus_token(frame, hit, tokens);
    if (hit.hovered) {
        int first = 0;  // start of its row in the result
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (hit.row >= parts[i].first && hit.row < parts[i].first + parts[i].count)
                first = static_cast<int>(i) * static_cast<int>(cols);
        frame.memory.next_hovered.col = first + hit.col;
    }

    const ImU32 ink = frame.colors().accent;
    const ui::TextStyle style = frame.small_dim();
    float next = 0;  // avoids overlapping text
    for (const Taken& part : parts) {
        const ui::Rect taken = rows_on_screen(frame, "stage.left", part.first, part.count);
        if (taken.h <= 0) continue;
        mark_rows(frame, {taken.x + taken.w + frame.px(11), taken.y, 0, taken.h}, ink);
        const float y = std::max(next, taken.center().y - frame.line() / 2);
        ui::Canvas(frame.ui).label({taken.x + taken.w + frame.px(16), y, side, frame.line()},
                                   part.words, style);
        next = y + frame.line();
    }
    draw_pooled(frame, whole({upper.x, lower.y, w, low}), parts);
}

}  // namespace headlight::screens
