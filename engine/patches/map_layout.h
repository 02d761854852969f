#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/matrix.h"

// Attention maps without a model say how many tokens there are, but not how the patches lie. The
// picture tells, or a person.
namespace headlight {

struct GridSize {
    int rows = 0, cols = 0;

    friend bool operator==(const GridSize&, const GridSize&) = default;
};
std::string grid_text(const GridSize& grid);                // "15x20"
std::optional<GridSize> parse_grid(std::string_view text);  // "15x20", "15 × 20"; both at least 1

struct PictureSize {
    int height = 0, width = 0;
};

// So many tokens that are no patches, then the patches row by row.
struct MapLayout {
    GridSize grid;
    int before = 0;
    std::string why;  // what speaks for it: "patches of 16 × 16 pixels fill the picture"
    double cost = 0;  // the less, the likelier

    // "15 × 20 after 1 other token"
    [[nodiscard]] std::string words() const;
};

// What a person, a config or the file itself says.
struct GivenLayout {
    std::optional<GridSize> grid;
    std::optional<int> before;

    friend bool operator==(const GivenLayout&, const GivenLayout&) = default;
};

// Without being told, no more tokens than these are tried before the patches. DINOv2 and DINOv3
// have 5, UNI2-h has 9.
inline constexpr int kMostTokensBefore = 16;

// Throws PatchError, with the numbers, where `tokens` cannot be laid out as given.
void expect_possible(Index tokens, const GivenLayout& given);

// All layouts of so many tokens that agree with what is given and fit the picture, the likeliest
// first: whole patches of a usual size that fill the picture, then such patches with a border cut
// off, a square that published models have, the picture's aspect, padded patches, any other square,
// nearly the picture's aspect. The number of tokens before the patches counts too: a grid that fits
// only after 8, 9, 16 or an unusual number comes behind a published square after 0, 1, 2, 4 or 5,
// even where its patches fill the picture. map_layout.cpp has the whole rule. Without a picture
// only squares are tried. A grid that is given always fits.
std::vector<MapLayout> map_layouts(Index tokens, const GivenLayout& given,
                                   const std::optional<PictureSize>& picture);

// Of those, the ones nearly as likely as the first, without it: at most three.
std::vector<MapLayout> other_layouts(const std::vector<MapLayout>& fitting);

}  // namespace headlight
