#include "analysis/mass.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headlight {

std::vector<bool> smallest_set(const MatrixView& map, double part) {
    std::vector<float> cells;
    for (Index r = 0; r < map.rows; ++r)
        cells.insert(cells.end(), map.row(r), map.row(r) + map.cols);
    std::vector<bool> chosen(cells.size(), false);
    const double whole = std::accumulate(cells.begin(), cells.end(), 0.0);
    if (!std::isfinite(whole) || whole <= 0) return chosen;
    std::vector<std::size_t> order(cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return cells[i]; });
    double held = 0;
    for (const std::size_t i : order) {
        if (held >= part * whole || cells[i] <= 0) break;
        chosen[i] = true;
        held += cells[i];
    }
    return chosen;
}

}  // namespace headlight
