#pragma once

#include <span>

namespace headlight {

// How far numbers are from those that were expected.
struct Deviation {
    double largest = 0;   // |a − b|
    double relative = 0;  // that, over the largest |b|
    double norm = 0;      // ‖a − b‖ / ‖b‖
};

// Goes through them in parts. What is infinite or no number must be the same in both, else the
// errors are infinite; and so are the two that are relative where only zeros were expected.
class DeviationSum {
  public:
    void add(std::span<const float> found, std::span<const float> expected);  // equally many
    [[nodiscard]] Deviation deviation() const;

  private:
    double largest_ = 0, reach_ = 0, squares_ = 0, own_squares_ = 0;
};

}  // namespace headlight
