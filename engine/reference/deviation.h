#pragma once

#include <cstddef>
#include <optional>
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

// A place where one of two numbers is infinite or NaN and the other is different.
struct Mismatch {
    std::size_t index = 0;
    float found = 0, expected = 0;
    std::size_t count = 0;  // number of such places; this is the first
};

// Nothing if there is no such place. Both must have equal length.
std::optional<Mismatch> first_mismatch(std::span<const float> found,
                                       std::span<const float> expected);

}  // namespace headlight
