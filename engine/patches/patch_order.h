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

// What is done to the order of a picture's patches, or of a row of words. What is said of it is
// done in this order: mirrored, shifted, shuffled, exchanged.
struct PatchOrder {
    bool mirrored = false;    // from right to left, each patch itself as it is
    int down = 0, right = 0;  // shifted by so many places; what goes out comes in on the other side
    std::uint64_t seed = 0;   // shuffled into an order that is drawn from this; 0: not
    int few = 0;              // so many of them alone, drawn from it too; 0: all
    // Places whose patches are exchanged, one pair after the other.
    std::vector<std::pair<int, int>> exchanged{};

    [[nodiscard]] bool in_order() const { return *this == PatchOrder(); }
    friend bool operator==(const PatchOrder&, const PatchOrder&) = default;
};

// The numbers from 0 to count − 1 in an order drawn from the seed; the same on every machine.
std::vector<Index> drawn_order(Index count, std::uint64_t seed);

// Which patch comes to stand in each place of rows × cols: every number once. Throws OrderError for
// a place to be exchanged that there is not.
std::vector<Index> order_of(const PatchOrder& order, int rows, int cols);

// What to_text() writes and order_from_text() takes, in words.
inline constexpr std::string_view kOrderForm =
    "none, or changes such as \"mirrored + shifted 0 1 + seed 3 of 12 + exchanged 3-17\", each at "
    "most once and in this order; exchanged needs two different places";
// The largest place, shift or seed that a person may ask for.
inline constexpr int kMostOfOrder = 999'999;

// "none", or what is done, as "mirrored + shifted 0 1 + seed 3 of 12 + exchanged 3-17 4-9": the
// shift down, then to the right; without "of" all are shuffled. Places are counted from 0.
std::string to_text(const PatchOrder& order);
// Throws OrderError: what was expected, what was found. What is said twice, or not in the order in
// which it is done, is refused: it would do something else than it says.
PatchOrder order_from_text(const std::string& text);

}  // namespace headlight
