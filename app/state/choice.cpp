#include "state/choice.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace headlight {

namespace {

// The maximum number of columns of matrices with this axis; empty if it depends on the step.
std::optional<Index> extent(const Trace& trace, Axis axis) {
    switch (axis) {
        case Axis::token:
            return trace.shape.queries;
        case Axis::key_token:
            return trace.shape.keys;
        case Axis::patch:
            return trace.layout.patches;
        case Axis::feature:  // patches and tokens of a whole model: two widths
            if (trace.model->is_bare_layer())
                return std::max(trace.config.dim, trace.config.value_token_width());
            return std::nullopt;
        case Axis::channel:
            return std::max(trace.config.channels,
                            std::max(trace.config.value_width(), trace.config.output_width()));
        case Axis::qkv_channel:
            return 2 * trace.config.channels + trace.config.value_width();
        case Axis::head_channel:
            return std::max(trace.shape.head_dim, trace.shape.value_width());
        case Axis::class_index:
            return trace.cols(Tensor::logits);
        case Axis::cell:
            return trace.cols(Tensor::pointing);
        case Axis::pixel_row:
        case Axis::pixel:
        case Axis::one:
        case Axis::probe:
            return 0;  // no step's result has it as selectable columns
        default:
            return std::nullopt;
    }
}

// The last earlier step, in the order of all steps, that the walk has.
Step nearest(const std::vector<Node>& walk, Step step) {
    Step best = walk.front().id;
    for (const Node& node : walk)
        if (node.id <= step) best = std::max(best, node.id);
    return best;
}

NumberedTokens numbered_in(const Trace& trace) {
    TokenPlaces places = places_of(trace);
    places.layout.names = nullptr;  // of given tokens, which have no places
    return {std::move(places)};
}

int inside(int value, Index count) {
    return std::clamp(value, 0, std::max(static_cast<int>(count) - 1, 0));
}

// Two different tokens of one model may map to the same token of another.
void keep_apart(Selection& s) {
    std::vector<int> seen;
    for (const int token : s.also)
        if (s.token && token != *s.token && std::ranges::find(seen, token) == seen.end())
            seen.push_back(token);
    s.also = std::move(seen);
}

}  // namespace

Selection Choice::in(const Trace& trace) const {
    Selection s = selection_;
    move_tokens(s, places_of(trace));
    s.numbered = numbered_in(trace);
    s.step = trace.has(s.step) ? s.step : nearest(trace.nodes, s.step);
    s.head = inside(s.head, trace.shape.heads);
    if (s.token) s.token = inside(*s.token, trace.shape.queries);
    std::erase_if(s.also, [&](int token) { return token >= trace.shape.queries; });
    keep_apart(s);
    if (s.key) s.key = inside(*s.key, trace.shape.keys);
    const std::optional<Index> cols = extent(trace, s.col_axis);
    if (s.col && cols == 0) s.col.reset();
    if (s.col && cols) s.col = inside(*s.col, *cols);
    return s;
}

void Choice::change(const Selection& before, const Selection& after, const Trace* view) {
    const auto take = [&](auto Selection::*field) {
        if (before.*field != after.*field) selection_.*field = after.*field;
    };
    take(&Selection::step);
    take(&Selection::head);
    take(&Selection::head_pinned);
    take(&Selection::solo);
    take(&Selection::shape);
    take(&Selection::opened_from);
    if (before.token == after.token && before.token_chosen == after.token_chosen &&
        before.key == after.key && before.col == after.col && before.col_axis == after.col_axis &&
        before.also == after.also)
        return;
    selection_.token = after.token;
    selection_.token_chosen = after.token_chosen;
    selection_.key = after.key;
    selection_.col = after.col;
    selection_.col_axis = after.col_axis;
    selection_.also = after.also;
    selection_.numbered = view != nullptr ? numbered_in(*view) : NumberedTokens{};
}

void Choice::arrive(const Trace& trace) {
    if (!selection_.numbered.places) selection_.numbered = numbered_in(trace);
}

// Other models, and T2T's layers among themselves, have other tokens; the selection stays at the
// same place. The original selection is stored, so returning through other grids is exact.
void Choice::move_tokens(Selection& selection, const TokenPlaces& places) const {
    const auto& from = selection_.numbered.places;
    if (!from) return;
    const auto move = [&](std::optional<int>& token) {
        if (token) token = token_at_same_place(*from, places, *token);
    };
    move(selection.token);
    move(selection.key);
    if (selection.col_axis == Axis::key_token) move(selection.col);
    for (int& token : selection.also) token = token_at_same_place(*from, places, token);
    keep_apart(selection);
}

}  // namespace headlight
