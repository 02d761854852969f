#include "analysis/softmax_row.h"

#include <algorithm>
#include <numeric>

#include "analysis/statistics.h"
#include "kernels/softmax.h"

namespace headlight {

SoftmaxRow softmax_row(std::span<const float> scores, float temperature) {
    SoftmaxRow row;
    const auto count = static_cast<Index>(scores.size());
    row.weights.assign(scores.begin(), scores.end());
    for (float& score : row.weights) score /= temperature;
    row.hard.resize(scores.size());
    largest_alone(scores.data(), row.hard.data(), count);
    softmax(row.weights.data(), row.weights.data(), count);
    const auto one = std::ranges::find(row.hard, 1.0F);
    if (one != row.hard.end()) row.largest = one - row.hard.begin();
    row.entropy = entropy(row.weights.data(), count);
    return row;
}

std::vector<Index> largest_scores(std::span<const float> scores, Index most) {
    std::vector<Index> places(scores.size());
    std::iota(places.begin(), places.end(), Index{0});
    if (static_cast<Index>(places.size()) <= most) return places;
    const auto larger = [&](Index a, Index b) {
        const float one = scores[static_cast<std::size_t>(a)],
                    other = scores[static_cast<std::size_t>(b)];
        return one != other ? one > other : a < b;
    };
    std::ranges::partial_sort(places, places.begin() + most, larger);
    places.resize(static_cast<std::size_t>(most));
    std::ranges::sort(places);
    return places;
}

}  // namespace headlight
