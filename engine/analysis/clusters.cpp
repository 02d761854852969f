#include "analysis/clusters.h"

#include <limits>
#include <numeric>

namespace headlight {

namespace {

using Members = std::vector<std::size_t>;  // in the order of the clustering

struct Pair {
    Index a = 0, b = 0;  // a < b
    float distance = std::numeric_limits<float>::infinity();
};

// The pair of clusters with the smallest distance. Clusters that were merged into another have no
// members.
Pair closest(const Matrix& distances, const std::vector<Members>& clusters) {
    Pair best;
    for (Index a = 0; a < distances.rows(); ++a) {
        if (clusters[static_cast<std::size_t>(a)].empty()) continue;
        for (Index b = a + 1; b < distances.cols(); ++b)
            if (!clusters[static_cast<std::size_t>(b)].empty() &&
                (best.b == 0 || distances(a, b) < best.distance))
                best = {a, b, distances(a, b)};
    }
    return best;
}

// Appends b's members to a's and updates the mean distances to all others: Lance and Williams, "A
// general theory of classificatory sorting strategies", 1967.
void join(const Pair& pair, Matrix& distances, std::vector<Members>& clusters) {
    Members& a = clusters[static_cast<std::size_t>(pair.a)];
    Members& b = clusters[static_cast<std::size_t>(pair.b)];
    const auto in_a = static_cast<float>(a.size()), in_b = static_cast<float>(b.size());
    const Vector mean =
        (distances.row(pair.a) * in_a + distances.row(pair.b) * in_b) / (in_a + in_b);
    distances.row(pair.a) = mean;
    distances.col(pair.a) = mean.transpose();
    a.insert(a.end(), b.begin(), b.end());
    b.clear();
}

void number_groups(const std::vector<Members>& clusters, std::vector<int>& group) {
    for (std::size_t c = 0; c < clusters.size(); ++c)
        for (const std::size_t member : clusters[c]) group[member] = static_cast<int>(c);
}

// Renumbers the groups from 0 in the order of the clustering.
void count_groups(Clusters& found) {
    std::vector<int> numbers(found.group.size(), -1);
    for (const std::size_t member : found.order) {
        int& number = numbers[static_cast<std::size_t>(found.group[member])];
        if (number < 0) number = found.groups++;
        found.group[member] = number;
    }
}

}  // namespace

Clusters clusters_of(Matrix distances, double farthest, const StopFlag& stop) {
    if (distances.rows() != distances.cols() || distances.hasNaN())
        throw AnalysisError("Clusters need a square matrix of finite distances.");
    const auto count = static_cast<std::size_t>(distances.rows());
    std::vector<Members> clusters(count);
    for (std::size_t i = 0; i < count; ++i) clusters[i] = {i};
    Clusters found;
    found.group.resize(count);
    std::iota(found.group.begin(), found.group.end(), 0);
    std::vector<float> heights(count, 0);  // per item: height of the merge before it in the order
    bool near = true;                      // distances only grow from merge to merge, up to
                                           // rounding error
    for (std::size_t joined = 1; joined < count; ++joined) {
        throw_if_stopped(stop);
        const Pair pair = closest(distances, clusters);
        heights[clusters[static_cast<std::size_t>(pair.b)].front()] = pair.distance;
        join(pair, distances, clusters);
        near = near && pair.distance <= farthest;
        if (near) number_groups(clusters, found.group);
    }
    if (count > 0) found.order = clusters.front();
    for (const std::size_t member : found.order) found.height.push_back(heights[member]);
    count_groups(found);
    return found;
}

}  // namespace headlight
