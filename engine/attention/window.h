#pragma once

#include <array>
#include <vector>

#include "kernels/matrix.h"
#include "patches/token_grid.h"

namespace headlight {

// Windows of the token grid, as in Swin ("Swin Transformer: Hierarchical Vision Transformer using
// Shifted Windows", arXiv 2103.14030, section 3.2): a token attends only to tokens of its window.
// Shifted windows start `shift` rows and columns later and wrap around at the edges. A wrapped
// window holds tokens that are not neighbors in the picture; −100 is added to the scores of such
// pairs.
struct Window {
    int size = 0;  // tokens along one side; 0: no windows
    int shift = 0;
    // A grid one window high is not shifted down, and a grid one window wide is not shifted across.
    // If true, neither shift happens when either holds, as in Microsoft's code and in Hugging
    // Face's.
    bool shifts_together = false;

    [[nodiscard]] bool exists() const { return size > 0; }
    friend bool operator==(const Window&, const Window&) = default;
};

// True if rows × cols tokens can be cut into whole windows.
bool fits(const Window& window, int rows, int cols);

// Windows laid over a grid.
class Windows {
  public:
    static constexpr float kApart = -100;  // added to scores between different regions

    // Throws AttentionError if the tokens do not form a grid of whole windows, or if tokens before
    // the patches exist, which belong to no window.
    Windows(const Window& window, const TokenGrid& places);

    // Where a token is: its window, its position in the window, and its region of adjacent tokens.
    struct Place {
        std::array<int, 2> window{}, within{}, region{};  // down, across
    };
    [[nodiscard]] Place of(Index token) const;

    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] std::array<int, 2> shift() const { return shift_; }  // down, across
    [[nodiscard]] bool is_shifted() const { return shift_[0] > 0 || shift_[1] > 0; }
    [[nodiscard]] bool share(Index query, Index key) const {
        return of(query).window == of(key).window;
    }
    // For two tokens of one window: whether they are in different regions.
    [[nodiscard]] bool are_apart(Index query, Index key) const {
        return of(query).region != of(key).region;
    }
    // The row of the bias table for the offset from query to key, which share a window.
    [[nodiscard]] Index offset(Index query, Index key) const;

    // Calls body(key, offset, is_apart) for each key in the query's window.
    template <class Body>
    void for_each_of(Index query, const Body& body) const {
        const Place from = of(query);
        for (int row = 0; row < size_; ++row)
            for (int col = 0; col < size_; ++col) {
                const Index key = token(from.window, {row, col});
                body(key, offset(from, {row, col}), of(key).region != from.region);
            }
    }

  private:
    [[nodiscard]] Index token(std::array<int, 2> window, std::array<int, 2> within) const;
    [[nodiscard]] Index offset(const Place& query, std::array<int, 2> key) const {
        const Index across = 2 * Index{size_} - 1;
        return (query.within[0] - key[0] + size_ - 1) * across + query.within[1] - key[1] + size_ -
               1;
    }

    int size_;
    std::array<int, 2> extent_, shift_;  // down, across
};

// The tokens of a grid window by window, row by row of the shifted map, and row by row in each.
std::vector<Index> tokens_by_window(const Windows& windows, Index tokens);

}  // namespace headlight
