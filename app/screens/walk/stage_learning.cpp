#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "analysis/toy_attention.h"
#include "kernels/counted.h"
#include "program/values.h"
#include "ui/equation.h"
#include "ui/plot.h"
#include "walk/plane.h"
#include "walk/stages.h"

// Attention among points of the plane that learns: W_Q and W_K as maps of the plane, which can be
// dragged or trained by gradient steps.
namespace headlight::screens {

namespace {

constexpr int kStepsPerFrame = 1;

// The trained weights, cached until something that they depend on changes.
struct Toy {
    VectorSet set;
    ToyWeights start{};
    std::vector<int> targets;
    int steps = -1;
    Matrix points;
    ToyTraining training;
    ToyPass pass;
    SharedResult attention;

    bool trains = false;          // Train is on
    int plane = -1, column = -1;  // the handle being dragged
    float reach = 0;              // of the planes, which are fixed meanwhile
};

Matrix points_of(const VectorSet& set) {
    Matrix points(std::ssize(set.vectors), 2);
    for (Index i = 0; i < points.rows(); ++i)
        for (Index c = 0; c < 2; ++c)
            points(i, c) = set.vectors[static_cast<std::size_t>(i)].at[static_cast<std::size_t>(c)];
    return points;
}

Toy& toy_of(Frame& frame) {
    auto& toy = frame.memory.own<Toy>();
    const Look& look = frame.state.look;
    const VectorSet& set = *vectors_of(frame);
    const std::vector<int> targets = targets_of(look.toy_targets, std::ssize(set.vectors));
    if (toy.steps == look.toy_steps && toy.set == set && toy.start == look.toy_weights &&
        toy.targets == targets)
        return toy;
    toy.set = set;
    toy.start = look.toy_weights;
    toy.targets = targets;
    toy.steps = look.toy_steps;
    toy.points = points_of(set);
    toy.training = train_toy(toy.points, toy.start, targets, toy.steps);
    toy.pass = toy_pass(toy.points, toy.training.weights, targets);
    toy.attention = make_result(Matrix(toy.pass.attention));
    return toy;
}

void set_steps(Frame& frame, int steps) {
    frame.set("toy_steps", std::to_string(std::clamp(steps, 0, kMostToySteps)));
}

// One more training step per frame while Train is on.
void go_on(Frame& frame, Toy& toy) {
    if (!toy.trains) return;
    if (toy.steps >= kMostToySteps || toy.pass.loss < 0.01) {
        toy.trains = false;
        frame.memory.gesture_ended = true;
        return;
    }
    set_steps(frame, toy.steps + kStepsPerFrame);
    frame.ui.ask_for_frame();
}

// ---- a plane and its image under a matrix

struct MapOfPlane {
    ui::Rect rect;
    float per_unit = 1;
    const double* weights;  // row by row

