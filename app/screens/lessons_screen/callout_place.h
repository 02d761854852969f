#pragma once

#include <vector>

#include "ui/geometry.h"

// Places a lesson's callout near its target, without covering anything that must be read.
namespace headlight::screens {

// Something that a callout should not cover. All positions are in pixels.
struct Obstacle {
    ui::Rect rect;
    float weight = 1;    // cost per covered pixel
    float crossing = 1;  // the same for each pixel of an arrow over it, as a multiple of the weight
    // Must be read. A callout moves away rather than cover it. It covers anything else rather than
    // move far from its target.
    bool essential = false;
    friend bool operator==(const Obstacle&, const Obstacle&) = default;
};

struct CalloutSize {
    float w = 0, h = 0;
    friend bool operator==(const CalloutSize&, const CalloutSize&) = default;
};

// The input of the placement; equal inputs give equal places.
struct CalloutSpace {
    ui::Rect target;
    ui::Rect room;                   // bounds for the callout
    std::vector<CalloutSize> sizes;  // sizes for different line breaks, the preferred one first
    float gap = 0;                   // preferred distance from the target
    std::vector<Obstacle> obstacles{};
    friend bool operator==(const CalloutSpace&, const CalloutSpace&) = default;
};

struct CalloutPlace {
    ui::Rect box;
    ImVec2 from{}, to{};  // ends of the arrow
};

// Never covers the target if `room` has space beside it. Stands within a few gaps of its target
// wherever that covers nothing essential, and otherwise as near as possible. Considers places that
// touch the edges of the target, the room and the obstacles, nearest first. Stops when distance
// alone costs more than the best place so far.
CalloutPlace place_callout(const CalloutSpace& space);

}  // namespace headlight::screens
