#pragma once

#include <cstddef>
#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"

// Things that are alike, put together.
namespace headlight {

struct Clusters {
    std::vector<std::size_t> order;  // all of them; those that were joined early stand together
    std::vector<int> group;          // of each: counted from 0 in that order
    int groups = 0;
    // By place in the order: the mean distance at which what stands before it and what stands from
    // it on became one cluster; of the first, which nothing stands before, 0.
    std::vector<float> height;
};

// Agglomerative clustering with average linkage (UPGMA; Sokal and Michener, "A statistical method
// for evaluating systematic relationships", 1958): the two clusters whose members are the least
// apart on average become one, until all are. What has been joined at a mean distance of at most
// `farthest` is one group. Of equal distances the first pair in reading order is taken; of two
// clusters that are joined, that with the smaller first member stands first.
//
// distances [n, n], symmetric; the diagonal is not read. O(n³). Throws AnalysisError where they are
// not square or not numbers, Stopped when told to stop.
Clusters clusters_of(Matrix distances, double farthest, const StopFlag& stop = {});

}  // namespace headlight
