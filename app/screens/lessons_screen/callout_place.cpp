#include "lessons_screen/callout_place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

namespace headlight::screens {

namespace {

using ui::Rect;

constexpr float kTarget = 1e4F;   // the cost of each pixel of the target that is covered
constexpr float kNarrower = 600;  // of each further way to wrap the words
constexpr float kFar = 0.25F;     // of each pixel of distance, in heights of the callout
constexpr float kCrossed = 0.5F;  // of each pixel of the arrow over an obstacle, by its weight
constexpr float kAir = 4;         // pixels between a callout and an obstacle

float shared_area(const Rect& a, const Rect& b) {
    const float w = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x),
                h = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
    return w > 0 && h > 0 ? w * h : 0;
}

// How much of a line lies in a rectangle, in pixels (Liang and Barsky 1984).
float length_inside(ImVec2 from, ImVec2 to, const Rect& rect) {
    const float dx = to.x - from.x, dy = to.y - from.y;
    float begin = 0, end = 1;
    const std::array<std::pair<float, float>, 4> sides{{{-dx, from.x - rect.x},
                                                        {dx, rect.x + rect.w - from.x},
                                                        {-dy, from.y - rect.y},
                                                        {dy, rect.y + rect.h - from.y}}};
    for (const auto& [direction, distance] : sides) {
        if (direction == 0 && distance < 0) return 0;
        if (direction < 0) begin = std::max(begin, distance / direction);
        if (direction > 0) end = std::min(end, distance / direction);
    }
    return begin < end ? (end - begin) * std::hypot(dx, dy) : 0;
}

float outside(float at, float size, float low, float high) {
    return std::max({0.0F, low - (at + size), at - high});
}

ImVec2 nearest(const Rect& r, ImVec2 to) {
    return {std::clamp(to.x, r.x, r.x + r.w), std::clamp(to.y, r.y, r.y + r.h)};
}

struct Arrow {
    ImVec2 from{}, to{};
    float cost = 0;
};

// Ends at the side or corner of the target from which it crosses least.
Arrow arrow_to(const CalloutSpace& space, const Rect& box) {
    const Rect& target = space.target;
    const ImVec2 middle = target.center(), low = target.min(), high = target.max();
    const std::array<ImVec2, 9> ends{{nearest(target, box.center()),
                                      {middle.x, low.y},
                                      {middle.x, high.y},
                                      {low.x, middle.y},
                                      {high.x, middle.y},
                                      low,
                                      high,
                                      {low.x, high.y},
                                      {high.x, low.y}}};
    Arrow best{.cost = std::numeric_limits<float>::max()};
    for (const ImVec2& to : ends) {
        const ImVec2 from = nearest(box, to);
        float cost = std::hypot(to.x - from.x, to.y - from.y) +
                     kTarget * length_inside(from, to, target.inset(1));
        for (const Obstacle& obstacle : space.obstacles)
            cost += kCrossed * obstacle.weight * length_inside(from, to, obstacle.rect);
        if (cost < best.cost) best = {from, to, cost};
    }
    return best;
}

// Coordinates at which a box of that size touches an edge, by its distance from the target. An edge
// is a place and what is added to it.
struct Axis {
    float low, high;            // of the target
    float room_low, room_high;  // of the room
};

std::vector<float> places_along(const Axis& axis, float size, float gap,
                                const std::vector<std::pair<float, float>>& obstacles) {
    std::vector<float> places;
    const float last = axis.room_high - size;
    const auto add = [&](float at) {
        if (at >= axis.room_low && at <= last) places.push_back(std::round(at));
    };
    places.push_back(std::clamp((axis.low + axis.high - size) / 2, axis.room_low,
                                std::max(axis.room_low, last)));
    for (const float at : {axis.room_low, last, axis.low, axis.high - size, axis.high + gap,
                           axis.low - gap - size, axis.high + kAir, axis.low - kAir - size})
        add(at);
    for (const auto& [low, high] : obstacles) {
        add(low - kAir - size);
        add(high + kAir);
    }
    std::ranges::sort(places);
    places.erase(std::ranges::unique(places).begin(), places.end());
    std::ranges::sort(places, {}, [&](float at) { return outside(at, size, axis.low, axis.high); });
    return places;
}

using Edges = std::vector<std::pair<float, float>>;

}  // namespace

CalloutPlace place_callout(const CalloutSpace& space) {
    const Rect &target = space.target, &room = space.room;
    Edges across, down;
    for (const Obstacle& obstacle : space.obstacles) {
        across.emplace_back(obstacle.rect.x, obstacle.rect.x + obstacle.rect.w);
        down.emplace_back(obstacle.rect.y, obstacle.rect.y + obstacle.rect.h);
    }
    const Rect around = target.inset(-space.gap);
    CalloutPlace best;
    float least = std::numeric_limits<float>::max(), wrapped = 0;
    for (const CalloutSize& size : space.sizes) {
        const float far = size.h * kFar;
        const auto ys = places_along({target.y, target.y + target.h, room.y, room.y + room.h},
                                     size.h, space.gap, down);
        for (const float x : places_along({target.x, target.x + target.w, room.x, room.x + room.w},
                                          size.w, space.gap, across)) {
            const float dx = outside(x, size.w, target.x, target.x + target.w);
            if (wrapped + far * dx >= least) break;
            for (const float y : ys) {
                const float dy = outside(y, size.h, target.y, target.y + target.h);
                float cost = wrapped + far * std::hypot(dx, dy);
                if (cost >= least) break;
                const Rect box{x, y, size.w, size.h};
                const ImVec2 a = box.center(), b = target.center();
                cost += 0.1F * far * std::hypot(a.x - b.x, a.y - b.y) +
                        kTarget * shared_area(box, target) + shared_area(box, around);
                for (const Obstacle& obstacle : space.obstacles) {
                    if (cost >= least) break;
                    cost += obstacle.weight * shared_area(box, obstacle.rect);
                }
                if (cost >= least) continue;
                const Arrow arrow = arrow_to(space, box);
                if (cost + arrow.cost >= least) continue;
                least = cost + arrow.cost;
                best = {box, arrow.from, arrow.to};
            }
        }
        wrapped += kNarrower;
    }
    return best;
}

}  // namespace headlight::screens
