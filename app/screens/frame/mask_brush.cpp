#include "frame/mask_brush.h"

#include <algorithm>
#include <cmath>

#include "attention/painted.h"

namespace headlight::screens {

namespace {

constexpr float kBrush = 7;  // diameter in units, if cells are smaller

const MaskRule* rule_of(const MaskRules& rules, MaskKind kind) {
    const auto found = std::ranges::find(rules, kind, &MaskRule::kind);
    return found == rules.end() ? nullptr : &*found;
}

// The current setting, even if its result is still being computed.
bool is_blocked(const Frame& frame, int row, int col) {
    const MaskRule* rule = rule_of(frame.state.recipe.mask, MaskKind::blocked);
    const AttentionShape& shape = frame.trace.shape;
    return rule != nullptr && rule->numbers[0] == shape.queries && rule->numbers[1] == shape.keys &&
           is_painted(*rule, row, col);
}

bool hides(const MaskRules& rules, int token) {
    const MaskRule* rule = rule_of(rules, MaskKind::keys);
    return rule != nullptr && std::ranges::binary_search(rule->numbers, token);
}

std::string range_text(int middle, int reach, Index end) {
    const int first = std::max(0, middle - reach),
              last = std::min(static_cast<int>(end) - 1, middle + reach);
    return std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
}

// The brush radius in cells, so that it is at least as thick as a finger's line.
int reach_of(const Frame& frame, const ui::Rect& rect, const gl::CellWindow& window) {
    const float cell = std::min(rect.w / window.cols, rect.h / window.rows);
    return static_cast<int>(frame.px(kBrush) / std::max(cell, 1e-3F) / 2);
}

// Whether the button is held since a press here, and whether the press was in this frame.
struct Press {
    bool held = false, begins = false;
};
Press press_of(Frame& frame, bool over) {
    MaskBrush& brush = frame.memory.own<MaskBrush>();
    const bool begins = over && ImGui::IsMouseClicked(0);
    if (begins) brush.held = true;
    if (brush.held && !ImGui::IsMouseDown(0)) {
        brush.held = false;
        frame.memory.gesture_ended = true;
    }
    return {brush.held && over, begins};
}

std::string what_for(bool blocks) { return blocks ? "blocked" : "free"; }

}  // namespace

bool paints(Frame& frame) {
    return frame.memory.own<MaskBrush>().on && !frame.before() && !frame.difference() &&
           frame.trace.has(Tensor::scores);
}

bool paint_cells(Frame& frame, const ui::Rect& rect, const gl::CellWindow& window,
                 const ui::HeatmapHit& hit) {
    const TensorInfo& result = info(frame.node().result());
    if (result.rows != Axis::token || result.cols != Axis::key_token || !paints(frame))
        return false;
    const Press press = press_of(frame, hit.hovered);
    if (!press.held) return hit.hovered;
    MaskBrush& brush = frame.memory.own<MaskBrush>();
    if (press.begins) brush = {true, true, !is_blocked(frame, hit.row, hit.col), hit.row, hit.col};
    const int reach = reach_of(frame, rect, window);
    const AttentionShape& shape = frame.trace.shape;
    // All cells on the line from the last one, so that fast strokes have no gaps.
    const int down = hit.row - brush.row, across = hit.col - brush.col,
              steps = std::max(std::abs(down), std::abs(across));
    for (int i = press.begins ? 0 : 1; i <= steps; i += reach + 1) {
        const float t = steps == 0 ? 0 : static_cast<float>(i) / static_cast<float>(steps);
        const auto at = [t](int from, int way) {
            return from + static_cast<int>(std::lround(t * static_cast<float>(way)));
        };
        frame.say("mask-cells", what_for(brush.blocks),
                  range_text(at(brush.row, down), reach, shape.queries),
                  range_text(at(brush.col, across), reach, shape.keys));
    }
    if (steps > 0 && steps % (reach + 1) != 0)
        frame.say("mask-cells", what_for(brush.blocks), range_text(hit.row, reach, shape.queries),
                  range_text(hit.col, reach, shape.keys));
    brush.row = hit.row;
    brush.col = hit.col;
    return true;
}

bool paint_patch(Frame& frame, int token) {
    if (!paints(frame)) return false;
    const Press press = press_of(frame, true);
    if (!press.held) return true;
    MaskBrush& brush = frame.memory.own<MaskBrush>();
    if (press.begins) brush.blocks = !hides(frame.state.recipe.mask, token);
    if (hides(frame.state.recipe.mask, token) != brush.blocks)
        frame.say("mask-keys", what_for(brush.blocks), std::to_string(token));
    return true;
}

bool is_hidden(const Frame& frame, int token) { return hides(frame.recipe.mask, token); }

}  // namespace headlight::screens
