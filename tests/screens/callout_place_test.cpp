#include "lessons_screen/callout_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace headlight::screens {
namespace {

using ui::Rect;

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

bool within(const Rect& box, const Rect& room) {
    return box.x >= room.x && box.y >= room.y && box.x + box.w <= room.x + room.w &&
           box.y + box.h <= room.y + room.h;
}

const Rect kRoom{0, 0, 1200, 700};

// Tries every place on a grid, slowly but simply, with some space between a callout and obstacles.
bool has_free_place(const CalloutSpace& space) {
    constexpr float kAir = 4;
    for (const CalloutSize& size : space.sizes)
        for (float y = kRoom.y; y + size.h <= kRoom.y + kRoom.h; y += 8)
            for (float x = kRoom.x; x + size.w <= kRoom.x + kRoom.w; x += 8) {
                const Rect box{x, y, size.w, size.h};
                bool free = !overlap(box, space.target.inset(-kAir));
                for (const Obstacle& obstacle : space.obstacles)
                    free = free && !overlap(box, obstacle.rect.inset(-kAir));
                if (free) return true;
            }
    return false;
}

CalloutSpace random_space(std::mt19937& random) {
    const auto between = [&](int low, int high) {
        return static_cast<float>(std::uniform_int_distribution(low, high)(random));
    };
    CalloutSpace space{
        .target = {between(0, 1100), between(0, 600), between(10, 100), between(10, 100)},
        .room = kRoom,
        .sizes = {{between(120, 300), between(30, 60)}, {between(80, 120), between(60, 120)}},
        .gap = 28};
    const auto count = std::uniform_int_distribution(0, 24)(random);
    for (int i = 0; i < count; ++i)
        space.obstacles.push_back(
            {{between(-50, 1100), between(-50, 650), between(20, 500), between(20, 300)}, 20});
    return space;
}

TEST(CalloutPlace, never_covers_its_target) {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        const CalloutSpace space = random_space(random);
        const CalloutPlace place = place_callout(space);
        EXPECT_FALSE(overlap(place.box, space.target)) << i;
        EXPECT_TRUE(within(place.box, kRoom)) << i;
    }
}

float covered(const CalloutSpace& space, const Rect& box) {
    float area = 0;
    for (const Obstacle& obstacle : space.obstacles) area += box.common(obstacle.rect).area();
    return area;
}

// Each pixel of an arrow over obstacles counts as a pixel of them.
TEST(CalloutPlace, covers_hardly_anything_where_a_free_place_exists) {
    std::mt19937 random(2);
    int free = 0, covering = 0;
    for (int i = 0; i < 400; ++i) {
        CalloutSpace space = random_space(random);
        for (Obstacle& obstacle : space.obstacles) {
            obstacle.weight = 1e5F;
            obstacle.essential = true;
        }
        if (!has_free_place(space)) continue;
        ++free;
        const float area = covered(space, place_callout(space).box);
        EXPECT_LE(area, std::hypot(kRoom.w, kRoom.h)) << i;
        covering += area > 0 ? 1 : 0;
    }
    EXPECT_GT(free, 100);
    EXPECT_LT(covering, free / 20);
}

float distance(const Rect& a, const Rect& b) {
    const float dx = std::max({0.0F, a.x - (b.x + b.w), b.x - (a.x + a.w)}),
                dy = std::max({0.0F, a.y - (b.y + b.h), b.y - (a.y + a.h)});
    return std::hypot(dx, dy);
}

// However heavy, what need not be read pushes a callout aside by a few gaps at most.
TEST(CalloutPlace, is_near_over_what_need_not_be_read) {
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        CalloutSpace space = random_space(random);
        for (Obstacle& obstacle : space.obstacles) obstacle.weight = 1e5F;
        EXPECT_LE(distance(place_callout(space).box, space.target), 3.1F * space.gap) << i;
    }
}

TEST(CalloutPlace, moves_away_from_what_must_be_read) {
    CalloutSpace space{.target = {500, 300, 40, 40},
                       .room = kRoom,
                       .sizes = {{200, 40}},
                       .gap = 28,
                       .obstacles = {{{350, 150, 340, 340}, 20}}};
    EXPECT_LE(distance(place_callout(space).box, space.target), 3.1F * space.gap);
    space.obstacles.front().essential = true;
    EXPECT_EQ(covered(space, place_callout(space).box), 0);
}

TEST(CalloutPlace, is_near_where_nothing_is_in_the_way) {
    const CalloutSpace space{
        .target = {500, 300, 40, 40}, .room = kRoom, .sizes = {{200, 40}}, .gap = 28};
    const float away = distance(place_callout(space).box, space.target);
    EXPECT_GT(away, 0);
    EXPECT_LE(away, 28);
}

// Covering a part of something large is better than an arrow across the whole screen.
TEST(CalloutPlace, covers_a_part_of_a_picture_rather_than_point_from_afar) {
    const CalloutSpace space{.target = {560, 20, 40, 40},
                             .room = kRoom,
                             .sizes = {{300, 50}},
                             .gap = 28,
                             .obstacles = {{{0, 0, 1200, 560}, 1.5F}}};
    const CalloutPlace place = place_callout(space);
    EXPECT_LT(place.box.y, 200);
    EXPECT_FALSE(overlap(place.box, space.target));
}

TEST(CalloutPlace, its_arrow_avoids_words_more_than_a_matrix) {
    CalloutSpace space{.target = {800, 200, 100, 100},
                       .room = {0, 0, 700, 700},
                       .sizes = {{200, 40}},
                       .gap = 28,
                       .obstacles = {{{720, 100, 70, 300}, 10}}};
    const CalloutPlace straight = place_callout(space);
    EXPECT_NEAR(straight.from.y, straight.to.y, 60);
    space.obstacles.push_back({{720, straight.to.y - 5, 70, 10}, 10, 100});
    const CalloutPlace around = place_callout(space);
    EXPECT_GT(std::abs(around.from.y - straight.from.y) + std::abs(around.to.y - straight.to.y), 5);
}

TEST(CalloutPlace, wraps_its_words_where_one_line_has_no_room) {
    const CalloutSpace space{.target = {120, 300, 1080, 60},
                             .room = kRoom,
                             .sizes = {{200, 40}, {100, 80}},
                             .gap = 10,
                             .obstacles = {{{120, 0, 1080, 700}, 20, 1, true}}};
    const Rect box = place_callout(space).box;
    EXPECT_EQ(box.w, 100);
    EXPECT_LE(box.x + box.w, 120);
}

TEST(CalloutPlace, its_arrow_goes_around_what_is_read) {
    // The box only fits on the left, and a text is directly in between.
    const CalloutSpace space{.target = {800, 200, 100, 100},
                             .room = {0, 0, 700, 700},
                             .sizes = {{200, 40}},
                             .gap = 28,
                             .obstacles = {{{720, 230, 70, 30}, 100}}};
    const CalloutPlace place = place_callout(space);
    // Checks the arrow point by point.
    for (int i = 0; i <= 100; ++i) {
        const float t = static_cast<float>(i) / 100;
        const ImVec2 at{place.from.x + t * (place.to.x - place.from.x),
                        place.from.y + t * (place.to.y - place.from.y)};
        EXPECT_FALSE(space.obstacles.front().rect.contains(at)) << i;
    }
}

}  // namespace
}  // namespace headlight::screens
