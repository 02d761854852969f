#pragma once

#include <array>
#include <vector>

#include "kernels/matrix.h"
#include "patches/token_grid.h"

namespace headlight {

// Windows of the token grid, as in Swin ("Swin Transformer: Hierarchical Vision Transformer using
// Shifted Windows", arXiv 2103.14030, section 3.2): a token reads those of its window alone.
// Shifted ones begin `shift` rows and columns later; what is left over at the edges shares windows,
// round the picture, with what it does not touch, and −100 is added to such a pair's score.
struct Window {
    int size = 0;  // tokens from edge to edge; 0: there are no windows
    int shift = 0;
    // A grid that is one window high is not shifted down, and one that is one window wide not
    // across. Microsoft's code and Hugging Face's do neither where either is so.
    bool shifts_together = false;

    [[nodiscard]] bool exists() const { return size > 0; }
    friend bool operator==(const Window&, const Window&) = default;
};

// Whether so many tokens can be cut into whole windows.
bool fits(const Window& window, int rows, int cols);

// Windows laid over a grid.
class Windows {
  public:
    static constexpr float kApart = -100;  // of two regions

    // Throws AttentionError: tokens that do not lie in a grid of whole windows, or tokens before
    // the patches, which belong to no window.
    Windows(const Window& window, const TokenGrid& places);

    // Where a token lies: its window, its place there, and which of the regions that touch.
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
    // Of two that share a window.
    [[nodiscard]] bool are_apart(Index query, Index key) const {
        return of(query).region != of(key).region;
    }
    // The row of the table of biases that says how the query lies to the key, which share a window.
    [[nodiscard]] Index offset(Index query, Index key) const;

    // Calls body(key, offset, whether it is apart) for those in the query's window.
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
