#include "analysis/rings.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/parallel.h"

namespace headlight {

namespace {

using std::to_string;

int ring_of(double dx, double dy) { return static_cast<int>(std::lround(std::hypot(dx, dy))); }

}  // namespace

RingSums::RingSums(const TokenLayout& layout, const PatchGrid& grid, Index heads)
    : layout_(layout), mass_(static_cast<std::size_t>(heads)) {
    if (grid.count() != layout.patches)
        throw AnalysisError("Expected a place for each of " + to_string(layout.patches) +
                            " patches, found a grid of " + to_string(grid.count()) + ".");
    // The unit is the stride, so that adjacent patches are 1 apart.
    const double stride = std::max(1, grid.settings.stride);
    for (int patch = 0; patch < grid.count(); ++patch) {
        const PixelRect rect = grid.rect(patch);
        x_.push_back((rect.col + 0.5 * rect.width) / stride);
        y_.push_back((rect.row + 0.5 * rect.height) / stride);
    }
    if (!x_.empty()) {
        const auto [left, right] = std::minmax_element(x_.begin(), x_.end());
        const auto [top, bottom] = std::minmax_element(y_.begin(), y_.end());
        rings_ = ring_of(*right - *left, *bottom - *top) + 1;
    }
    even_.assign(static_cast<std::size_t>(rings_), 0);
    for (auto& rings : mass_) rings.assign(static_cast<std::size_t>(rings_), 0);
}

RingSums::Rings RingSums::around(Index patch) const {
    const auto from = static_cast<std::size_t>(patch);
    Rings rings(x_.size());
    for (std::size_t to = 0; to < rings.size(); ++to)
        rings[to] = ring_of(x_[to] - x_[from], y_[to] - y_[from]);
    return rings;
}

void RingSums::add(Index first, const MatrixView& rows) {
    const auto heads = static_cast<Index>(mass_.size());
    if (heads == 0 || rows.rows % heads != 0 || rows.cols != layout_.count() || first < 0 ||
        first + rows.rows / heads > layout_.count())
        throw AnalysisError("Expected rows of " + to_string(layout_.count()) +
                            " tokens from query " + to_string(first) + " on, as many for each of " +
                            to_string(heads) + " heads, found [" + to_string(rows.rows) + ", " +
                            to_string(rows.cols) + "].");
    const Index prefix = layout_.prefix(), count = rows.rows / heads,
                passed = std::clamp<Index>(prefix - first, 0, count);
    std::vector<Rings> rings(static_cast<std::size_t>(count - passed));
    parallel_for(count - passed, [&](Index i) {
        rings[static_cast<std::size_t>(i)] = around(first + passed + i - prefix);
    });
    queries_ += count - passed;
    for (const Rings& of_query : rings)
        for (const int ring : of_query)
            even_[static_cast<std::size_t>(ring)] += 1.0 / static_cast<double>(layout_.count());
    parallel_for(heads, [&](Index h) {
        std::vector<double>& mass = mass_[static_cast<std::size_t>(h)];
        for (std::size_t i = 0; i < rings.size(); ++i) {
            const float* cells = rows.row(h * count + passed + static_cast<Index>(i)) + prefix;
            for (std::size_t patch = 0; patch < rings[i].size(); ++patch)
                mass[static_cast<std::size_t>(rings[i][patch])] += cells[patch];
        }
    });
}

std::vector<RingProfile> RingSums::means() const {
    const auto mean = [&](std::vector<double> sums) {
        for (double& sum : sums) sum /= static_cast<double>(queries_);
        return sums;
    };
    std::vector<RingProfile> profiles;
    for (const auto& sums : mass_) profiles.push_back({mean(sums), mean(even_)});
    return profiles;
}

}  // namespace headlight
