#include "analysis/head_numbers.h"

#include <array>
#include <string>

#include "kernels/parallel.h"

namespace headlight {

namespace {

using std::to_string;
using Numbers = Eigen::Array<float, 1, Eigen::Dynamic>;

constexpr Index kQueriesAtOnce = 32;

// The centers of the patches, in pixels.
class Centers {
  public:
    explicit Centers(const PatchGrid& grid) : x_(grid.count()), y_(grid.count()) {
        for (int patch = 0; patch < grid.count(); ++patch) {
            const PixelRect rect = grid.rect(patch);
            x_[patch] = static_cast<float>(rect.col) + 0.5F * static_cast<float>(rect.width);
            y_[patch] = static_cast<float>(rect.row) + 0.5F * static_cast<float>(rect.height);
        }
    }
    [[nodiscard]] bool known() const { return x_.size() > 0; }
    // Distances from one patch to all patches.
    [[nodiscard]] Numbers distances(Index patch) const {
        return ((x_ - x_[patch]).square() + (y_ - y_[patch]).square()).sqrt();
    }

  private:
    Numbers x_, y_;
};

// Sums over the queries that have a value, for the means.
struct Sums {
    std::array<double, kRunMeasures> sum{};
    std::array<Index, kRunMeasures> count{};

    void add(const AttentionRow& row) {
        std::size_t i = 0;
        for (const HeadMeasureInfo& measure : run_measures()) {
            if (const auto value = measure.of_row(row)) {
                sum.at(i) += *value;
                ++count.at(i);
            }
            ++i;
        }
    }
    void add(const Sums& other) {
        for (std::size_t i = 0; i < kRunMeasures; ++i) {
            sum.at(i) += other.sum.at(i);
            count.at(i) += other.count.at(i);
        }
    }
    [[nodiscard]] HeadNumbers mean() const {
        HeadNumbers mean;
        for (std::size_t i = 0; i < kRunMeasures; ++i)
            mean.at(i) = sum.at(i) / static_cast<double>(count.at(i));  // 0 / 0: NaN
        return mean;
    }
};

void check(const MatrixView& attention, Index heads, const TokenLayout& layout,
           const PatchGrid& grid) {
    if (heads < 1 || attention.rows != heads * attention.cols)
        throw AnalysisError("Expected one square map for each of " + to_string(heads) +
                            " heads, found [" + to_string(attention.rows) + ", " +
                            to_string(attention.cols) + "].");
    if (attention.cols != layout.count())
        throw AnalysisError("Expected attention among " + to_string(layout.count()) +
                            " tokens, found " + to_string(attention.cols) + ".");
    if (grid.count() != 0 && grid.count() != layout.patches)
        throw AnalysisError("Expected a place for each of " + to_string(layout.patches) +
                            " patches, found a grid of " + to_string(grid.count()) + ".");
}

// Adds one query's rows to the sums of all heads.
void add_query(std::vector<Sums>& heads, const MatrixView& attention, Index query,
               const TokenLayout& layout, const PatchGrid& grid, const Centers& centers) {
    const bool placed = centers.known() && query >= layout.prefix();
    const Numbers distances = placed ? centers.distances(query - layout.prefix()) : Numbers();
    const auto n = static_cast<std::size_t>(attention.cols);
    for (std::size_t h = 0; h < heads.size(); ++h)
        heads[h].add({{attention.row(static_cast<Index>(h) * attention.cols + query), n},
                      query,
                      layout,
                      grid,
                      {distances.data(), static_cast<std::size_t>(distances.size())}});
}

std::vector<HeadNumbers> means(const std::vector<Sums>& heads) {
    std::vector<HeadNumbers> numbers;
    numbers.reserve(heads.size());
    for (const Sums& sums : heads) numbers.push_back(sums.mean());
    return numbers;
}

}  // namespace

std::vector<HeadNumbers> head_numbers(const MatrixView& attention, Index heads,
                                      const TokenLayout& layout, const PatchGrid& grid,
                                      const StopFlag& stop) {
    check(attention, heads, layout, grid);
    const Centers centers(grid);
    const Index queries = attention.cols;
    // Threads share blocks of queries, not heads, because a query's distances serve all heads. Each
    // block has its own sums, and the blocks are added in order.
    const auto blocks = static_cast<std::size_t>(ceil_div(queries, kQueriesAtOnce));
    const std::vector<Sums> nothing(static_cast<std::size_t>(heads));
    std::vector<std::vector<Sums>> parts(blocks, nothing);
    parallel_rows(queries, kQueriesAtOnce, [&](Index first, Index rows) {
        throw_if_stopped(stop);
        std::vector<Sums>& part = parts[static_cast<std::size_t>(first / kQueriesAtOnce)];
        for (Index query = first; query < first + rows; ++query)
            add_query(part, attention, query, layout, grid, centers);
    });
    std::vector<Sums> all = nothing;
    for (const std::vector<Sums>& part : parts)
        for (std::size_t h = 0; h < all.size(); ++h) all[h].add(part[h]);
    return means(all);
}

}  // namespace headlight
