#pragma once

#include <span>

namespace headlight {

// How far numbers differ from the expected ones.
struct Deviation {
    double largest = 0;   // largest |a − b|
    double relative = 0;  // `largest` divided by the largest |b|
    double norm = 0;      // ‖a − b‖ / ‖b‖
};

// Accumulates over parts. Infinities and NaNs must be equal in both, otherwise the errors are
// infinite. The relative errors are also infinite if only zeros were expected and the numbers
// differ.
class DeviationSum {
  public:
    void add(std::span<const float> found, std::span<const float> expected);  // of equal length
    [[nodiscard]] Deviation deviation() const;

  private:
    double largest_ = 0, reach_ = 0, squares_ = 0, own_squares_ = 0;
};

}  // namespace headlight
