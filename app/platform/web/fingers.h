#pragma once

#include <span>

#include "platform/input.h"

namespace headlight::app {

// A finger on the screen, in CSS pixels.
struct Finger {
    double x = 0, y = 0;
};

// Translates fingers to input. A tap is a click. A finger that moves scrolls what is under it, or
// else drags it; one that rests presses the button. Two fingers scroll, or zoom like Ctrl+wheel
// when the distance between them changes. A finger presses nothing before that is clear, so no
// gesture of two fingers clicks anything.
class Fingers {
  public:
    explicit Fingers(Input& input) : input_(input) {}

    // `scale`: pixels per CSS pixel; `now`: seconds.
    void land(std::span<const Finger> fingers, float scale, double now);
    void move(std::span<const Finger> fingers);
    void lift();
    void cancel();  // the browser has taken the gesture over
    // Call once per frame. True if a finger that rests begins to press.
    bool pass(double now);

  private:
    enum class Gesture { none, touches, drags, presses, two_touch, two_drag, two_pinch };

    [[nodiscard]] float pixels(double css) const { return static_cast<float>(css * scale_); }
    void move_two(const Finger& middle, double apart);

    Input& input_;
    Gesture gesture_ = Gesture::none;
    float scale_ = 1;
    double since_ = 0;
    Finger at_;         // where it landed, or the middle of two
    double apart_ = 0;  // the distance of two
};

}  // namespace headlight::app
