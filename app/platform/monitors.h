#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace headlight::platform {

// In the desktop's own coordinates, which all monitors share.
struct Box {
    int x = 0, y = 0, width = 0, height = 0;
    friend bool operator==(const Box&, const Box&) = default;
};

// Who looks at which monitor, by its place in the list.
struct Seats {
    std::size_t audience = 0, speaker = 0;
    friend bool operator==(const Seats&, const Seats&) = default;
};

// The first monitor is the desktop's primary one, on a notebook the notebook's own. A window there
// is to be shown on the other, and what the room must not see comes to the notebook. A window that
// stands on another monitor was put there: it stays, and the primary one is the speaker's. Nothing
// where there are no two: monitors that lie over each other show the same picture.
std::optional<Seats> seats_for(const std::vector<Box>& monitors, const Box& window);

// Whether most of a window is on that monitor.
bool is_on(const Box& monitor, const Box& window);

// Whether a window can be seen on any of them, by enough of it to be taken with the mouse.
bool is_in_sight(const std::vector<Box>& monitors, const Box& window);

}  // namespace headlight::platform
