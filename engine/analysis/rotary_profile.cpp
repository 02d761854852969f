#include "analysis/rotary_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/error.h"

namespace headlight {

namespace {

// Products of all pairs of these tokens, grouped by offset.
struct Gathered {
    std::vector<double> means;
    double spread = 0, largest = 0;
};

// x rotated to the position of each token, [tokens, head_dim].
Matrix at_places(const MatrixView& x, const Rotary& rotary, const MatrixView& sine,
                 const MatrixView& cosine, const std::vector<Index>& tokens) {
    Matrix turned(static_cast<Index>(tokens.size()), x.cols);
    for (std::size_t i = 0; i < tokens.size(); ++i)
        turned.row(static_cast<Index>(i)) =
            rotated(x, rotary, sine.block(tokens[i], 0, 1, sine.cols),
                    cosine.block(tokens[i], 0, 1, cosine.cols));
    return turned;
}

Gathered gathered(const Matrix& queries, const Matrix& keys) {
    const Index count = queries.rows();
    Gathered all;
    for (Index offset = 1 - count; offset < count; ++offset) {
        double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
        const Index first = std::max<Index>(0, -offset), last = std::min(count, count - offset);
        for (Index at = first; at < last; ++at) {
            const double product =
                queries.row(at).cast<double>().dot(keys.row(at + offset).cast<double>());
            sum += product;
            low = std::min(low, product);
            high = std::max(high, product);
        }
        all.means.push_back(sum / static_cast<double>(last - first));
        all.spread = std::max(all.spread, high - low);
        all.largest = std::max({all.largest, std::abs(low), std::abs(high)});
    }
    return all;
}

}  // namespace

RotaryProfile rotary_profile(const MatrixView& query, const MatrixView& key, const Rotary& rotary,
                             const MatrixView& sine, const MatrixView& cosine,
                             const TokenGrid& places, Index patch) {
    const Index width = rotary.head_dim();
    const bool fits = query.rows == 1 && key.rows == 1 && query.cols == width &&
                      key.cols == width && sine.cols == width && cosine.cols == width &&
                      places.are_known() && sine.rows == places.count() &&
                      cosine.rows == places.count() && patch >= 0 &&
                      patch < Index{places.rows} * places.cols;
    if (!fits)
        throw AnalysisError("Expected a query, a key and their angles for a grid of patches.");
    std::vector<Index> row, column;
    for (Index c = 0; c < places.cols; ++c)
        row.push_back(places.prefix + patch / places.cols * places.cols + c);
    for (Index r = 0; r < places.rows; ++r)
        column.push_back(places.prefix + r * places.cols + patch % places.cols);
    const auto of = [&](const std::vector<Index>& tokens) {
        return gathered(at_places(query, rotary, sine, cosine, tokens),
                        at_places(key, rotary, sine, cosine, tokens));
    };
    const Gathered along = of(row), down = of(column);
    const double largest = std::max(along.largest, down.largest);
    return {along.means, down.means,
            largest == 0 ? 0 : std::max(along.spread, down.spread) / largest};
}

}  // namespace headlight
