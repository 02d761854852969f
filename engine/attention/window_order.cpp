#include "attention/window_order.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace headlight {

std::vector<Index> tokens_by_window(const Windows& windows, Index tokens) {
    std::vector<std::array<int, 4>> places;
    for (Index token = 0; token < tokens; ++token) {
        const Windows::Place at = windows.of(token);
        places.push_back({at.window[0], at.window[1], at.within[0], at.within[1]});
    }
    std::vector<Index> order(places.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, {},
                      [&](Index token) { return places[static_cast<std::size_t>(token)]; });
    return order;
}

}  // namespace headlight
