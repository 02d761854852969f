#include "positions/rotary.h"

#include <utility>

#include "ops/table.h"

// Rotary positions: encode a token's position in its queries and keys.
namespace headlight::ops {

// Results: queries, keys, and the sines and cosines of the rotation.
void compute_rotate(const Node& node, Trace& trace, const Tools&) {
    const auto& rotary = node.get<Rotary>();
    auto [sine, cosine] = rotary_tables(rotary, token_grid_of(trace), trace.shape.queries);
    for (std::size_t i = 0; i < 2; ++i)
        trace.set(node.results[i],
                  make_result(rotated(trace.all(node.operands[i]), rotary, sine, cosine)));
    trace.set(node.results[2], make_result(std::move(sine)));
    trace.set(node.results[3], make_result(std::move(cosine)));
}

// For the query: a · cos − b · sin; for the other channel of the pair: b · cos + a · sin.
void explain_rotate(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    const auto& rotary = node.get<Rotary>();
    const MatrixView x = trace.view(a.left, 0, head), sine = trace.view(node.results[2]),
                     cosine = trace.view(node.results[3]);
    const Index pair = rotary.pair_of(a.col), first = rotary.first(pair);
    const bool is_first = a.col == first;
    const float own = x(a.row, a.col), other = x(a.row, is_first ? rotary.second(pair) : first) *
                                               (is_first ? -1.0F : 1.0F);
    const float cos = cosine(a.row, a.col), sin = sine(a.row, a.col);
    a.terms = {{own, cos, own * cos}, {other, sin, other * sin}};
    a.sum = a.recomputed = static_cast<double>(own) * cos + static_cast<double>(other) * sin;
}

}  // namespace headlight::ops
