#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/image.h"
#include "image/preprocessing.h"
#include "patches/patches.h"

// A region of a picture, such as an object, as a set of patches.
namespace headlight {

struct Region {
    int rows = 0, cols = 0;    // the grid that it was drawn on
    std::vector<int> patches;  // indices from 0, row by row, ascending

    [[nodiscard]] bool empty() const { return patches.empty(); }
    [[nodiscard]] bool contains(int patch) const;

    friend bool operator==(const Region&, const Region&) = default;
};

// The same region on another grid over the same picture: the patches whose centers are in the
// region.
Region region_on(const Region& region, int rows, int cols);

// The region with patches `first` to `last` added (inside) or removed. The grid must contain them.
Region with_patches(Region region, int first, int last, bool inside);
// All patches of the rectangle with these two patches at opposite corners.
Region rectangle_region(int rows, int cols, int corner, int opposite);

// Text form "3-9,17" and its inverse, which returns nothing if the text is invalid or names a patch
// outside the grid.
std::string text_of_patches(const Region& region);
std::optional<Region> region_from_text(std::string_view text, int rows, int cols);

// The patches at least half inside a mask. A pixel is inside if its largest channel is more than
// half of the mask's largest value, so masks of 0 and 1 and of 0 and 255 are equivalent. mask: as
// large as the picture before preprocessing by `how`, [height, width]. name: the mask's file, for
// errors. Throws ImageError for a mask of another size, or if there is no such patch.
Region region_of_mask(const Image& mask, const std::string& name, int height, int width,
                      const Preprocessing& how, const PatchGrid& grid);

}  // namespace headlight
