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

constexpr float kTarget = 1e4F;   // cost per covered pixel of the target
constexpr float kNarrower = 600;  // cost per further line-break variant
constexpr float kFar = 0.25F;     // cost per pixel of distance, in callout heights
constexpr float kLong = 4;        // callout heights at which a distance costs twice as much
constexpr float kAside = 2;       // gaps that a callout moves away to cover nothing at all
constexpr float kAir = 4;         // pixels between a callout and an obstacle

// The length of a line inside a rectangle, in pixels (Liang and Barsky 1984).
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

// The cost of a distance beyond the gap. It grows faster than the distance: a long arrow is hard to
// follow.
float cost_of_distance(float distance, float gap, float height) {
    const float beyond = std::max(0.0F, distance - gap);
    return kFar * height * beyond * (1 + beyond / (kLong * height));
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
            cost += obstacle.crossing * obstacle.weight * length_inside(from, to, obstacle.rect);
        if (cost < best.cost) best = {from, to, cost};
    }
    return best;
}

using Extent = std::pair<float, float>;  // from, to

// Horizontal or vertical.
struct Axis {
    Extent target, room;
    std::vector<Extent> obstacles;
};

// Positions where a box of that size touches an edge, nearest to the target first.
std::vector<float> places_along(const Axis& axis, float size, float gap) {
    const auto [low, high] = axis.target;
    const auto [room_low, room_high] = axis.room;
    std::vector<float> places;
    const float last = room_high - size;
    places.push_back(std::clamp((low + high - size) / 2, room_low, std::max(room_low, last)));
    const auto add = [&](float at) {
        if (at >= axis.room.first && at <= last) places.push_back(std::round(at));
    };
    for (const float at : {room_low, last, low, high - size, high + gap, low - gap - size,
                           high + kAir, low - kAir - size})
        add(at);
    for (const auto& [from, to] : axis.obstacles) {
        add(from - kAir - size);
        add(to + kAir);
    }
    std::ranges::sort(places);
    places.erase(std::ranges::unique(places).begin(), places.end());
    std::ranges::sort(places, {}, [&](float at) {
        return outside(at, size, axis.target.first, axis.target.second);
    });
    return places;
}

Axis axis_of(const CalloutSpace& space, float Rect::*at, float Rect::*size) {
    const auto extent = [&](const Rect& rect) { return Extent{rect.*at, rect.*at + rect.*size}; };
    Axis axis{extent(space.target), extent(space.room), {}};
    for (const Obstacle& obstacle : space.obstacles)
        axis.obstacles.push_back(extent(obstacle.rect));
    return axis;
}

// The best place so far.
class Search {
  public:
    explicit Search(const CalloutSpace& space)
        : space_(space), around_(space.target.inset(-space.gap)) {
        for (const Obstacle& obstacle : space.obstacles)
            (obstacle.essential ? essential_ : other_).push_back(obstacle);
    }

    // known: a lower bound of a place's cost.
    [[nodiscard]] bool is_too_much(float known) const { return known >= least_; }
    void consider(const Rect& box, float known) {
        const float hidden =
            known + kTarget * box.common(space_.target).area() + cost_of(essential_, box);
        if (is_too_much(hidden)) return;
        const ImVec2 a = box.center(), b = space_.target.center();
        const float here = box.common(around_).area() + cost_of(other_, box) +
                           0.1F * kFar * box.h * std::hypot(a.x - b.x, a.y - b.y);
        if (is_too_much(hidden + limited(here, box))) return;
        const Arrow arrow = arrow_to(space_, box);
        const float cost = hidden + limited(here + arrow.cost, box);
        if (is_too_much(cost)) return;
        least_ = cost;
        best_ = {box, arrow.from, arrow.to};
    }
    [[nodiscard]] const CalloutPlace& best() const { return best_; }

  private:
    static float cost_of(const std::vector<Obstacle>& obstacles, const Rect& box) {
        float cost = 0;
        for (const Obstacle& obstacle : obstacles)
            cost += obstacle.weight * box.common(obstacle.rect).area();
        return cost;
    }
    // Less than the cost of moving aside, however much is covered.
    [[nodiscard]] float limited(float cost, const Rect& box) const {
        const float most = cost_of_distance((1 + kAside) * space_.gap, space_.gap, box.h);
        return most * cost / (cost + box.area());
    }

    const CalloutSpace& space_;
    std::vector<Obstacle> essential_, other_;
    Rect around_;
    CalloutPlace best_;
    float least_ = std::numeric_limits<float>::max();
};

}  // namespace

CalloutPlace place_callout(const CalloutSpace& space) {
    const Axis x_axis = axis_of(space, &Rect::x, &Rect::w),
               y_axis = axis_of(space, &Rect::y, &Rect::h);
    const Rect& target = space.target;
    Search search(space);
    float wrapped = 0;
    for (const auto& [w, h] : space.sizes) {
        const auto ys = places_along(y_axis, h, space.gap);
        for (const float x : places_along(x_axis, w, space.gap)) {
            const float dx = outside(x, w, target.x, target.x + target.w);
            if (search.is_too_much(wrapped + cost_of_distance(dx, space.gap, h))) break;
            for (const float y : ys) {
                const float dy = outside(y, h, target.y, target.y + target.h);
                const float known = wrapped + cost_of_distance(std::hypot(dx, dy), space.gap, h);
                if (search.is_too_much(known)) break;
                search.consider({x, y, w, h}, known);
            }
        }
        wrapped += kNarrower;
    }
    return search.best();
}

}  // namespace headlight::screens
