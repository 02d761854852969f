#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace headlight {

// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
// Neighboring seeds give unrelated sequences, which are the same on every machine.
class SplitMix {
  public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }

    // Uniform in [low, high).
    double between(double low, double high) {
        return low + (high - low) * static_cast<double>(next() >> 11U) * 0x1p-53;
    }

    // Standard normal, by Box and Muller. The standard library's distributions differ between
    // platforms.
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - between(0, 1))),
                     angle = between(0, 2 * std::numbers::pi);
        return radius * std::cos(angle);
    }

    // Uniform in [0, count).
    int below(int count) {
        return static_cast<int>((next() >> 32U) * static_cast<std::uint64_t>(count) >> 32U);
    }

  private:
    std::uint64_t state_;
};

}  // namespace headlight
