#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "trace/token_rows.h"
#include "ui/equation.h"
#include "walk/stages.h"

// Rotary positions: queries and keys before and after rotation, and one token's channel pairs as
// clock hands.
namespace headlight::screens {

namespace {

constexpr int kClocksOfAxis = 4;  // pairs shown for rows, and as many for columns

struct Turned {
    Tensor before, after;
    const char *left, *right;  // names of the widgets
};

// A matrix, an arrow, and the rotated matrix.
void draw_turned(Frame& frame, const ui::Rect& rect, const Turned& turned) {
    const Index rows = frame.trace.rows(turned.after), cols = frame.trace.cols(turned.after);
    const float edge = frame.line() + frame.px(4), middle = frame.px(48) * frame.ui.text_scale();
    ui::Layout rest(frame.ui, rect);
    rest.top(edge);
    rest.bottom(edge);
    rest.left(edge);
    rest.skip_right(8);
    const float aspect = aspect_of(rows, cols, 0.5F, 1.2F);
    const float w = std::max(0.0F, std::min((rest.w - middle) / 2, rest.h * widest(frame, aspect)));
    const float h = std::min(rest.h, w / 0.5F);
    const float x = rest.x + (rest.w - 2 * w - middle) / 2, y = rest.y + (rest.h - h) / 2;
    const ui::Rect left{std::round(x), std::round(y), std::round(w), std::round(h)};
    const ui::Rect right{std::round(x + w + middle), left.y, left.w, left.h};
    Matrix2D m = linked_matrix(frame, turned.before, turned.left);
    m.bar_below = true;
    draw_linked(frame, left, m);
    if (!left.empty())
        ui::Canvas(frame.ui).arrow_right({right.x - middle * 0.5F, left.center().y}, frame.px(24),
                                         frame.colors().dim);
    m = linked_matrix(frame, turned.after, turned.right);
    m.label_left = false;
    m.bar_below = true;
    m.revealed = static_cast<float>(frame.phase());
    draw_linked(frame, right, m);
}

// The focused token, or the patch in the middle.
int token_of(const Frame& frame) {
    const TokenLayout& layout = frame.trace.layout;
    return frame.focus.token.value_or(static_cast<int>(layout.prefix() + layout.patches / 2));
}

// Pairs of both axes, from the fastest to the slowest.
std::vector<Index> shown_pairs(const Rotary& rotary) {
    const auto bands = static_cast<Index>(rotary.periods.size());
    const Index many = std::min<Index>(kClocksOfAxis, bands);
    std::vector<Index> pairs;
    for (const Index first : {Index{0}, bands})
        for (Index i = 0; i < many; ++i)
            pairs.push_back(first + (many < 2 ? 0 : i * (bands - 1) / (many - 1)));
    return pairs;
}

ImVec2 tip(const MatrixView& x, int token, const Rotary& rotary, Index pair) {
    return {x(token, rotary.first(pair)), x(token, rotary.second(pair))};
}

float length(const ImVec2& v) { return std::hypot(v.x, v.y); }

// One channel pair of query and key, before (thin) and after; both rotate by the same angle.
void clock(Frame& frame, ui::Layout rect, int token, Index pair) {
    const Trace& trace = frame.trace;
    const auto& rotary = frame.node().get<Rotary>();
    const Index head = frame.head;
    struct Hand {
        Tensor before, after;
        ImU32 color;
    };
    const std::array hands{
        Hand{Tensor::query_unrotated, Tensor::query, frame.colors().hue(ui::Hue::query)},
        Hand{Tensor::key_unrotated, Tensor::key, frame.colors().hue(ui::Hue::key)}};
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle small = frame.mono_dim(ui::Align::center);
    const float sine = trace.view(Tensor::rotary_sine)(token, rotary.first(pair)),
                cosine = trace.view(Tensor::rotary_cosine)(token, rotary.first(pair));
    const double angle = std::atan2(sine, cosine) * 180 / std::numbers::pi;
    if (!frame.state.look.lecture)
        canvas.label(rect.last_row(), fmt::format("{},{}", rotary.first(pair), rotary.second(pair)),
                     small);
    ui::TextStyle strong = small;
    strong.color = frame.colors().text;
    canvas.label(rect.last_row(), fmt::format("{:.0f}°", angle), strong);
    frame.ui.report(fmt::format("rotate.angle.{}", pair), fmt::format("{:.3f}", angle));
    const float radius = std::min(rect.w, rect.h) / 2 - frame.px(3);
    if (radius < frame.px(8)) return;
    const ImVec2 middle = rect.center();
    canvas.circle(middle, radius, frame.colors().faint, frame.px(1));
    for (const Hand& hand : hands) {
        const ImVec2 before = tip(trace.view(hand.before, 0, head), token, rotary, pair),
                     after = tip(trace.view(hand.after, 0, head), token, rotary, pair);
        const float scale = radius / std::max(length(before), 1e-12F);
        const auto at = [&](const ImVec2& v) {
            return ImVec2{middle.x + v.x * scale, middle.y - v.y * scale};
        };
        canvas.line(middle, at(before), ui::with_alpha(hand.color, 0.5F), frame.px(1.2F));
        canvas.line(middle, at(after), hand.color, frame.px(3));
    }
}

void draw_clocks(Frame& frame, ui::Layout rect) {
    const auto& rotary = frame.node().get<Rotary>();
    const int token = token_of(frame);
    const bool is_patch = token >= frame.trace.layout.prefix();
    const std::string name = name_of_token(frame.trace, Side::query, token);
    ui::Canvas canvas(frame.ui);
    canvas.label(
        rect.row(),
        is_patch ? "Query and key of " + name +
                       ", pair by pair: before (thin) and after (thick). Half of the pairs rotate "
                       "with the row, half with the column."
                 : "The " + name + " belongs to no patch: its query and key do not change.",
        frame.small_dim(ui::Align::center));
    rect.skip_top(6);
    const std::vector<Index> pairs = shown_pairs(rotary);
    const auto bands = static_cast<Index>(rotary.periods.size());
    const float gap = frame.px(28);
    const float each = std::min((rect.w - gap) / static_cast<float>(pairs.size()), rect.h);
    float x = rect.center().x - (each * static_cast<float>(pairs.size()) + gap) / 2;
    const ui::Rect heads = rect.row();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const bool begins_columns = pairs[i] == bands && i > 0;
        if (begins_columns) x += gap;
        if (i == 0 || begins_columns)
            canvas.caption({x, heads.y, each * static_cast<float>(pairs.size()) / 2, heads.h},
                           i == 0 ? "BY ROW" : "BY COLUMN");
        clock(frame, {frame.ui, {x, rect.y, each, rect.h}}, token, pairs[i]);
        x += each;
    }
}

}  // namespace

void stage_rotate(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    // The matrices take precedence: no smaller in a lecture than otherwise, and if only one part
    // fits.
    const float wanted =
        frame.state.look.lecture ? rect.h * 0.25F : std::max(rect.h * 0.3F, frame.line() * 7);
    const float left = rect.h - frame.line() * 11;
    const ui::Layout clocks = rest.bottom(left < frame.line() * 5 ? 0 : std::min(wanted, left));
    rest.skip_bottom(10);
    draw_turned(frame, rest.left(rest.w / 2),
                {Tensor::query_unrotated, Tensor::query, "stage.left", "stage.result"});
    draw_turned(frame, rest, {Tensor::key_unrotated, Tensor::key, "stage.left.k", "stage.key"});
    if (!clocks.empty()) draw_clocks(frame, clocks);
}

}  // namespace headlight::screens
