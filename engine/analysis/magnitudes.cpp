#include "analysis/magnitudes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace headlight {

namespace {

// Positive floats are ordered like their bit patterns. The exponent and six bits of the mantissa
// select a bin, from 2^-48 to 2^16.
constexpr unsigned kDropped = 17;
constexpr std::uint32_t kPerOctave = 1U << (23U - kDropped);
constexpr std::uint32_t kFirst = (127U - 48U) * kPerOctave, kBins = 64U * kPerOctave;

std::uint32_t bin_of(float value) {
    const std::uint32_t at = std::bit_cast<std::uint32_t>(value) >> kDropped;
    return std::clamp(at, kFirst, kFirst + kBins - 1) - kFirst;
}

// The largest number in a bin.
float end_of(std::uint32_t bin) {
    return std::bit_cast<float>(((bin + kFirst + 1) << kDropped) - 1U);
}

}  // namespace

void Magnitudes::add(const MatrixView& matrix) {
    if (counts_.empty()) counts_.resize(kBins);
    float least = total_ > 0 ? least_ : std::numeric_limits<float>::max(), most = most_;
    std::uint64_t found = 0;
    for (Index r = 0; r < matrix.rows; ++r) {
        const float* row = matrix.row(r);
        for (Index c = 0; c < matrix.cols; ++c) {
            if (!(row[c] > 0) || std::isinf(row[c])) continue;
            least = std::min(least, row[c]);
            most = std::max(most, row[c]);
            ++counts_[bin_of(row[c])];
            ++found;
        }
    }
    total_ += found;
    if (total_ > 0) least_ = least, most_ = most;
}

void Magnitudes::add(const Magnitudes& other) {
    if (other.empty()) return;
    if (counts_.empty()) counts_.resize(kBins);
    for (std::uint32_t i = 0; i < kBins; ++i) counts_[i] += other.counts_[i];
    least_ = empty() ? other.least_ : std::min(least_, other.least_);
    most_ = std::max(most_, other.most_);
    total_ += other.total_;
}

float Magnitudes::quantile(double part) const {
    if (empty()) return 0;
    const double wanted = std::clamp(part, 0.0, 1.0) * static_cast<double>(total_);
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i + 1 < kBins; ++i) {
        sum += counts_[i];
        if (sum > 0 && static_cast<double>(sum) >= wanted)
            return std::clamp(end_of(i), least_, most_);
    }
    return most_;
}

}  // namespace headlight
