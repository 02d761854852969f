#pragma once

#include <vector>

#include "ui/geometry.h"

// Where a callout of a lesson goes: near what it points at, over nothing that must be read.
namespace headlight::screens {

// Something on the screen that a callout should not cover. All places are in pixels.
struct Obstacle {
    ui::Rect rect;
    float weight = 1;  // the cost of each pixel that is covered
    friend bool operator==(const Obstacle&, const Obstacle&) = default;
};

struct CalloutSize {
    float w = 0, h = 0;
    friend bool operator==(const CalloutSize&, const CalloutSize&) = default;
};

// What decides the place; equal ones get the same.
struct CalloutSpace {
    ui::Rect target;
    ui::Rect room;                   // the callout stays inside
    std::vector<CalloutSize> sizes;  // ways to wrap its words, the preferred one first
    float gap = 0;                   // usual distance from the target
    std::vector<Obstacle> obstacles{};
    friend bool operator==(const CalloutSpace&, const CalloutSpace&) = default;
};

struct CalloutPlace {
    ui::Rect box;
    ImVec2 from{}, to{};  // of the arrow
};

// Never covers the target where `room` has a place beside it. Considers places that touch the edges
// of the target, the room and the obstacles, the nearest first, and stops where distance alone
// costs more than the best one so far.
CalloutPlace place_callout(const CalloutSpace& space);

}  // namespace headlight::screens
