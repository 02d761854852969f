#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/principal.h"
#include "frame/tensor_text.h"
#include "kernels/counted.h"
#include "walk/points.h"
#include "walk/stages.h"

// Tokens as points: the first two principal components of a step's rows, or its only two columns.
// They move from the step's input to its output.
namespace headlight::screens {

namespace {

constexpr Index kMostCloudColumns = 384;  // a larger covariance takes too long for a frame

// Before and after, both [N, 2]; `before` is empty if the step changes the width of rows.
struct Cloud {
    std::uint64_t version = 0;
    const float* place = nullptr;
    Matrix before, after;
    std::array<float, 2> shares{};
};

// The operand whose rows become the result's: the last one of the same shape, so that A·V moves V.
std::optional<Tensor> moved_operand(const Frame& frame) {
    const Tensor result = frame.node().result();
    for (auto at = frame.node().operands.rbegin(); at != frame.node().operands.rend(); ++at)
        if (info(*at).role != Role::weight && info(*at).per_head == info(result).per_head &&
            !shared_by_samples(*at) && frame.trace.rows(*at) == frame.trace.rows(result) &&
            frame.trace.cols(*at) == frame.trace.cols(result) &&
            !frame.trace.view(*at, 0, frame.head).empty())
            return *at;
    return std::nullopt;
}

const Cloud& cloud_of(Frame& frame) {
    auto& cloud = frame.memory.own<Cloud>();
    const Tensor result = frame.node().result();
    const MatrixView after = frame.trace.view(result, 0, frame.head);
    if (cloud.version == frame.trace.version(result) && cloud.place == after.data) return cloud;
    cloud = {frame.trace.version(result), after.data, {}, {}, {}};
    std::vector<Matrix> parts{Matrix(after.eigen())};
    const auto operand = moved_operand(frame);
    if (operand) parts.emplace_back(frame.trace.view(*operand, 0, frame.head).eigen());
    if (!std::ranges::all_of(parts, [](const Matrix& part) { return part.allFinite(); }))
        return cloud;
    if (after.cols == 2) {
        cloud.after = parts[0];
        if (operand) cloud.before = parts[1];
        return cloud;
    }
    const PrincipalComponents plane = principal_components(parts, 2);
    cloud.after = plane.project(parts[0]);
    if (operand) cloud.before = plane.project(parts[1]);
    cloud.shares = {plane.shares(0, 0), plane.shares(0, 1)};
    return cloud;
}

// Equal scales for both axes, with all points visible.
struct CloudPlace {
    ui::Rect rect;
    double x = 0, y = 0, scale = 1;

