#include "heads/class_hues.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "ui/theme.h"

namespace headlight::screens {

std::vector<int> class_hues(std::span<const Index> classes) {
    // Skips the hues of the first four heads. Hues that differ most in both themes come first.
    constexpr std::array kOrder{4, 8, 9, 10, 12, 13, 14, 5, 7, 11, 6, 15};
    constexpr std::size_t kHues = kOrder.size();
    static_assert(kHues + 4 == ui::kHeadHues);
    std::vector<std::size_t> by_number(classes.size());
    std::iota(by_number.begin(), by_number.end(), std::size_t{0});
    std::ranges::sort(by_number, {}, [&](std::size_t i) { return classes[i]; });
    std::array<bool, kHues> taken{};
    std::vector<int> hues(classes.size());
    for (const std::size_t i : by_number) {
        std::size_t hue = static_cast<std::size_t>(classes[i]) % kHues;
        for (std::size_t tried = 0; taken.at(hue) && tried < kHues; ++tried)
            hue = (hue + 1) % kHues;
        taken.at(hue) = true;
        hues[i] = kOrder.at(hue);
    }
    return hues;
}

}  // namespace headlight::screens
