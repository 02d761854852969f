#pragma once

#include <cstddef>
#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"

// Hierarchical clustering.
namespace headlight {

struct Clusters {
    std::vector<std::size_t> order;  // all items; clusters that were merged early are contiguous
    std::vector<int> group;          // group of each item, counted from 0 in that order
    int groups = 0;
    // Per position in the order: the mean distance at which the items just before and from this
    // position on were merged into one cluster; 0 for the first position.
    std::vector<float> height;
};

// Agglomerative clustering with average linkage (UPGMA; Sokal and Michener, "A statistical method
// for evaluating systematic relationships", 1958). It repeatedly merges the two clusters with the
// smallest mean distance between members, until one is left. Items merged at a mean distance of at
// most `farthest` form a group. Ties go to the first pair in reading order. Of two merged clusters,
// the one with the smaller first member comes first.
//
// distances [n, n], symmetric; the diagonal is ignored. O(n³). Throws AnalysisError if the matrix
// is not square or has NaN, Stopped on a stop request.
Clusters clusters_of(Matrix distances, double farthest, const StopFlag& stop = {});

}  // namespace headlight
