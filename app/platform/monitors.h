#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace headlight::app {

// A rectangle in desktop coordinates, which all monitors share.
struct Box {
    int x = 0, y = 0, width = 0, height = 0;
    friend bool operator==(const Box&, const Box&) = default;
};

// The monitors of the audience and the speaker, as indices in the list.
struct Seats {
    std::size_t audience = 0, speaker = 0;
    friend bool operator==(const Seats&, const Seats&) = default;
};

// The first monitor is the primary one, on a notebook the built-in display. If the window is there,
// the lecture goes to the other monitor and the presenter view stays on the notebook. If the window
// is on another monitor, it stays there, and the primary one is the speaker's. Empty if there are
// not two; mirrored monitors count as one.
std::optional<Seats> seats_for(const std::vector<Box>& monitors, const Box& window);

// Whether most of a window is on that monitor.
bool is_on(const Box& monitor, const Box& window);

// Whether enough of a window is visible on any monitor to grab it with the mouse.
bool is_in_sight(const std::vector<Box>& monitors, const Box& window);

}  // namespace headlight::app
