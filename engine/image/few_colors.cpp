#include "image/few_colors.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace headlight {

namespace {

constexpr int kLevels = 32, kFewColors = 60, kSamples = 65'536;
constexpr double kCovered = 0.9;

}  // namespace

bool has_few_colors(const Image& image) {
    if (image.empty() || image.channels < 3) return false;
    const double pixels = static_cast<double>(image.height) * image.width;
    const int step = std::max(1, static_cast<int>(std::sqrt(pixels / kSamples)));
    std::vector<int> counts(static_cast<std::size_t>(kLevels) * kLevels * kLevels);
    int all = 0;
    bool gray = true;
    for (int row = 0; row < image.height; row += step)
        for (int col = 0; col < image.width; col += step) {
            int color = 0, first = 0;
            for (int channel = 0; channel < 3; ++channel) {
                const float value = image.at(row, col, channel) * kLevels;
                const int level = std::clamp(static_cast<int>(value), 0, kLevels - 1);
                if (channel == 0) first = level;
                gray = gray && level == first;
                color = color * kLevels + level;
            }
            ++counts[static_cast<std::size_t>(color)];
            ++all;
        }
    if (gray) return false;
    std::ranges::partial_sort(counts, counts.begin() + kFewColors, std::greater{});
    int covered = 0;
    for (int i = 0; i < kFewColors; ++i) covered += counts[static_cast<std::size_t>(i)];
    return covered >= kCovered * all;
}

}  // namespace headlight