    [[nodiscard]] ImVec2 at(double x, double y) const {
        const ImVec2 middle = rect.center();
        return {middle.x + static_cast<float>(x) * per_unit,
                middle.y - static_cast<float>(y) * per_unit};
    }
    // The image of a point under the matrix.
    [[nodiscard]] ImVec2 sent(double x, double y) const {
        return at(weights[0] * x + weights[1] * y, weights[2] * x + weights[3] * y);
    }
};

float reach_of(const Toy& toy) {
    float most = 0.5F;
    for (const Matrix* rows : {&toy.pass.queries, &toy.pass.keys})
        most = std::max(most, rows->cwiseAbs().maxCoeff());
    for (const double weight : toy.training.weights)
        most = std::max(most, static_cast<float>(std::abs(weight)));
    for (float decade = 0.1F;; decade *= 10)
        for (const float step : {1.0F, 1.5F, 2.0F, 3.0F, 5.0F, 7.5F})
            if (most * 1.12F <= step * decade) return step * decade;
}

// The images of the lines x = −2 … 2 and y = −2 … 2 under the matrix.
void draw_grid(Frame& frame, const MapOfPlane& map) {
    ui::Canvas canvas(frame.ui);
    constexpr int kLines = 2;
    for (int i = -kLines; i <= kLines; ++i) {
        const ImU32 ink = ui::with_alpha(frame.colors().faint, i == 0 ? 0.9F : 0.45F);
        canvas.line(map.sent(i, -kLines), map.sent(i, kLines), ink);
        canvas.line(map.sent(-kLines, i), map.sent(kLines, i), ink);
    }
}

void draw_rows(Frame& frame, const MapOfPlane& map, const Matrix& rows, const VectorSet& set) {
    ui::Canvas canvas(frame.ui);
    for (Index i = 0; i < rows.rows(); ++i) {
        const auto index = static_cast<std::size_t>(i);
        const bool lit = frame.focus.token == static_cast<int>(i);
        const ImU32 color = vector_color(frame, index);
        const ImVec2 tip = map.at(rows(i, 0), rows(i, 1));
        canvas.line(map.at(0, 0), tip, color, frame.px(lit ? 3.5F : 2.0F));
        canvas.circle(tip, frame.px(lit ? 5 : 3.5F), color);
        const ui::TextStyle style{.face = lit ? ui::Face::bold : ui::Face::words,
                                  .size = ui::Size::small,
                                  .color = color};
        const std::string name = vector_name(set, index);
        const float wide = canvas.measure(name, style) + 2;
        const float beside =
            tip.x < map.at(0, 0).x ? tip.x - wide - frame.px(7) : tip.x + frame.px(7);
        const float x = std::clamp(
            beside, map.rect.x + frame.px(3),
            std::max(map.rect.x + frame.px(3), map.rect.x + map.rect.w - wide - frame.px(3)));
        canvas.label({x, tip.y - frame.line() / 2, wide, frame.line()}, name, style);
    }
}

// The images of (1, 0) and (0, 1): the matrix's columns, which can be dragged.
ImVec2 column_tip(const MapOfPlane& map, int column) {
    return column == 0 ? map.sent(1, 0) : map.sent(0, 1);
}

void draw_handles(Frame& frame, const MapOfPlane& map, const std::string& name) {
    ui::Canvas canvas(frame.ui);
    for (const int column : {0, 1}) {
        const ImVec2 tip = column_tip(map, column);
        const float half = frame.px(6);
        const ui::Rect box{tip.x - half, tip.y - half, 2 * half, 2 * half};
        canvas.line(map.at(0, 0), tip, frame.colors().accent, frame.px(1.5F));
        canvas.fill(box, frame.colors().background, frame.px(2));
        canvas.outline(box, frame.colors().accent, frame.px(2), frame.px(2));
        frame.ui.name(fmt::format("{}.{}", name, column + 1), {box, {0, 0, 0, 0}});
    }
}

// Moves the column of the matrix to the pointer; the trained weights become the new start.
void drag_column(Frame& frame, const Toy& toy, const MapOfPlane& map) {
    const ImVec2 mouse = ImGui::GetIO().MousePos, middle = map.rect.center();
    const auto rounded = [&](float pixels) {
        return std::clamp(std::round(static_cast<double>(pixels) / map.per_unit * 100) / 100,
                          -kMostToyWeight, kMostToyWeight);
    };
    ToyWeights weights = toy.training.weights;
    const auto first = static_cast<std::size_t>(toy.plane * 4 + toy.column);
    weights[first] = rounded(mouse.x - middle.x);
    weights[first + 2] = rounded(middle.y - mouse.y);
    for (double& weight : weights) weight = std::round(weight * 1e4) / 1e4;
    if (weights == toy.training.weights) return;
    frame.set("toy_weights", to_text(weights));
    if (toy.steps != 0) set_steps(frame, 0);
}

void take_handles(Frame& frame, Toy& toy, const MapOfPlane& map, int plane,
                  const std::string& name) {
    const auto mouse = ui::interact(frame.ui, name, map.rect, ui::Stop::no);
    const ImVec2 at = ImGui::GetIO().MousePos;
    const bool held = toy.plane == plane;
    int under = held ? toy.column : -1;
    for (const int column : {0, 1}) {
        const ImVec2 tip = column_tip(map, column);
        if (!held && mouse.hovered && std::hypot(at.x - tip.x, at.y - tip.y) < frame.px(14))
            under = column;
    }
    if (under < 0) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    if (!held && ImGui::IsMouseClicked(0)) {
        toy.plane = plane;
        toy.column = under;
        toy.trains = false;
        toy.reach = reach_of(toy);
    }
    if (!held) return;
    if (mouse.held) return drag_column(frame, toy, map);
    toy.plane = toy.column = -1;
    frame.memory.gesture_ended = true;
}

struct PlaneWords {
    const char *name, *symbol, *words, *brief;
};
constexpr std::array<PlaneWords, 2> kPlanes{
    {{"toy.query", "{query:W}_{Q}", "what each word looks for", "queries"},
     {"toy.key", "{key:W}_{K}", "what each word offers", "keys"}}};

void draw_plane(Frame& frame, Toy& toy, ui::Layout rect, int which) {
    const PlaneWords& words = kPlanes[static_cast<std::size_t>(which)];
    ui::Canvas canvas(frame.ui);
    ui::Layout head = rect.row(ui::Size::body, 4);
    const auto glyphs = ui::parse_equation(words.symbol);
    const ImU32 color = frame.colors().hue(which == 0 ? ui::Hue::query : ui::Hue::key);
    const float wide = ui::equation_width(frame.ui, glyphs, ui::Size::body) + frame.px(8);
    ui::equation(frame.ui, head.left(wide), glyphs, ui::Size::body, ui::Align::left,
                 [&](const std::string&) { return color; });
    const ui::TextStyle dim = frame.small_dim();
    label_that_fits(canvas, head, {words.words, words.brief}, dim);
    canvas.card(rect, frame.colors().card);
    const float reach = toy.plane >= 0 ? toy.reach : reach_of(toy);
    const MapOfPlane map{rect, std::min(rect.w, rect.h) / 2 / reach,
                         toy.training.weights.data() + which * 4};
    {
        const auto clip = canvas.clip(rect);
        draw_grid(frame, map);
        draw_rows(frame, map, which == 0 ? toy.pass.queries : toy.pass.keys, toy.set);
        draw_handles(frame, map, words.name);
    }
    take_handles(frame, toy, map, which, words.name);
}

// ---- the resulting weights, and the loss

void draw_attention(Frame& frame, Toy& toy, ui::Layout rect) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim = frame.small_dim();
    label_that_fits(canvas, rect.row(ui::Size::body, 4),
                    {"attention weights; framed: targets", "attention weights", "attention", "A"},
                    dim);
    const ui::Rect place = whole(rect.fit(1));
    Shown what;
    what.set_cells(toy.attention);
    ui::HeatmapSpec spec;
    spec.name = "toy.attention";
    spec.cells = what.cells;
    spec.scale = positive_scale(frame, 1);
    spec.window = {0, 0, static_cast<float>(what.cells.rows), static_cast<float>(what.cells.cols)};
    spec.row = frame.focus.token;
    spec.outline_cell = false;
    const ui::HeatmapHit hit = ui::heatmap(frame.ui, place, spec);
    const float cell = place.w / static_cast<float>(what.cells.cols);
    for (std::size_t i = 0; i < toy.targets.size(); ++i)
        canvas.outline(ui::Rect{place.x + static_cast<float>(toy.targets[i]) * cell,
                                place.y + static_cast<float>(i) * cell, cell, cell}
                           .inset(frame.px(2)),
                       frame.colors().accent, frame.px(2));
    if (!hit.hovered) return;
    frame.memory.next_hovered.token = hit.row;
    const auto name = [&](int i) { return vector_name(toy.set, static_cast<std::size_t>(i)); };
    frame.ui.tooltip(name(hit.row) + " to " + name(hit.col) + ": " +
                     ui::number(toy.pass.attention(hit.row, hit.col), 3) + "\nClick to make " +
                     name(hit.col) + " the target of " + name(hit.row) + ".");
    if (!hit.clicked) return;
    std::vector<int> targets = toy.targets;
    targets[static_cast<std::size_t>(hit.row)] = hit.col;
    frame.set("toy_targets", toy_targets_text(targets));
    frame.memory.gesture_ended = true;
}

void draw_losses(Frame& frame, const Toy& toy, ui::Layout rect) {
    ui::Canvas canvas(frame.ui);
    const std::vector<double>& losses = toy.training.losses;
    const ui::TextStyle dim = frame.mono_dim();
    label_that_fits(canvas, rect.row(), {"loss: −log A[target]", "loss"}, dim);
    const ui::TextStyle mono{.face = ui::Face::mono,
                             .size = frame.state.look.lecture ? ui::Size::small : ui::Size::body};
    const std::string loss = fmt::format("{:.3f}", losses.back());
    label_that_fits(canvas, rect.row(ui::Size::body),
                    {loss + " after " + counted(toy.steps, "step"), loss}, mono);
    frame.ui.report("toy.loss", fmt::format("{:.6f}", losses.back()));
    if (rect.h < frame.px(24)) return;
    const int step = static_cast<int>(losses.size()) - 1;
    const ui::Plot plot{rect, std::max(60, step), 0, std::max(std::ranges::max(losses), 1e-6)};
    ui::grid(frame.ui, plot);
    ui::curve(frame.ui, plot, losses, frame.colors().accent);
    canvas.circle(plot.at(step, losses.back()), frame.px(3.5F), frame.colors().accent);
}

void draw_buttons(Frame& frame, Toy& toy, ui::Layout row) {
    if (row.button_left("toy.train", toy.trains ? "Stop" : "Train", 8, ui::ButtonLook::filled,
                        "Takes one gradient step per frame until the loss is small")) {
        toy.trains = !toy.trains;
        frame.memory.gesture_ended = true;
    }
    if (row.button_left("toy.step", "One step", 8, ui::ButtonLook::outlined,
                        "Takes one gradient step"))
        set_steps(frame, toy.steps + 1);
    if (row.button_left("toy.reset", "Start again", 8, ui::ButtonLook::outlined,
                        "Restores the initial weights")) {
        toy.trains = false;
        frame.say("reset", "toy_weights");
        set_steps(frame, 0);
    }
    ui::Canvas(frame.ui).label(
        row, "Squares: where each matrix sends (1, 0) and (0, 1). Drag them.", frame.small_dim());
}

}  // namespace

