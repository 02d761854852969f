#include <algorithm>
#include <cmath>

#include "views/stages.h"

// Rows put together, and rows taken out: learned tokens before the patches, and the row that speaks
// for the image after the last layer.
namespace headlight::views {

namespace {

ui::Rect whole(const ui::Rect& r) {
    return {std::round(r.x), std::round(r.y), std::round(r.w), std::round(r.h)};
}

ui::TextStyle small(const Scene& scene) {
    return {.size = ui::Size::small, .color = scene.colors().dim};
}

// Rows [first, first + count) of a matrix on the screen, at least so high that they are seen; empty
// where the window does not show them.
ui::Rect rows_on_screen(Scene& scene, const std::string& name, Index first, Index count) {
    const auto placed = scene.ui.names().find(name);
    if (placed == scene.ui.names().end()) return {};
    const auto& [where, window] = placed->second;
    const float per_row = where.h / window.rows;
    const float top = std::max(0.0F, (static_cast<float>(first) - window.row) * per_row);
    const float bottom =
        std::min(where.h, (static_cast<float>(first + count) - window.row) * per_row);
    if (bottom <= 0 || top >= where.h) return {};
    return {where.x, where.y + top, where.w, std::max(bottom - top, scene.px(3))};
}

// A bar on the left edge of some rows, in the colour of what they are.
void mark_rows(Scene& scene, const ui::Rect& rows, ImU32 color) {
    if (rows.h <= 0) return;
    ui::Canvas(scene.ui).fill({rows.x - scene.px(7), rows.y, scene.px(4), rows.h}, color);
}

// Names of the learned tokens beside their rows, one line each where they fit, else the first and
// the last; how wide they are.
float name_rows(Scene& scene, const ui::Rect& beside, const TokenLayout& layout) {
    ui::Canvas canvas(scene.ui);
    ui::TextStyle style = small(scene);
    style.color = scene.colors().hue(ui::Hue::weight);
    const Index count = layout.prefix();
    float each = beside.h / static_cast<float>(count), widest = 0;
    std::vector<std::string> names;
    for (Index t = 0; t < count; ++t) names.push_back(token_name(layout, t));
    if (each < scene.line() * 0.9F) {
        names = {names.front(), "…", names.back()};
        each = std::max(beside.h / 3, scene.line() * 0.8F);
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
void thread(Scene& scene, ImVec2 from, ImVec2 to, ImU32 color) {
    ui::Canvas(scene.ui).line(from, to, ui::with_alpha(color, 0.55F), scene.px(1.25F));
}

}  // namespace

void stage_stack(Scene& scene, const ui::Rect& rect) {
    const Node& step = scene.node();
    const Tensor learned = step.operands[0], patches = step.operands[1];
    const Index rows = scene.trace.rows(step.result()), t = scene.trace.rows(learned);
    const float edge = scene.line() + scene.px(4), between = scene.px(150) * scene.ui.text_scale();
    ui::Rect rest = rect;
    rest.cut_top(edge);
    rest.cut_left(edge);
    rest.cut_bottom(edge);
    const float aspect = std::clamp(
        static_cast<float>(scene.trace.cols(step.result())) / static_cast<float>(rows), 0.4F, 0.9F);
    const float w = std::max(0.0F, std::min((rest.w - between) / 2, rest.h * aspect));
    const float x = rest.x + (rest.w - 2 * w - between) / 2;
    // The learned tokens higher than their share, so that they can be read.
    const float high = std::min(scene.line() * static_cast<float>(t), rest.h * 0.3F);
    const ui::Rect above = whole({x, rest.y, w, high});
    const ui::Rect below = whole({x, above.y + high + 1.6F * edge, w, rest.h - high - 1.6F * edge});
    const ui::Rect result = whole({x + w + between, rest.y, w, rest.h});

    Matrix2D top{.tensor = learned, .name = "stage.left"};
    const gl::CellWindow& window = shared_window(scene);
    top.window = {0, window.col, static_cast<float>(t), window.cols};
    top.row = focus_row(scene, learned);
    top.col = scene.focus.col;
    top.label_left = false;
    focus_token(scene, draw_matrix(scene, above, top), learned);
    Matrix2D under{.tensor = patches, .name = "stage.right"};
    under.window = {0, window.col, static_cast<float>(rows - t), window.cols};
    under.row = focus_row(scene, patches);
    under.col = scene.focus.col;
    under.bar_below = true;
    focus_token(scene, draw_matrix(scene, below, under), patches);
    Matrix2D m = linked_matrix(scene, step.result(), "stage.result");
    m.label_left = false;
    m.bar_below = true;
    m.revealed = static_cast<float>(scene.phase());
    draw_linked(scene, result, m);

    const ImU32 ink = scene.colors().hue(ui::Hue::weight), plain = scene.colors().dim;
    const ui::Rect taken = rows_on_screen(scene, "stage.result", 0, t);
    mark_rows(scene, taken, ink);
    const ui::Rect beside{above.x + w + scene.px(10), above.y, between - scene.px(30), above.h};
    const float names = name_rows(scene, beside, scene.trace.layout);
    if (taken.h <= 0) return;
    const float end = result.x - scene.px(9);
    thread(scene, {beside.x + names + scene.px(6), above.center().y}, {end, taken.center().y}, ink);
    const ImVec2 turn{beside.x + names + scene.px(6), below.y};  // not across the names
    thread(scene, {below.x + w, below.y}, turn, plain);
    thread(scene, turn, {end, taken.y + taken.h}, plain);
    thread(scene, {below.x + w, below.y + below.h}, {end, result.y + result.h}, plain);
}

namespace {

// What is taken out of the tokens: rows, and in which words.
struct Taken {
    Index first = 0, count = 1;
    std::string words;
};

std::vector<Taken> taken_by(const Trace& trace) {
    // Of the model: a token transformer's own tokens are laid out otherwise.
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
        case Pooling::none:
            break;
    }
    return {first};
}

void draw_pooled(Scene& scene, const ui::Rect& place, const std::vector<Taken>& parts) {
    const Tensor result = scene.node().result();
    Matrix2D m{.tensor = result, .name = "stage.result"};
    gl::CellWindow& window = shared_window(scene);
    m.window = window;
    m.col = scene.focus.col;
    m.label_left = false;
    m.revealed = static_cast<float>(scene.phase());
    focus_result(scene, draw_matrix(scene, place, m));
    ui::zoom_and_pan(scene.ui, place, window, 1, static_cast<int>(scene.trace.cols(result)));
    if (parts.size() == 1) return;
    const float each = place.w / static_cast<float>(parts.size());
    ui::TextStyle style = small(scene);
    style.align = ui::Align::center;
    for (std::size_t i = 0; i < parts.size(); ++i)
        ui::Canvas(scene.ui).label({place.x + each * static_cast<float>(i),
                                    place.y + place.h + scene.px(3), each, scene.line()},
                                   parts[i].words, style);
}

}  // namespace

void stage_pool(Scene& scene, const ui::Rect& rect) {
    const Node& step = scene.node();
    const Tensor tokens = step.operands[0];
    const Index rows = scene.trace.rows(tokens), cols = scene.trace.cols(tokens);
    const float edge = scene.line() + scene.px(4), low = scene.px(40) * scene.ui.text_scale();
    ui::Rect rest = rect;
    rest.cut_top(edge);
    rest.cut_bottom(edge);
    ui::Rect lower = rest.cut_bottom(low + edge * 1.6F);
    lower.cut_top(edge * 1.6F);
    rest.cut_left(edge);
    const float side = scene.px(150) * scene.ui.text_scale();
    const float w =
        std::max(0.0F, std::min(rest.w - 2 * side, std::max(rest.h * 1.1F, rest.w * 0.5F)));
    const ui::Rect upper = whole({rest.x + (rest.w - w) / 2, rest.y, w, rest.h});
    Matrix2D m{.tensor = tokens, .name = "stage.left"};
    // Two rows side by side make the result twice as wide; then its columns are not these.
    const auto parts = taken_by(scene.trace);
    const gl::CellWindow& window = shared_window(scene);
    const bool same = parts.size() == 1;
    m.window = {0, same ? window.col : 0, static_cast<float>(rows),
                same ? window.cols : static_cast<float>(cols)};
    if (scene.focus.col) m.col = *scene.focus.col % static_cast<int>(cols);
    const bool one_row = same && parts[0].count == 1;
    m.row = one_row ? static_cast<int>(parts[0].first) : focus_row(scene, tokens);
    const auto hit = draw_matrix(scene, upper, m);
    focus_token(scene, hit, tokens);
    if (hit.hovered) scene.memory.next_hovered.col = hit.col;

    const ImU32 ink = scene.colors().accent;
    const ui::TextStyle style = small(scene);
    float next = 0;  // no word over another
    for (const Taken& part : parts) {
        const ui::Rect taken = rows_on_screen(scene, "stage.left", part.first, part.count);
        if (taken.h <= 0) continue;
        mark_rows(scene, {taken.x + taken.w + scene.px(11), taken.y, 0, taken.h}, ink);
        const float y = std::max(next, taken.center().y - scene.line() / 2);
        ui::Canvas(scene.ui).label({taken.x + taken.w + scene.px(16), y, side, scene.line()},
                                   part.words, style);
        next = y + scene.line();
    }
    draw_pooled(scene, whole({upper.x, lower.y, w, low}), parts);
}

}  // namespace headlight::views
