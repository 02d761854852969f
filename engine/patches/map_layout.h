#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/matrix.h"

// Layouts of attention maps without a model. The maps tell how many tokens there are, but not how
// the patches are arranged. The picture or the user supplies that.
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

// Some tokens before the patches, then the patches row by row.
struct MapLayout {
    GridSize grid;
    int before = 0;
    std::string why;  // the reason: "patches of 16 × 16 pixels fill the picture"
    double cost = 0;  // lower is likelier

    // "15 × 20 after 1 other token"
    [[nodiscard]] std::string words() const;
};

// What the user, a config or the file itself specifies.
struct GivenLayout {
    std::optional<GridSize> grid;
    std::optional<int> before;

    friend bool operator==(const GivenLayout&, const GivenLayout&) = default;
};

// Unless specified, at most this many tokens before the patches are tried. DINOv2 and DINOv3 have
// 5, UNI2-h has 9.
inline constexpr int kMostTokensBefore = 16;

// Throws PatchError, with the numbers, if `tokens` cannot be laid out as given.
void expect_possible(Index tokens, const GivenLayout& given);

// All layouts of `tokens` tokens that agree with `given` and fit the picture, likeliest first. In
// this order: whole patches of a usual size that fill the picture; such patches with a border cut
// off; a square of published models; the picture's aspect; padded patches; any other square; nearly
// the picture's aspect. The number of tokens before the patches also counts. A grid that only fits
// after 8, 9, 16 or an unusual number of tokens comes after a published square with 0, 1, 2, 4 or
// 5, even if its patches fill the picture. map_layout.cpp has the full rule. Without a picture,
// only squares are tried. A given grid always fits.
std::vector<MapLayout> map_layouts(Index tokens, const GivenLayout& given,
                                   const std::optional<PictureSize>& picture);

// The layouts nearly as likely as the first, without the first; at most three.
std::vector<MapLayout> other_layouts(const std::vector<MapLayout>& fitting);

}  // namespace headlight
