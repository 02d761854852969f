#include "attention/window.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "attention/error.h"
#include "kernels/counted.h"

namespace headlight {

namespace {

std::string by(int rows, int cols) { return std::to_string(rows) + " × " + std::to_string(cols); }

}  // namespace

bool fits(const Window& window, int rows, int cols) {
    return rows >= window.size && cols >= window.size && rows % window.size == 0 &&
           cols % window.size == 0;
}

Windows::Windows(const Window& window, const TokenGrid& places)
    : size_(window.size), extent_{places.rows, places.cols}, shift_{} {
    const std::string other =
        places.prefix > 0 ? ", with " + counted(places.prefix, "other token") : "";
    if (!places.are_known() || places.prefix > 0 || !fits(window, places.rows, places.cols))
        throw AttentionError("Windows of " + by(size_, size_) +
                             " tokens need a grid that they fill exactly, without other tokens. " +
                             (places.are_known()
                                  ? "The grid here is " + by(places.rows, places.cols) + other + "."
                                  : "These tokens have no known grid."));
    const bool one_high = extent_[0] == size_, one_wide = extent_[1] == size_;
    const bool neither = window.shifts_together && (one_high || one_wide);
    shift_[0] = one_high || neither ? 0 : window.shift;
    shift_[1] = one_wide || neither ? 0 : window.shift;
}

// Positions in the grid rolled up and to the left by the shift, as in the authors' code.
Windows::Place Windows::of(Index token) const {
    const std::array<int, 2> at{static_cast<int>(token) / extent_[1],
                                static_cast<int>(token) % extent_[1]};
    Place place;
    for (std::size_t i = 0; i < 2; ++i) {
        const int rolled = (at[i] - shift_[i] + extent_[i]) % extent_[i];
        place.window[i] = rolled / size_;
        place.within[i] = rolled % size_;
        if (shift_[i] > 0 && at[i] < shift_[i]) place.region[i] = 1;  // wrapped around
    }
    return place;
}

Index Windows::offset(Index query, Index key) const { return offset(of(query), of(key).within); }

Index Windows::token(std::array<int, 2> window, std::array<int, 2> within) const {
    std::array<int, 2> at{};
    for (std::size_t i = 0; i < 2; ++i)
        at[i] = (window[i] * size_ + within[i] + shift_[i]) % extent_[i];
    return Index{at[0]} * extent_[1] + at[1];
}

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
