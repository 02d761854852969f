#include "patches/region.h"

#include <algorithm>
#include <charconv>

namespace headlight {

namespace {

// 1 inside the mask, 0 outside.
Image inside_of(const Image& mask) {
    Image inside{mask.height, mask.width, 1, {}};
    const auto channels = static_cast<std::size_t>(mask.channels);
    const std::size_t pixels = mask.values.size() / channels;
    inside.values.resize(pixels);
    for (std::size_t i = 0; i < pixels; ++i)
        inside.values[i] = *std::max_element(
            mask.values.begin() + static_cast<std::ptrdiff_t>(i * channels),
            mask.values.begin() + static_cast<std::ptrdiff_t>((i + 1) * channels));
    const float half = *std::ranges::max_element(inside.values) / 2;
    for (float& value : inside.values) value = value > half ? 1.0F : 0.0F;
    return inside;
}

// The same preprocessing for areas: a target pixel gets the fraction of it that is inside the mask,
// and padding counts as outside.
Preprocessing framing_of_areas(Preprocessing how) {
    how.interpolation = Interpolation::box;
    how.eight_bit = false;
    how.fill = {0, 0, 0};
    if (how.framing == Framing::fit && !how.resize && !how.keeps_size)
        how.resize = ResizeTo{how.height, how.width};  // padding has the color `fill`, not gray
    return how;
}

// The fraction of the patch's pixels in the picture that is inside.
double part_inside(const Image& areas, const PixelRect& rect) {
    double sum = 0;
    int pixels = 0;
    for (int r = std::max(0, rect.row); r < std::min(areas.height, rect.row + rect.height); ++r)
        for (int c = std::max(0, rect.col); c < std::min(areas.width, rect.col + rect.width); ++c) {
            sum += static_cast<double>(areas.at(r, c, 0));
            ++pixels;
        }
    return pixels == 0 ? 0 : sum / pixels;
}

std::string size_text(int height, int width) {
    return std::to_string(width) + " × " + std::to_string(height) + " pixels";
}

}  // namespace

bool Region::contains(int patch) const { return std::ranges::binary_search(patches, patch); }

Region region_on(const Region& region, int rows, int cols) {
    if (region.rows == rows && region.cols == cols) return region;
    Region other{rows, cols, {}};
    if (region.empty()) return other;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) {
            const int row = (2 * r + 1) * region.rows / (2 * rows),
                      col = (2 * c + 1) * region.cols / (2 * cols);
            if (region.contains(row * region.cols + col)) other.patches.push_back(r * cols + c);
        }
    return other;
}

Region with_patches(Region region, int first, int last, bool inside) {
    std::erase_if(region.patches, [&](int patch) { return patch >= first && patch <= last; });
    for (int patch = first; inside && patch <= last; ++patch) region.patches.push_back(patch);
    std::ranges::sort(region.patches);
    return region;
}

Region rectangle_region(int rows, int cols, int corner, int opposite) {
    Region region{rows, cols, {}};
    const auto [top, bottom] = std::minmax({corner / cols, opposite / cols});
    const auto [left, right] = std::minmax({corner % cols, opposite % cols});
    for (int r = top; r <= bottom; ++r)
        for (int c = left; c <= right; ++c) region.patches.push_back(r * cols + c);
    return region;
}

std::string text_of_patches(const Region& region) {
    std::string text;
    const auto& patches = region.patches;
    for (std::size_t i = 0; i < patches.size();) {
        std::size_t end = i + 1;
        while (end < patches.size() && patches[end] == patches[end - 1] + 1) ++end;
        text += (text.empty() ? "" : ",") + std::to_string(patches[i]);
        if (end > i + 1) text += "-" + std::to_string(patches[end - 1]);
        i = end;
    }
    return text;
}

std::optional<Region> region_from_text(std::string_view text, int rows, int cols) {
    Region region{rows, cols, {}};
    const char *at = text.data(), *const end = at + text.size();
    const auto number = [&](int least) -> std::optional<int> {
        int value = 0;
        const auto [rest, error] = std::from_chars(at, end, value);
        if (error != std::errc() || value < least || value >= rows * cols) return std::nullopt;
        at = rest;
        return value;
    };
    while (at != end) {
        const auto first = number(region.empty() ? 0 : region.patches.back() + 1);
        if (!first) return std::nullopt;
        auto last = first;
        if (at != end && *at == '-') {
            ++at;
            last = number(*first);
            if (!last) return std::nullopt;
        }
        for (int patch = *first; patch <= *last; ++patch) region.patches.push_back(patch);
        if (at == end) break;
        if (*at != ',' || ++at == end) return std::nullopt;
    }
    return region;
}

Region region_of_mask(const Image& mask, const std::string& name, int height, int width,
                      const Preprocessing& how, const PatchGrid& grid) {
    if (mask.height != height || mask.width != width)
        throw ImageError(name + ": expected a mask of the picture's size, " +
                         size_text(height, width) + ", found " +
                         size_text(mask.height, mask.width));
    const Image areas = preprocess(inside_of(mask), framing_of_areas(how));
    Region region{grid.rows, grid.cols, {}};
    for (int patch = 0; patch < grid.count(); ++patch)
        if (part_inside(areas, grid.rect(patch)) >= 0.5) region.patches.push_back(patch);
    if (region.empty())
        throw ImageError(name +
                         ": expected a mask that covers at least half of one patch, found one that "
                         "covers less of every patch");
    return region;
}

}  // namespace headlight
