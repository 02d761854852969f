#include <algorithm>

#include "frame/frame.h"

namespace headlight::screens {

bool Frame::pending(Tensor tensor) const {
    const bool incomplete = !work.complete() && &trace == work.trace().get();
    return incomplete && !trace.has(tensor) &&
           std::ranges::any_of(trace.nodes, [&](const Node& node) {
               return std::ranges::find(node.results, tensor) != node.results.end();
           });
}

namespace {

// A single row needs no selection.
bool is_single(Axis rows) { return rows == Axis::one || rows == Axis::probe; }

// The default column: the token's own (diagonal), the most probable class, or else the first.
int usual_column(const Trace& trace, Tensor result, std::optional<int> token) {
    const Axis columns = info(result).cols;
    if (columns == Axis::key_token) return is_cross(trace) ? 0 : token.value_or(0);
    const MatrixView row = trace.view(result);
    if (columns != Axis::class_index || row.empty()) return 0;
    return static_cast<int>(std::max_element(row.data, row.data + row.cols) - row.data);
}

}  // namespace

Focus resolve_focus(const State& state, const Trace& trace, const Focus& hovered) {
    const Selection& pinned = state.selection;
    const Node* node = trace.node(pinned.step);
    const Tensor result = node != nullptr ? node->result() : trace.nodes.front().result();
    const Axis col_axis = info(result).cols;
    Focus focus = hovered;
    focus.hovered = focus.token || focus.col || focus.key_token;
    // A hovered patch is highlighted as query and as key; otherwise a pinned column stays.
    const bool cross = is_cross(trace);
    const bool as_key = !cross && focus.hovered && focus.token && col_axis == Axis::key_token;
    if (!focus.token) focus.token = pinned.token;
    if (cross && !focus.key_token) focus.key_token = pinned.key;
    if (cross && !focus.col && col_axis == Axis::key_token) focus.col = focus.key_token;
    if (!focus.col && pinned.col_axis == col_axis && !as_key) focus.col = pinned.col;
    // Without a column there is still a cell to explain.
    const auto& token = side_of(trace, result) == Side::key ? focus.key_token : focus.token;
    const bool has_row = token || focus.row || is_single(info(result).rows);
    if (has_row && !focus.col && pinned.step != Step::image)
        focus.col = usual_column(trace, result, focus.token);
    if (!focus.key_token && col_axis == Axis::key_token) focus.key_token = focus.col;
    if (focus.col && *focus.col >= trace.cols(result)) focus.col.reset();
    if (focus.row && *focus.row >= trace.rows(result)) focus.row.reset();
    if (focus.token && *focus.token >= trace.shape.queries) focus.token.reset();
    if (focus.key_token && *focus.key_token >= trace.shape.keys) focus.key_token.reset();
    return focus;
}

std::optional<int> focus_row(const Frame& frame, Tensor tensor) {
    const Axis rows = info(tensor).rows;
    if (is_single(rows)) return 0;
    if (rows == Axis::token && !shares_tokens(frame.trace, tensor)) return frame.focus.row;
    const std::optional<int> token = focus_of(frame, side_of(frame.trace, tensor));
    if (!token) return std::nullopt;
    const Index row = row_of_token(frame.trace, tensor, *token);
    return row < 0 || row >= frame.trace.rows(tensor) ? std::nullopt
                                                      : std::optional(static_cast<int>(row));
}

std::optional<int> focus_of(const Frame& frame, Side side) {
    return side == Side::key ? frame.focus.key_token : frame.focus.token;
}

void hover_token(Frame& frame, Side side, Index token) {
    Focus& next = frame.memory.next_hovered;
    (side == Side::key ? next.key_token : next.token) = static_cast<int>(token);
}

void pin_token(Frame& frame, Side side, Index token) {
    frame.say(side == Side::key ? "focus-key" : "focus", std::to_string(token));
}

bool shows_reading_from(const Frame& frame) {
    return is_cross(frame.trace) || frame.state.look.reading == Reading::from;
}

}  // namespace headlight::screens
