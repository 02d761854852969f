#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/image.h"
#include "image/preprocessing.h"
#include "patches/patches.h"

// A region of a picture, such as an object: the patches that lie inside it.
namespace headlight {

struct Region {
    int rows = 0, cols = 0;    // of the grid that it was drawn on
    std::vector<int> patches;  // row by row from 0, ascending

    [[nodiscard]] bool empty() const { return patches.empty(); }
    [[nodiscard]] bool contains(int patch) const;

    friend bool operator==(const Region&, const Region&) = default;
};

// The same region on a grid of other patches: those whose centers lie in one of its patches, with
// both grids spread over the same picture.
Region region_on(const Region& region, int rows, int cols);

// With these patches inside, or outside; `first` to `last`, which the grid has.
Region with_patches(Region region, int first, int last, bool inside);
// All patches of the rectangle that has two patches as opposite corners.
Region rectangle_region(int rows, int cols, int corner, int opposite);

// "3-9,17", and back. Nothing where the text is not that, or names a patch that the grid lacks.
std::string text_of_patches(const Region& region);
std::optional<Region> region_from_text(std::string_view text, int rows, int cols);

// The patches of which at least half lies inside a mask. A pixel lies inside if its largest channel
// is more than half of the mask's largest value, so masks of 0 and 1 and of 0 and 255 are alike.
// mask: of the same size as the picture before `how` framed it; [height, width] of that picture.
// name: of the mask's file, for errors. Throws ImageError: another size, or no such patch.
Region region_of_mask(const Image& mask, const std::string& name, int height, int width,
                      const Preprocessing& how, const PatchGrid& grid);

}  // namespace headlight
