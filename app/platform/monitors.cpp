#include "platform/monitors.h"

#include <algorithm>
#include <cstdint>

namespace headlight::app {
namespace {

constexpr int kHandle = 48;  // pixels of a window needed to grab it

Box common(const Box& a, const Box& b) {
    const int x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    return {x, y, std::max(0, std::min(a.x + a.width, b.x + b.width) - x),
            std::max(0, std::min(a.y + a.height, b.y + b.height) - y)};
}

std::int64_t area(const Box& box) { return std::int64_t{box.width} * box.height; }

// One monitor per distinct picture; mirrored monitors count once.
std::vector<std::size_t> apart(const std::vector<Box>& monitors) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < monitors.size(); ++i) {
        const bool again = std::ranges::any_of(
            found, [&](std::size_t j) { return area(common(monitors[i], monitors[j])) > 0; });
        if (!again && area(monitors[i]) > 0) found.push_back(i);
    }
    return found;
}

}  // namespace

std::optional<Seats> seats_for(const std::vector<Box>& monitors, const Box& window) {
    const std::vector<std::size_t> all = apart(monitors);
    if (all.size() < 2) return std::nullopt;
    const auto shown = [&](std::size_t i) { return area(common(monitors[i], window)); };
    const std::size_t home = *std::ranges::max_element(all, {}, shown);
    if (home == all[0]) return Seats{all[1], all[0]};
    return Seats{home, all[0]};
}

bool is_on(const Box& monitor, const Box& window) {
    return 2 * area(common(monitor, window)) > area(window);
}

bool is_in_sight(const std::vector<Box>& monitors, const Box& window) {
    return std::ranges::any_of(monitors, [&](const Box& monitor) {
        const Box seen = common(monitor, window);
        return seen.width >= std::min(kHandle, window.width) &&
               seen.height >= std::min(kHandle, window.height);
    });
}

}  // namespace headlight::app
