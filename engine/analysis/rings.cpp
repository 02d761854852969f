#include "analysis/rings.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace headlight {

namespace {

using std::to_string;

Index ring_of(double dx, double dy) { return static_cast<Index>(std::lround(std::hypot(dx, dy))); }

}  // namespace

RingSums::RingSums(const TokenLayout& layout, const PatchGrid& grid, Index heads)
    : layout_(layout), mass_(static_cast<std::size_t>(heads)) {
    if (grid.count() != layout.patches)
        throw AnalysisError("Expected a place for each of " + to_string(layout.patches) +
                            " patches, found a grid of " + to_string(grid.count()) + ".");
    // Patches lie so far apart that one step across or down is 1.
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

void RingSums::add(Index query, const MatrixView& rows) {
    if (rows.rows != static_cast<Index>(mass_.size()) || rows.cols != layout_.count())
        throw AnalysisError("Expected a row of " + to_string(layout_.count()) +
                            " tokens for each of " + to_string(mass_.size()) + " heads, found [" +
                            to_string(rows.rows) + ", " + to_string(rows.cols) + "].");
    const Index prefix = layout_.prefix();
    if (query < prefix) return;
    ++queries_;
    const auto from = static_cast<std::size_t>(query - prefix);
    for (Index patch = 0; patch < layout_.patches; ++patch) {
        const auto to = static_cast<std::size_t>(patch);
        const auto ring = static_cast<std::size_t>(ring_of(x_[to] - x_[from], y_[to] - y_[from]));
        even_[ring] += 1.0 / static_cast<double>(layout_.count());
        for (Index h = 0; h < rows.rows; ++h)
            mass_[static_cast<std::size_t>(h)][ring] += rows(h, prefix + patch);
    }
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
