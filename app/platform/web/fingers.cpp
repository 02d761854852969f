#include "platform/web/fingers.h"

#include <cmath>
#include <utility>

namespace headlight::app {
namespace {

constexpr double kStill = 8;        // CSS pixels that a resting finger may move
constexpr double kLongPress = 0.4;  // seconds
constexpr double kPinch = 4;        // wheel notches for doubling the distance

double distance(const Finger& a, const Finger& b) { return std::hypot(a.x - b.x, a.y - b.y); }

Finger middle(const Finger& a, const Finger& b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

}  // namespace

void Fingers::land(std::span<const Finger> fingers, float scale, double now) {
    cancel();
    const bool two = fingers.size() > 1;
    gesture_ = two ? Gesture::two_touch : Gesture::touches;
    scale_ = scale;
    since_ = now;
    at_ = two ? middle(fingers[0], fingers[1]) : fingers[0];
    apart_ = two ? distance(fingers[0], fingers[1]) : 0;
    input_.add(Modifiers{});
    input_.add(Touched{pixels(at_.x), pixels(at_.y)});
}

void Fingers::move(std::span<const Finger> fingers) {
    const Finger& finger = fingers[0];
    const float x = pixels(finger.x), y = pixels(finger.y);
    if (fingers.size() > 1)
        return move_two(middle(finger, fingers[1]), distance(finger, fingers[1]));
    if (gesture_ == Gesture::presses) input_.add(Touched{x, y});
    if (gesture_ == Gesture::drags) input_.add(Dragged{x, y});
    if (gesture_ == Gesture::touches && distance(finger, at_) > kStill) {
        gesture_ = Gesture::drags;
        input_.add(Dragged{x, y, Dragged::Begins::anything});
        input_.add(Dragged{x, y});
    }
}

void Fingers::move_two(const Finger& now, double apart) {
    const float x = pixels(now.x), y = pixels(now.y);
    if (gesture_ == Gesture::two_touch && std::abs(apart - apart_) > kStill) {
        gesture_ = Gesture::two_pinch;
        input_.add(Modifiers{true, false});
    } else if (gesture_ == Gesture::two_touch && distance(now, at_) > kStill) {
        gesture_ = Gesture::two_drag;
        input_.add(Dragged{x, y, Dragged::Begins::scrolling});
    } else if (gesture_ == Gesture::two_drag) {
        input_.add(Dragged{x, y});
    }
    if (gesture_ != Gesture::two_pinch || apart <= 0 || apart_ <= 0) return;
    input_.add(Wheel{0, static_cast<float>(kPinch * std::log2(apart / apart_))});
    apart_ = apart;
}

void Fingers::lift() {
    const Gesture ended = std::exchange(gesture_, Gesture::none);
    if (ended == Gesture::touches) input_.add(ButtonChanged{0, true});
    if (ended == Gesture::touches || ended == Gesture::presses) input_.add(ButtonChanged{0, false});
    if (ended == Gesture::drags || ended == Gesture::two_drag) input_.add(Lifted{});
    input_.add(Modifiers{});
}

// A press ends where nothing is, so that it is no click.
void Fingers::cancel() {
    if (gesture_ == Gesture::presses || gesture_ == Gesture::drags) input_.add(PointerLeft{});
    if (gesture_ == Gesture::touches) gesture_ = Gesture::none;
    lift();
}

bool Fingers::pass(double now) {
    if (gesture_ != Gesture::touches || now - since_ < kLongPress) return false;
    gesture_ = Gesture::presses;
    input_.add(ButtonChanged{0, true});
    return true;
}

}  // namespace headlight::app
