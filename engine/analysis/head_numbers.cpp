#include "analysis/head_numbers.h"

#include <algorithm>
#include <string>

#include "analysis/statistics.h"
#include "kernels/parallel.h"
#include "kernels/sum.h"

namespace headlight {

namespace {

using std::to_string;
using Numbers = Eigen::Array<float, 1, Eigen::Dynamic>;
using Row = Eigen::Map<const Numbers>;

constexpr Index kQueriesAtOnce = 32;

// Where the patches' centres lie, in pixels.
class Centres {
  public:
    explicit Centres(const PatchGrid& grid)
        : rows_(grid.rows), cols_(grid.cols), x_(grid.count()), y_(grid.count()) {
        for (int patch = 0; patch < grid.count(); ++patch) {
            const PixelRect rect = grid.rect(patch);
            x_[patch] = static_cast<float>(rect.col) + 0.5F * static_cast<float>(rect.width);
            y_[patch] = static_cast<float>(rect.row) + 0.5F * static_cast<float>(rect.height);
        }
    }
    [[nodiscard]] bool known() const { return x_.size() > 0; }
    // From one patch to all.
    [[nodiscard]] Numbers distances(Index patch) const {
        return ((x_ - x_[patch]).square() + (y_ - y_[patch]).square()).sqrt();
    }

    // What a patch gives, of the shares of all patches, to those around it.
    [[nodiscard]] double around(const float* patches, Index patch) const {
        const Index row = patch / cols_, col = patch % cols_;
        double mass = 0;
        for (Index r = std::max<Index>(row - 1, 0); r <= std::min(row + 1, rows_ - 1); ++r)
            for (Index c = std::max<Index>(col - 1, 0); c <= std::min(col + 1, cols_ - 1); ++c)
                if (r != row || c != col) mass += patches[r * cols_ + c];
        return mass;
    }

  private:
    Index rows_, cols_;
    Numbers x_, y_;
};

// In float cell by cell, which the processor does many at a time; the sums in double.
double sum(const float* cells, Index count) {
    return sum_of(count, [=](Index i) { return cells[i]; });
}

// Sums over queries, to become means.
struct Sums {
    HeadNumbers numbers{.distance = 0, .neighbour_mass = 0};
    Index queries = 0, placed = 0, with_distance = 0;

    // `row` holds a query's attention; `distances` from it to all patches, empty for a query that
    // lies nowhere.
    void add(const Row& row, Index query, const TokenLayout& layout, const Centres& centres,
             const Numbers& distances);
    void add(const Sums& other);
    [[nodiscard]] HeadNumbers mean() const;
};

void Sums::add(const Row& row, Index query, const TokenLayout& layout, const Centres& centres,
               const Numbers& distances) {
    ++queries;
    const float* p = row.data();
    numbers.entropy += entropy(p, row.size());
    const Index distillation = layout.class_tokens,
                registers = distillation + layout.distillation_tokens;
    numbers.class_mass += sum(p, layout.class_tokens);
    numbers.distillation_mass += sum(p + distillation, layout.distillation_tokens);
    numbers.register_mass += sum(p + registers, layout.registers);
    numbers.self_mass += row[query];
    if (distances.size() == 0) return;
    const float *patches = p + layout.prefix(), *d = distances.data();
    ++placed;
    numbers.neighbour_mass += centres.around(patches, query - layout.prefix());
    const double reads = sum(patches, layout.patches);
    if (reads == 0) {
        ++numbers.without_distance;
    } else {
        ++with_distance;
        numbers.distance +=
            sum_of(layout.patches, [=](Index i) { return patches[i] * d[i]; }) / reads;
    }
}

void Sums::add(const Sums& other) {
    queries += other.queries;
    placed += other.placed;
    with_distance += other.with_distance;
    numbers.entropy += other.numbers.entropy;
    numbers.distance += other.numbers.distance;
    numbers.without_distance += other.numbers.without_distance;
    numbers.class_mass += other.numbers.class_mass;
    numbers.distillation_mass += other.numbers.distillation_mass;
    numbers.register_mass += other.numbers.register_mass;
    numbers.self_mass += other.numbers.self_mass;
    numbers.neighbour_mass += other.numbers.neighbour_mass;
}

HeadNumbers Sums::mean() const {
    HeadNumbers mean = numbers;
    const auto count = static_cast<double>(queries);
    for (double* number : {&mean.entropy, &mean.class_mass, &mean.distillation_mass,
                           &mean.register_mass, &mean.self_mass})
        *number /= count;
    mean.neighbour_mass /= static_cast<double>(placed);
    mean.distance /= static_cast<double>(with_distance);  // 0 / 0 where there is none: NaN
    return mean;
}

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

// Adds one query's rows to the heads' sums.
void add_query(std::vector<Sums>& heads, const MatrixView& attention, Index query,
               const TokenLayout& layout, const Centres& centres) {
    const bool placed = centres.known() && query >= layout.prefix();
    const Numbers distances = placed ? centres.distances(query - layout.prefix()) : Numbers();
    for (Index h = 0; h < static_cast<Index>(heads.size()); ++h)
        heads[static_cast<std::size_t>(h)].add(
            Row(attention.row(h * attention.cols + query), attention.cols), query, layout, centres,
            distances);
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
    const Centres centres(grid);
    const Index queries = attention.cols;
    // Blocks of queries, not heads, are shared among the threads: a query's distances serve all
    // heads. Each block sums for itself, and the blocks are added in order.
    const auto blocks = static_cast<std::size_t>((queries + kQueriesAtOnce - 1) / kQueriesAtOnce);
    const std::vector<Sums> nothing(static_cast<std::size_t>(heads));
    std::vector<std::vector<Sums>> parts(blocks, nothing);
    parallel_rows(queries, kQueriesAtOnce, [&](Index first, Index rows) {
        throw_if_stopped(stop);
        std::vector<Sums>& part = parts[static_cast<std::size_t>(first / kQueriesAtOnce)];
        for (Index query = first; query < first + rows; ++query)
            add_query(part, attention, query, layout, centres);
    });
    std::vector<Sums> all = nothing;
    for (const std::vector<Sums>& part : parts)
        for (std::size_t h = 0; h < all.size(); ++h) all[h].add(part[h]);
    return means(all);
}

}  // namespace headlight
