#include "views/pointing.h"

#include <fmt/format.h>

#include <cmath>

#include "encoder/run_scene.h"
#include "views/shapes.h"
#include "views/tensor_text.h"

namespace headlight::views {

namespace {

bool points(const Scene& scene) { return scene.trace.has(Tensor::pointing); }

// The truth is known for whole patches of a square picture only.
bool truth_is_known(const Scene& scene) {
    const PatchGrid& grid = scene.trace.grid;
    const int side = scene.trace.model->patch_size;
    return scene.recipe.scene && grid.image_width == grid.image_height && side > 0 &&
           grid.image_width % side == 0;
}

const SceneTruth& truth_in_view(Scene& scene) {
    TaughtPatches& kept = scene.memory.taught;
    const std::uint64_t version = scene.trace.version(Tensor::pixels);
    if (kept.version != version) kept = {version, truth_of(scene.trace, *scene.recipe.scene)};
    return kept.truth;
}

Taught taught(Scene& scene, std::size_t patch) {
    if (!truth_is_known(scene)) return Taught::unknown;
    const SceneTruth& truth = truth_in_view(scene);
    const auto shape = static_cast<int>(truth.shape.at(patch));
    if (shape < 0) return Taught::background;
    if (has_several_twins(*scene.recipe.scene, shape)) return Taught::several;
    return truth.twin_cell.at(patch) >= 0 ? Taught::pair : Taught::single;
}

// With a head of its own size, dark around so that it is seen on all colours.
void arrow(Scene& scene, ImVec2 from, ImVec2 to, ImU32 color, float wide) {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddCircleFilled(from, wide * 1.6F, color);
    if (length < scene.px(8)) return list->AddCircle(to, scene.px(7), color, 0, wide);
    const ImVec2 along{(to.x - from.x) / length, (to.y - from.y) / length};
    const float head = std::min(length * 0.6F, wide * 4.5F), half = head * 0.5F;
    const ImVec2 neck{to.x - along.x * head, to.y - along.y * head};
    const ImVec2 left{neck.x - along.y * half, neck.y + along.x * half},
        right{neck.x + along.y * half, neck.y - along.x * half};
    const ImU32 dark = IM_COL32(0, 0, 0, 190);
    list->AddLine(from, neck, dark, wide + scene.px(2.5F));
    list->AddTriangle(left, right, to, dark, scene.px(3));
    list->AddLine(from, neck, color, wide);
    list->AddTriangleFilled(left, right, to, color);
}

}  // namespace

std::optional<PatchPointing> focused_pointing(Scene& scene) {
    if (!points(scene) || !scene.focus.token || scene.difference()) return std::nullopt;
    const Index token = *scene.focus.token;
    const Index patch = row_of_token(scene.trace, Axis::patch, token);
    const MatrixView logits = scene.trace.view(Tensor::pointing);
    const int across = scene.trace.model->positions.grid_cols;
    if (patch < 0 || patch >= scene.trace.grid.count() || token >= logits.rows || across <= 0)
        return std::nullopt;
    PatchPointing pointing{.patch = static_cast<int>(patch), .to = point_of(logits, token)};
    pointing.row = pointing.to.cell / across;
    pointing.col = pointing.to.cell % across;
    if (across != scene.trace.grid.cols) pointing.grid = across;
    pointing.taught = taught(scene, static_cast<std::size_t>(patch));
    return pointing;
}

std::string pointing_in_words(const PatchPointing& p) {
    if (p.taught == Taught::background) return "background: was not taught to point";
    std::string to =
        fmt::format("points to row {}, col {} · {:.0f} %", p.row, p.col, p.to.probability * 100);
    if (p.grid > 0) to += fmt::format(" · of {} × {} cells", p.grid, p.grid);
    if (p.taught == Taught::single) to += " · it has no twin";
    if (p.taught == Taught::several) to += " · it has several twins";
    return to;
}

void draw_pointing(Scene& scene, const ui::Rect& picture) {
    const auto pointing = focused_pointing(scene);
    scene.ui.report("pointing", pointing ? pointing_in_words(*pointing) : "");
    if (!pointing || pointing->taught == Taught::background) return;
    const Trace& trace = scene.trace;
    const auto& positions = trace.model->positions;
    const PixelRect patch = trace.grid.rect(pointing->patch);
    const auto place = [&](double across, double down) {
        return ImVec2{picture.x + static_cast<float>(across) * picture.w,
                      picture.y + static_cast<float>(down) * picture.h};
    };
    const ImVec2 from = place((patch.col + patch.width / 2.0) / trace.grid.image_width,
                              (patch.row + patch.height / 2.0) / trace.grid.image_height);
    const ImVec2 to = place((pointing->col + 0.5) / positions.grid_cols,
                            (pointing->row + 0.5) / positions.grid_rows);
    const bool pair = pointing->taught == Taught::pair;
    arrow(scene, from, to, pair ? IM_COL32_WHITE : IM_COL32(255, 255, 255, 120),
          scene.px(pair ? 2.5F : 1.5F));
}

void pointing_line(Scene& scene, ui::Rect& rect) {
    if (!points(scene)) return;
    const ui::Rect row = rect.cut_top(scene.line());
    rect.cut_top(scene.px(4));
    const auto pointing = focused_pointing(scene);
    const std::string text = pointing ? pointing_in_words(*pointing) : "";
    ui::Canvas(scene.ui).label(row, text, {.size = ui::Size::small, .color = scene.colors().dim});
    if (!text.empty() && row.contains(ImGui::GetIO().MousePos))
        scene.ui.tooltip(
            "Where this patch thinks the twin of its shape is: the greatest of its logits over all "
            "cells of the grid. Only patches of a pair were taught to point.");
}

float pointing_line_height(const Scene& scene) {
    return points(scene) ? scene.line() + scene.px(4) : 0;
}

}  // namespace headlight::views
