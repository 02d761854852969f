#include "walk/points.h"

#include <algorithm>
#include <cmath>

#include "frame/shown.h"
#include "walk/plane.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

constexpr float kReach = 12;  // units around a point

// A point before scaling: the third coordinate moves it along the depth axis.
ImVec2 flat(const float* numbers, Index width) {
    const float z = width > 2 ? numbers[2] : 0;
    return {numbers[0] - kDepthX * z, numbers[1] - kDepthY * z};
}

// Maps points to the screen: as large as they fit, with equal axes.
class Placing {
  public:
    Placing(const MatrixView& points, const ui::Rect& rect) : middle_(rect.center()) {
        ImVec2 least = flat(points.row(0), points.cols), most = least;
        for (Index i = 1; i < points.rows; ++i) {
            const ImVec2 at = flat(points.row(i), points.cols);
            least = {std::min(least.x, at.x), std::min(least.y, at.y)};
            most = {std::max(most.x, at.x), std::max(most.y, at.y)};
        }
        // In double, because numbers of a file may be as large as floats.
        x_ = (static_cast<double>(least.x) + most.x) / 2;
        y_ = (static_cast<double>(least.y) + most.y) / 2;
        const double w = static_cast<double>(most.x) - least.x,
                     h = static_cast<double>(most.y) - least.y;
        const double scale = std::min(rect.w / w, rect.h / h);
        scale_ = std::isfinite(scale) && scale > 0 ? scale : 1;
    }
    [[nodiscard]] ImVec2 at(const float* numbers, Index width) const {
        const ImVec2 point = flat(numbers, width);
        return {middle_.x + static_cast<float>((point.x - x_) * scale_),
                middle_.y - static_cast<float>((point.y - y_) * scale_)};
    }

  private:
    ImVec2 middle_;
    double x_ = 0, y_ = 0, scale_ = 1;
};

// The focused point's attention weights, as a row or column; without cells if nothing is in focus.
Shown weights_of(Frame& frame) {
    if (!frame.focus.token || !frame.trace.has(Tensor::attention) || frame.difference()) return {};
    return frame.state.look.reading == Reading::from
               ? shown(frame, Tensor::attention, frame.head)
               : shown_transposed(frame, Tensor::attention, frame.head);
}

void draw_points(Frame& frame, const Placing& placing, const MatrixView& points) {
    const Shown weights = weights_of(frame);
    const bool read = !weights.cells.empty();
    const Index token = frame.focus.token.value_or(0);
    ui::Canvas canvas(frame.ui);
    const float radius = points.rows > 400 ? frame.px(2.5F) : frame.px(4.5F);
    for (Index i = 0; i < points.rows; ++i) {
        ImU32 color = frame.colors().dim;
        if (read) {
            const gl::Rgb rgb = weights.scale.color(weights.view(token, i));
            color = IM_COL32(rgb.r, rgb.g, rgb.b, 255);
        }
        const ImVec2 at = placing.at(points.row(i), points.cols);
        canvas.circle(at, radius, color);
        canvas.circle(at, radius, frame.colors().faint, 1);
    }
}

// The layer's output, if it is in the same plane; for the focused point with the line to it.
void draw_output(Frame& frame, const Placing& placing, const MatrixView& points) {
    const MatrixView output = frame.trace.view(Tensor::output);
    if (!frame.focus.token || output.cols != points.cols || output.rows != points.rows) return;
    const Index token = *frame.focus.token;
    const ImVec2 from = placing.at(points.row(token), points.cols),
                 to = placing.at(output.row(token), output.cols);
    ui::Canvas canvas(frame.ui);
    canvas.line(from, to, frame.colors().accent, frame.px(1.5F));
    canvas.circle(to, frame.px(7), frame.colors().accent, frame.px(2));
}

void mark(Frame& frame, ImVec2 at, ImU32 color) {
    ui::Canvas canvas(frame.ui);
    canvas.circle(at, frame.px(8), frame.colors().background, frame.px(4));
    canvas.circle(at, frame.px(8), color, frame.px(2));
}

std::optional<int> nearest(const Frame& frame, const Placing& placing, const MatrixView& points) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    std::optional<int> best;
    float least = frame.px(kReach);
    for (Index i = 0; i < points.rows; ++i) {
        const ImVec2 at = placing.at(points.row(i), points.cols);
        const float away = std::hypot(at.x - mouse.x, at.y - mouse.y);
        if (away <= least) least = away, best = static_cast<int>(i);
    }
    return best;
}

void take_mouse(Frame& frame, const ui::Rect& rect, const std::string& name, const Placing& placing,
                const MatrixView& points) {
    const auto mouse = ui::interact(frame.ui, name, rect);
    const auto under = mouse.hovered ? nearest(frame, placing, points) : std::nullopt;
    if (!under) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    std::string tip = "token " + std::to_string(*under) + ": (";
    for (Index c = 0; c < points.cols; ++c)
        tip += (c > 0 ? ", " : "") + ui::number(points(*under, c), 4);
    frame.ui.tooltip(tip + ")");
    frame.memory.next_hovered.token = *under;
    if (mouse.clicked) frame.say("focus", std::to_string(*under));
}

}  // namespace

const TokenFile* file_of(const Frame& frame) {
    return std::get_if<TokenFile>(&frame.recipe.tokens);
}

bool are_points(const Frame& frame) {
    const TokenFile* file = file_of(frame);
    if (file == nullptr || file->is_cross()) return false;  // two sets of tokens
    const TokenArray array = file->array();
    return array.width >= 2 && array.width <= 3 && array.map_cols == 0;
}

void points_plot(Frame& frame, const ui::Rect& rect, const std::string& name) {
    if (!are_points(frame) || rect.empty()) return;
    const MatrixView points = frame.trace.view(frame.trace.nodes.front().result());
    ui::Canvas canvas(frame.ui);
    canvas.card(rect, frame.colors().card);
    const ui::Rect inside = rect.inset(frame.px(18));
    if (points.rows == 0 || inside.empty()) return;
    const Placing placing(points, inside);
    {
        const auto clip = canvas.clip(rect);
        draw_points(frame, placing, points);
        draw_output(frame, placing, points);
        const auto place = [&](int i) { return placing.at(points.row(i), points.cols); };
        if (frame.focus.key_token && *frame.focus.key_token < points.rows)
            mark(frame, place(*frame.focus.key_token), frame.colors().hue(ui::Hue::key));
        if (frame.focus.token && *frame.focus.token < points.rows) {
            const ImVec2 at = place(*frame.focus.token);
            mark(frame, at, frame.colors().hue(ui::Hue::query));
            frame.ui.name(name + ".focus", {{at.x - 1, at.y - 1, 2, 2}, {0, 0, 0, 0}});
        }
    }
    take_mouse(frame, rect, name, placing, points);
}

// Points in their plane; tokens with more or fewer numbers are drawn as rows.
void stage_array(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    if (are_points(frame)) {
        rest.skip_bottom(8);
        return points_plot(frame, rest, "stage.result");
    }
    rest.bottom(room_below(frame));
    rest.left(frame.line() + frame.px(4));
    rest.row(6);
    const Tensor tokens = frame.node().result();
    Matrix2D m = linked_matrix(frame, tokens, "stage.result");
    m.bar_below = true;
    draw_linked(
        frame, rest.fit(aspect_of(frame.trace.rows(tokens), frame.trace.cols(tokens), 0.5F, 2)), m);
}

}  // namespace headlight::screens