bool has_learning(const Frame& frame) {
    const VectorSet* set = vectors_of(frame);
    return set != nullptr && set->width() == 2 && frame.node().op == Op::given &&
           !frame.difference();
}

void stage_learning(Frame& frame, const ui::Rect& rect) {
    Toy& toy = toy_of(frame);
    ui::Layout rest(frame.ui, rect);
    if (!frame.state.look.lecture) {
        draw_buttons(frame, toy, rest.last_row(10, 8));
    }
    const float gap = frame.px(16), head = frame.line(ui::Size::body) + frame.px(4);
    ui::Layout right = rest.right(rest.w * 0.28F);
    rest.right(gap);
    // One above the other where that makes them larger.
    const float beside = (rest.w - gap) / 2, below = (rest.h - gap) / 2;
    const bool stacked = std::min(rest.w, below - head) > std::min(beside, rest.h - head);
    draw_plane(frame, toy, {frame.ui, stacked ? rest.top(below) : rest.left(beside)}, 0);
    if (stacked)
        rest.top(gap);
    else
        rest.left(gap);
    draw_plane(frame, toy, rest, 1);
    draw_attention(frame, toy, right.top(std::min(right.h * 0.62F, right.w + head), 12));
    draw_losses(frame, toy, right);
    go_on(frame, toy);
}

}  // namespace headlight::screens
