#include "patches/ordered_picture.h"

#include <algorithm>

namespace headlight {

Image in_order(const Image& image, const PatchGrid& grid, const std::vector<Index>& order) {
    constexpr float kPadding = 0.5F;
    Image ordered = image;
    for (std::size_t place = 0; place < order.size(); ++place) {
        const PixelRect to = grid.rect(static_cast<int>(place)),
                        from = grid.rect(static_cast<int>(order[place]));
        for (int y = std::max(0, -to.row); y < std::min(to.height, image.height - to.row); ++y)
            for (int x = std::max(0, -to.col); x < std::min(to.width, image.width - to.col); ++x)
                for (int c = 0; c < image.channels; ++c) {
                    const int row = from.row + y, col = from.col + x;
                    const bool inside =
                        row >= 0 && row < image.height && col >= 0 && col < image.width;
                    const auto at = static_cast<std::size_t>(to.row + y) * image.width + to.col + x;
                    ordered.values[at * image.channels + c] =
                        inside ? image.at(row, col, c) : kPadding;
                }
    }
    return ordered;
}

}  // namespace headlight
