#include "trace/token_rows.h"

#include <algorithm>

namespace headlight {

namespace {

bool stands_at(const Trace& trace, Tensor tensor, Place place) {
    return std::ranges::any_of(trace.nodes, [&](const Node& node) {
        const auto names = [&](const auto& list) {
            return std::ranges::find(list, tensor) != list.end();
        };
        return node.place == place && (names(node.operands) || names(node.results));
    });
}

}  // namespace

bool shares_tokens(const Trace& trace, Tensor tensor) {
    if (!trace.model || trace.model->layers.empty()) return true;
    const Model& model = *trace.model;
    const int level = model.level_of(trace.layer);
    if (level < model.last_level() && stands_at(trace, tensor, Place::end)) return false;
    return level == 0 || !model.has_merges() || !stands_at(trace, tensor, Place::front);
}

Side side_of_patches(const Trace& trace) { return is_cross(trace) ? Side::key : Side::query; }

Side side_of(const Trace& trace, Tensor tensor) {
    const Axis rows = info(tensor).rows;
    const bool read = rows == Axis::key_token || rows == Axis::patch || tensor == Tensor::positions;
    return is_cross(trace) && read ? Side::key : Side::query;
}

Index token_of_row(const Trace& trace, Tensor tensor, Index row) {
    return shares_tokens(trace, tensor) ? token_of_row(trace, info(tensor).rows, row) : -1;
}

Index row_of_token(const Trace& trace, Tensor tensor, Index token) {
    return shares_tokens(trace, tensor) ? row_of_token(trace, info(tensor).rows, token) : -1;
}

std::string name_of_token(const Trace& trace, Side side, Index token) {
    if (side == Side::query && is_cross(trace)) return "query " + std::to_string(token);
    return token_name(trace.layout, token);
}

}  // namespace headlight