    [[nodiscard]] ImVec2 at(float a, float b) const {
        return {rect.center().x + static_cast<float>((a - x) * scale),
                rect.center().y - static_cast<float>((b - y) * scale)};
    }
};

CloudPlace place_of(const Cloud& cloud, const ui::Rect& rect) {
    Eigen::RowVector2f least = cloud.after.colwise().minCoeff(),
                       most = cloud.after.colwise().maxCoeff();
    if (cloud.before.rows() > 0) {
        least = least.cwiseMin(cloud.before.colwise().minCoeff().eval());
        most = most.cwiseMax(cloud.before.colwise().maxCoeff().eval());
    }
    const Eigen::RowVector2d size = (most - least).cast<double>();
    const double scale = std::min(rect.w / size(0), rect.h / size(1));
    return {rect, (static_cast<double>(least(0)) + most(0)) / 2,
            (static_cast<double>(least(1)) + most(1)) / 2,
            std::isfinite(scale) && scale > 0 ? scale : 1};
}

ImU32 color_of_point(Frame& frame, const Shown& weights, Index i) {
    if (weights.cells.empty() || !frame.focus.token || i >= weights.view.cols)
        return frame.colors().hue(ui::Hue::key);
    const gl::Rgb rgb = weights.scale.color(weights.view(*frame.focus.token, i));
    return IM_COL32(rgb.r, rgb.g, rgb.b, 255);
}

// Fewer tracks are drawn if there are many points.
void draw_cloud(Frame& frame, const Cloud& cloud, const CloudPlace& place) {
    ui::Canvas canvas(frame.ui);
    const Shown weights =
        frame.trace.has(Tensor::attention) ? shown(frame, Tensor::attention, frame.head) : Shown{};
    const auto t = static_cast<float>(std::clamp(frame.phase(), 0.0, 1.0));
    const float way = t * t * (3 - 2 * t);
    const float radius = cloud.after.rows() > 300 ? frame.px(2.5F) : frame.px(4.5F);
    const bool moves = cloud.before.rows() > 0;
    for (Index i = 0; i < cloud.after.rows(); ++i) {
        const ImVec2 end = place.at(cloud.after(i, 0), cloud.after(i, 1));
        ImVec2 now = end;
        if (moves) {
            const ImVec2 from = place.at(cloud.before(i, 0), cloud.before(i, 1));
            now = {from.x + (end.x - from.x) * way, from.y + (end.y - from.y) * way};
            canvas.line(from, now, ui::with_alpha(frame.colors().faint, 0.6F));
            canvas.circle(from, radius * 0.5F, frame.colors().faint);
        }
        canvas.circle(now, radius, color_of_point(frame, weights, i));
        canvas.circle(now, radius, frame.colors().faint, 1);
        if (frame.focus.token != static_cast<int>(i)) continue;
        canvas.circle(now, radius + frame.px(4), frame.colors().accent, frame.px(2));
        frame.ui.name("stage.cloud.focus", {{now.x - 1, now.y - 1, 2, 2}, {0, 0, 0, 0}});
    }
}

void take_cloud_mouse(Frame& frame, const ui::Rect& rect, const Cloud& cloud,
                      const CloudPlace& place) {
    const auto mouse = ui::interact(frame.ui, "stage.cloud", rect);
    if (!mouse.hovered) return;
    const ImVec2 at = ImGui::GetIO().MousePos;
    int best = -1;
    float least = frame.px(12);
    for (Index i = 0; i < cloud.after.rows(); ++i) {
        const ImVec2 point = place.at(cloud.after(i, 0), cloud.after(i, 1));
        const float away = std::hypot(at.x - point.x, at.y - point.y);
        if (away <= least) least = away, best = static_cast<int>(i);
    }
    if (best < 0) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const Tensor result = frame.node().result();
    const Index token = token_of_row(frame.trace, result, best);
    if (token < 0) return;
    const Side side = side_of(frame.trace, result);
    frame.ui.tooltip(name_of_token(frame.trace, side, token));
    hover_token(frame, side, token);
    if (mouse.clicked) pin_token(frame, side, token);
}

std::string cloud_words(Frame& frame, const Cloud& cloud) {
    const Tensor result = frame.node().result();
    const std::string rows = counted(frame.trace.rows(result), "row");
    std::string words = frame.trace.cols(result) == 2
                            ? rows + " of two numbers, as points."
                            : fmt::format(
                                  "{} of {} along the first two principal components, which "
                                  "explain {:.0f} % of the "
                                  "variance.",
                                  rows, counted(frame.trace.cols(result), "number"),
                                  100 * (cloud.shares[0] + cloud.shares[1]));
    if (const auto operand = moved_operand(frame))
        words +=
            fmt::format(" Lines lead from {} to {}.", info(*operand).symbol, info(result).symbol);
    return words;
}

}  // namespace

bool has_cloud(const Frame& frame) {
    const Node& node = frame.node();
    const Tensor result = node.result();
    const bool fits = node.op == Op::given || node.op == Op::array || node.op == Op::add ||
                      node.op == Op::positions || node.op == Op::mix || node.op == Op::linear ||
                      node.op == Op::join || node.op == Op::norm || node.op == Op::windows;
    if (!fits || frame.difference() || info(result).rows != Axis::token || stage_is_row(frame))
        return false;
    const MatrixView rows = frame.trace.view(result, 0, frame.head);
    // The usual view already draws given vectors, and tokens of a file, as points of the plane.
    const bool plane = are_points(frame) && node.op != Op::array;
    return rows.rows >= 4 && rows.rows <= 4096 && rows.cols >= (plane ? 2 : 3) &&
           rows.cols <= kMostCloudColumns;
}

void stage_cloud(Frame& frame, const ui::Rect& rect) {
    const Cloud& cloud = cloud_of(frame);
    ui::Layout rest(frame.ui, rect);
    ui::Canvas canvas(frame.ui);
    const std::string words = cloud_words(frame, cloud);
    const ui::TextStyle dim = frame.small_dim();
    const ui::Rect below = rest.last_row(4);
    label_that_fits(canvas, below, {words, words.substr(0, words.find(". ") + 1), ""}, dim);
    frame.ui.keep_clear(below);
    frame.ui.report("stage.cloud", words);
    canvas.card(rest, frame.colors().card);
    const ui::Rect inside = rest.inset(frame.px(18));
    if (inside.empty() || cloud.after.rows() == 0) return;
    const CloudPlace place = place_of(cloud, inside);
    {
        const auto clip = canvas.clip(rest);
        draw_cloud(frame, cloud, place);
    }
    take_cloud_mouse(frame, rest, cloud, place);
}

}  // namespace headlight::screens
