#include "analysis/clusters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "naive.h"

// Compares clusters of heads with the definition.
namespace headlight::clusters_test {
namespace {

using Group = std::set<std::size_t>;

Matrix symmetric(Index count, std::uint32_t seed) {
    const Matrix some = naive::random_matrix(count, count, seed).cwiseAbs();
    return some + some.transpose();
}

double mean_distance(const Matrix& distances, const Group& a, const Group& b) {
    double sum = 0;
    for (const std::size_t i : a)
        for (const std::size_t j : b)
            sum += distances(static_cast<Index>(i), static_cast<Index>(j));
    return sum / static_cast<double>(a.size() * b.size());
}

// Merges the closest two by average linkage until none is close enough.
std::set<Group> naive_groups(const Matrix& distances, double farthest) {
    std::vector<Group> groups;
    for (Index i = 0; i < distances.rows(); ++i) groups.push_back({static_cast<std::size_t>(i)});
    while (groups.size() > 1) {
        std::size_t a = 0, b = 1;
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (std::size_t j = i + 1; j < groups.size(); ++j)
                if (mean_distance(distances, groups[i], groups[j]) <
                    mean_distance(distances, groups[a], groups[b]))
                    a = i, b = j;
        if (mean_distance(distances, groups[a], groups[b]) > farthest) break;
        groups[a].insert(groups[b].begin(), groups[b].end());
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
    }
    return {groups.begin(), groups.end()};
}

std::set<Group> groups_of(const Clusters& clusters) {
    std::vector<Group> groups(static_cast<std::size_t>(clusters.groups));
    for (std::size_t i = 0; i < clusters.group.size(); ++i)
        groups.at(static_cast<std::size_t>(clusters.group[i])).insert(i);
    return {groups.begin(), groups.end()};
}

// The mean over all pairs between the cluster before a place in the order and the cluster from it
// on, at the time when they were merged.
TEST(Clusters, say_at_which_distance_they_were_joined) {
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
        const Matrix distances = symmetric(12, seed);
        const Clusters found = clusters_of(distances, 0.6);
        ASSERT_EQ(found.height.size(), 12U);
        EXPECT_EQ(found.height[0], 0);
        for (std::size_t at = 1; at < 12; ++at) {
            // Both extend over places merged at no greater distance.
            Group before, after;
            for (std::size_t i = at; i-- > 0;) {
                before.insert(found.order[i]);
                if (found.height[i] > found.height[at]) break;
            }
            for (std::size_t i = at; i < 12; ++i) {
                if (i > at && found.height[i] > found.height[at]) break;
                after.insert(found.order[i]);
            }
            EXPECT_NEAR(found.height[at], mean_distance(distances, before, after), 1e-5);
        }
    }
}

TEST(Clusters, join_the_closest_on_average) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const Matrix distances = symmetric(3 + seed, seed);
        for (const double farthest : {0.2, 0.6, 0.9, 1.2})
            EXPECT_EQ(groups_of(clusters_of(distances, farthest)),
                      naive_groups(distances, farthest))
                << seed << ", " << farthest;
    }
}

TEST(Clusters, stand_together_in_the_order_and_are_counted_in_it) {
    const Clusters found = clusters_of(symmetric(30, 5), 0.8);
    std::vector<std::size_t> all = found.order;
    std::ranges::sort(all);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
    std::vector<int> groups;
    for (const std::size_t i : found.order) groups.push_back(found.group[i]);
    EXPECT_TRUE(std::ranges::is_sorted(groups));
    EXPECT_EQ(groups.front(), 0);
    EXPECT_EQ(groups.back(), found.groups - 1);
    EXPECT_GT(found.groups, 1);
    EXPECT_LT(found.groups, 30);
}

TEST(Clusters, of_none_and_of_one) {
    EXPECT_EQ(clusters_of(Matrix(0, 0), 1).groups, 0);
    const Clusters one = clusters_of(Matrix::Zero(1, 1), 1);
    EXPECT_EQ(one.groups, 1);
    EXPECT_EQ(one.order, std::vector<std::size_t>{0});
}

TEST(Clusters, refuse_what_is_no_distance) {
    EXPECT_THROW(clusters_of(Matrix::Zero(2, 3), 1), AnalysisError);
    Matrix distances = symmetric(3, 1);
    distances(0, 2) = naive::kNaN;
    EXPECT_THROW(clusters_of(distances, 1), AnalysisError);
    EXPECT_THROW(clusters_of(symmetric(3, 1), 1, [] { return true; }), Stopped);
}

}  // namespace
}  // namespace headlight::clusters_test
