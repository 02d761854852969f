#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/matrix.h"

namespace headlight {

class OrderError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Changes to the order of a picture's patches, or of a row of words. They are applied in this
// order: mirror, shift, shuffle, exchange.
struct PatchOrder {
    bool mirrored = false;    // left to right; the patches themselves are not mirrored
    int down = 0, right = 0;  // cyclic shift, in places
    std::uint64_t seed = 0;   // seed of a shuffle; 0: no shuffle
    int few = 0;              // shuffle only this many patches, drawn from the seed; 0: all
    // Pairs of places whose patches are exchanged, one pair after the other.
    std::vector<std::pair<int, int>> exchanged{};

    [[nodiscard]] bool in_order() const { return *this == PatchOrder(); }
    friend bool operator==(const PatchOrder&, const PatchOrder&) = default;
};

// A permutation of 0 to count − 1 drawn from the seed; the same on every machine.
std::vector<Index> drawn_order(Index count, std::uint64_t seed);

// The patch at each place of rows × cols: a permutation. Throws OrderError if a place to be
// exchanged does not exist.
std::vector<Index> order_of(const PatchOrder& order, int rows, int cols);

// The form that to_text() writes and order_from_text() accepts, in words.
inline constexpr std::string_view kOrderForm =
    "none, or changes such as \"mirrored + shifted 0 1 + seed 3 of 12 + exchanged 3-17\", each at "
    "most once and in this order; exchanged needs two different places";
// The largest place, shift or seed that can be set.
inline constexpr int kMostOfOrder = 999'999;

// "none", or the changes, as "mirrored + shifted 0 1 + seed 3 of 12 + exchanged 3-17 4-9". The
// shift is down, then right; without "of" all patches are shuffled. Places count from 0.
std::string to_text(const PatchOrder& order);
// Throws OrderError: what was expected, what was found. Refuses repeated changes and changes in
// another order, because they would be applied differently than written.
PatchOrder order_from_text(const std::string& text);

}  // namespace headlight
