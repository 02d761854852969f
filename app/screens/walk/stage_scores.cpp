#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "frame/studies.h"
#include "frame/tensor_text.h"
#include "state/score_study.h"
#include "ui/color_bar.h"
#include "ui/equation.h"
#include "walk/stages.h"

// All score functions on the same queries and keys, a small matrix each.
namespace headlight::screens {

namespace {

// The answer for the current trace; null while it is being computed.
std::shared_ptr<const ScoreFinder::Said> said_of(Frame& frame) {
    const ScoreQuestion question{frame.shared(frame.trace), frame.recipe};
    const auto said = studies_of(frame).ask(kScores, question);
    return said && said->question == question ? said : nullptr;
}

// The formula for S_ij, with q = q_i and k = k_j.
std::string_view formula_of(Score score) {
    switch (score) {
        case Score::scaled_dot:
            return "scale · {query:q} · {key:k}";
        case Score::dot:
            return "{query:q} · {key:k}";
        case Score::cosine:
            return "{query:q} · {key:k} / (‖{query:q}‖ ‖{key:k}‖)";
        case Score::general:
            return "{query:q}^{T} W {key:k}";
        case Score::additive:
            return "v^{T} tanh(W [{query:q} ; {key:k}])";
        case Score::location:
            return "W_{j} · {query:q}";
    }
    return "";
}

// "scaled dot", where "scaled dot product" does not fit.
std::string brief_name(const ScoreInfo& score) {
    constexpr std::string_view product = " product";
    std::string name(score.label);
    if (name.ends_with(product)) name.resize(name.size() - product.size());
    return name;
}

void formula(Frame& frame, const ui::Rect& rect, Score score) {
    ui::equation(frame.ui, rect, ui::parse_equation(formula_of(score)), ui::Size::body,
                 ui::Align::left, symbol_colors(frame));
}

ui::HeatmapHit draw_map(Frame& frame, const ui::Rect& rect, const StudiedScore& score,
                        const std::string& name) {
    const AttentionShape& shape = frame.trace.shape;
    const SharedResult& scores = score.map.scores;
    const Statistics& range = score.heads[static_cast<std::size_t>(frame.head)];
    Shown what;
    what.set_cells(scores->view().block(frame.head * shape.queries, 0, shape.queries, shape.keys),
                   scores->version());
    ui::HeatmapSpec spec;
    spec.name = name;
    spec.cells = what.cells;
    spec.scale = signed_scale(frame, range.min, range.max);
    spec.window = {0, 0, static_cast<float>(shape.queries), static_cast<float>(shape.keys)};
    spec.row = frame.focus.token;
    spec.col = frame.focus.key_token;
    spec.numbers = false;
    return ui::heatmap(frame.ui, rect, spec);
}

void say_cell(Frame& frame, const StudiedScore& score, const ui::HeatmapHit& hit) {
    const MatrixView all = score.map.scores->view();
    const float value = all(frame.head * frame.trace.shape.queries + hit.row, hit.col);
    frame.ui.tooltip("Query " + std::to_string(hit.row) + ", key " + std::to_string(hit.col) +
                     ": " + ui::number(value, 4) + "\nClick to choose this score.");
    frame.memory.next_hovered.token = hit.row;
    frame.memory.next_hovered.key_token = frame.memory.next_hovered.col = hit.col;
}

// Keys per query: the aspect ratio of a map.
float aspect_of_scores(const Frame& frame) {
    return static_cast<float>(frame.trace.shape.keys) /
           static_cast<float>(frame.trace.shape.queries);
}

// Its name and formula, taken off the rectangle at the top or, if that is low and the map is not,
// at the right.
void score_words(Frame& frame, ui::Layout& rect, const ScoreInfo& about, bool chosen) {
    const float line = frame.line(ui::Size::body);
    ui::TextStyle style{.face = ui::Face::bold,
                        .color = chosen ? frame.colors().accent : frame.colors().text};
    ui::Canvas canvas(frame.ui);
    if (rect.w < rect.h * 1.25F || aspect_of_scores(frame) > 2) {
        const std::string whole(about.label), brief = brief_name(about);
        style = style_that_fits(canvas, whole, style, rect.w);
        label_that_fits(canvas, rect.top(line), {whole, brief}, style);
        formula(frame, rect.top(line + frame.px(4), 4), about.id);
        return;
    }
    ui::Layout beside = rect.right(rect.w * 0.46F);
    beside.skip_left(10);
    beside.paragraph(about.label, style, 4);
    formula(frame, beside.top(line + frame.px(4)), about.id);
}

void score_card(Frame& frame, ui::Layout rect, const StudiedScore& score) {
    ui::Canvas canvas(frame.ui);
    const ScoreInfo& about = info(score.map.score);
    const std::string name(name_of(about.id));
    const bool chosen = frame.trace.config.score() == about.id;
    const float wide = rect.w;
    score_words(frame, rect, about, chosen);
    if (!score.map.scores) {
        const ui::Size size = frame.state.look.lecture ? ui::Size::small : ui::Size::body;
        canvas.wrapped(rect, score.map.why_not, {.size = size, .color = frame.colors().dim});
        return;
    }
    const ui::Rect bar = rect.last_row(2);
    const float aspect = aspect_of_scores(frame);
    // Cells are square, except that few queries with many keys would be lower than a line of text.
    const float least = frame.px(28);
    const float w = std::min(rect.w, std::max(rect.h * aspect, least)),
                h = std::min(rect.h, std::max(w / aspect, least));
    const ui::Rect place{std::round(rect.x), std::round(rect.y), std::round(w), std::round(h)};
    if (place.w < 8 || place.h < 8) return;
    const ui::HeatmapHit hit = draw_map(frame, place, score, "scores." + name);
    const Statistics& range = score.heads[static_cast<std::size_t>(frame.head)];
    ui::color_line(
        frame.ui,
        {place.x, place.y + place.h + frame.px(2),
         std::max(place.w, std::min(wide, frame.px(170) * frame.ui.text_scale())), bar.h},
        signed_scale(frame, range.min, range.max));
    frame.ui.report("scores." + name, ui::number(range.deviation, 4));
    if (chosen) canvas.outline(place.inset(-3), frame.colors().accent, frame.px(2));
    if (!hit.hovered) return;
    say_cell(frame, score, hit);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.clicked) frame.set("score", name);
}

}  // namespace

void stage_six_scores(Frame& frame, const ui::Rect& rect) {
    const auto said = said_of(frame);
    if (!said || !said->error.empty()) {
        const std::string words = said ? said->error : "Computing the scores…";
        ui::Canvas(frame.ui).label(rect, words,
                                   {.color = frame.colors().dim, .align = ui::Align::center});
        return;
    }
    const int count = static_cast<int>(said->answer.size());
    const int cols = rect.w > rect.h * 1.1F ? 3 : 2, rows = (count + cols - 1) / cols;
    const float gap = frame.px(24),
                w = (rect.w - gap * static_cast<float>(cols - 1)) / static_cast<float>(cols),
                h = (rect.h - gap * static_cast<float>(rows - 1) / 2) / static_cast<float>(rows);
    for (int i = 0; i < count; ++i)
        score_card(frame,
                   {frame.ui,
                    {rect.x + static_cast<float>(i % cols) * (w + gap),
                     rect.y + static_cast<float>(i / cols) * (h + gap / 2), w, h}},
                   said->answer[static_cast<std::size_t>(i)]);
}

}  // namespace headlight::screens
