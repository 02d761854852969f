#include "scenes/pointing.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/pointing.h"
#include "encoder/run_scene.h"
#include "frame/tensor_text.h"
#include "scene/truth.h"
#include "scenes/shapes.h"

namespace headlight::screens {

namespace {

// The content of each patch of a trace's scene, cached while that trace is shown.
struct TaughtPatches {
    std::uint64_t version = 0;  // of the trace's pixels
    SceneTruth truth;
};

bool points(const Frame& frame) {
    return frame.trace.has(Tensor::pointing) || frame.pending(Tensor::pointing);
}

// The correct answer is known only for whole patches of a square picture.
bool truth_is_known(const Frame& frame) {
    const PatchGrid& grid = frame.trace.grid;
    const int side = frame.trace.model->patch_size;
    return frame.recipe.scene && grid.image_width == grid.image_height && side > 0 &&
           grid.image_width % side == 0;
}

const SceneTruth& truth_in_view(Frame& frame) {
    TaughtPatches& kept = frame.memory.own<TaughtPatches>();
    const std::uint64_t version = frame.trace.version(Tensor::pixels);
    if (kept.version != version) kept = {version, truth_of(frame.trace, *frame.recipe.scene)};
    return kept.truth;
}

Taught taught(Frame& frame, std::size_t patch) {
    if (!truth_is_known(frame)) return Taught::unknown;
    const SceneTruth& truth = truth_in_view(frame);
    const auto shape = static_cast<int>(truth.shape.at(patch));
    if (shape < 0) return Taught::background;
    if (has_several_twins(*frame.recipe.scene, shape)) return Taught::several;
    return truth.twin_cell.at(patch) >= 0 ? Taught::pair : Taught::single;
}

// With a head of fixed size, and a dark outline to be visible on all colors.
void arrow(Frame& frame, ImVec2 from, ImVec2 to, ImU32 color, float wide) {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    ui::Canvas canvas(frame.ui);
    canvas.circle(from, wide * 1.6F, color);
    if (length < frame.px(8)) return canvas.circle(to, frame.px(7), color, wide);
    const ImVec2 along{(to.x - from.x) / length, (to.y - from.y) / length};
    const float head = std::min(length * 0.6F, wide * 4.5F), half = head * 0.5F;
    const ImVec2 neck{to.x - along.x * head, to.y - along.y * head};
    const ImVec2 left{neck.x - along.y * half, neck.y + along.x * half},
        right{neck.x + along.y * half, neck.y - along.x * half};
    const ImU32 dark = IM_COL32(0, 0, 0, 190);
    canvas.line(from, neck, dark, wide + frame.px(2.5F));
    canvas.triangle(left, right, to, dark, frame.px(3));
    canvas.line(from, neck, color, wide);
    canvas.triangle(left, right, to, color);
}

}  // namespace

std::optional<PatchPointing> focused_pointing(Frame& frame) {
    if (!frame.trace.has(Tensor::pointing) || !frame.focus.token || frame.difference())
        return std::nullopt;
    const Index token = *frame.focus.token;
    const Index patch = row_of_token(frame.trace, Axis::patch, token);
    const MatrixView logits = frame.trace.view(Tensor::pointing);
    const int across = pointed_cells(frame.trace).cols;
    if (patch < 0 || patch >= frame.trace.grid.count() || token >= logits.rows || across <= 0)
        return std::nullopt;
    PatchPointing pointing{.patch = static_cast<int>(patch), .to = point_of(logits, token)};
    pointing.row = pointing.to.cell / across;
    pointing.col = pointing.to.cell % across;
    if (across != frame.trace.grid.cols) pointing.grid = across;
    pointing.taught = taught(frame, static_cast<std::size_t>(patch));
    if (frame.trace.has(Tensor::objects))
        pointing.object = 1 / (1 + std::exp(-double{frame.trace.view(Tensor::objects)(token, 0)}));
    return pointing;
}

const std::vector<std::int16_t>* shapes_of_patches(Frame& frame) {
    if (!truth_is_known(frame)) return nullptr;
    const auto& shapes = truth_in_view(frame).shape;
    return shapes.size() == static_cast<std::size_t>(frame.trace.grid.count()) ? &shapes : nullptr;
}

std::string pointing_in_words(const PatchPointing& p) {
    if (p.taught == Taught::background && !p.object) return "background, not trained to point";
    const std::string_view whose = p.taught == Taught::single    ? "no twin, but it points to"
                                   : p.taught == Taught::several ? "one of several twins:"
                                   : p.object && p.taught == Taught::unknown ? "→"
                                                                             : "its twin:";
    const std::string grid = p.grid > 0 ? fmt::format(" of a {0} × {0} grid", p.grid) : "";
    std::string to = fmt::format("{} row {}, column {}{} · {:.0f} %", whose, p.row + 1, p.col + 1,
                                 grid, p.to.probability * 100);
    if (p.object)
        to = fmt::format("object {:.0f} % {}{}", *p.object * 100,
                         p.taught == Taught::unknown ? "" : "· ", to);
    return to;
}

namespace {

bool is_drawn(const PatchPointing& pointing) {
    // For a patch that the model takes for background, its pointing is meaningless.
    return pointing.taught != Taught::background && pointing.object.value_or(1) >= 0.5;
}

}  // namespace

bool has_arrow(Frame& frame) {
    const auto pointing = focused_pointing(frame);
    return pointing && is_drawn(*pointing);
}

void draw_pointing(Frame& frame, const ui::Rect& picture) {
    const auto pointing = focused_pointing(frame);
    frame.ui.report("pointing", pointing ? pointing_in_words(*pointing) : "");
    if (!pointing || !is_drawn(*pointing)) return;
    const Trace& trace = frame.trace;
    const PointedCells cells = pointed_cells(trace);
    const PixelRect patch = trace.grid.rect(pointing->patch);
    const auto place = [&](double across, double down) {
        return ImVec2{picture.x + static_cast<float>(across) * picture.w,
                      picture.y + static_cast<float>(down) * picture.h};
    };
    const ImVec2 from = place((patch.col + patch.width / 2.0) / trace.grid.image_width,
                              (patch.row + patch.height / 2.0) / trace.grid.image_height);
    const ImVec2 to = place((pointing->col + 0.5) / cells.cols, (pointing->row + 0.5) / cells.rows);
    const bool pair = pointing->taught == Taught::pair || pointing->object.value_or(0) > 0.5;
    arrow(frame, from, to, pair ? IM_COL32_WHITE : IM_COL32(255, 255, 255, 120),
          frame.px(pair ? 2.5F : 1.5F));
}

void pointing_line(Frame& frame, ui::Rect& rect) {
    if (!points(frame)) return;
    const ui::Rect row = rect.cut_top(frame.line());
    rect.cut_top(frame.px(4));
    const auto pointing = focused_pointing(frame);
    const std::string text = pointing ? pointing_in_words(*pointing) : "";
    ui::Canvas(frame.ui).label(row, text, {.color = frame.colors().dim});
    if (!text.empty() && row.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(
            frame.trace.model->twin.exists()
                ? "Whether this patch shows an object, and which patch is most likely the center "
                  "of its twin (the largest logit). The Pointing step shows all logits."
                : "Where the twin of this patch's shape is: the cell of the grid with the largest "
                  "logit. Only patches of a pair were trained to point.");
}

float pointing_line_height(const Frame& frame) {
    return points(frame) ? frame.line() + frame.px(4) : 0;
}

}  // namespace headlight::screens
