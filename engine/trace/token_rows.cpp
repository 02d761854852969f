#include "trace/token_rows.h"

#include <algorithm>

namespace headlight {

namespace {

bool follows_the_last_layer(const Trace& trace, Tensor tensor) {
    return std::ranges::any_of(trace.nodes, [&](const Node& node) {
        const auto names = [&](const auto& list) {
            return std::ranges::find(list, tensor) != list.end();
        };
        return node.place == Place::end && (names(node.operands) || names(node.results));
    });
}

}  // namespace

bool shares_tokens(const Trace& trace, Tensor tensor) {
    const bool early = trace.model && trace.layer < trace.model->token_transformers();
    return !early || !follows_the_last_layer(trace, tensor);
}

Index token_of_row(const Trace& trace, Tensor tensor, Index row) {
    return shares_tokens(trace, tensor) ? token_of_row(trace, info(tensor).rows, row) : -1;
}

Index row_of_token(const Trace& trace, Tensor tensor, Index token) {
    return shares_tokens(trace, tensor) ? row_of_token(trace, info(tensor).rows, token) : -1;
}

}  // namespace headlight
