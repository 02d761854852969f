#pragma once

#include <cstdint>
#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// How often numbers of which size occur: cells > 0 of one matrix or of several, counted by their
// logarithm. Answers for any share of them in a moment, so that a scale of colors can be found
// without walking through millions of cells again.
class Magnitudes {
  public:
    void add(const MatrixView& matrix);  // finite cells > 0; others are passed over
    void add(const Magnitudes& other);

    [[nodiscard]] bool empty() const { return total_ == 0; }
    [[nodiscard]] std::uint64_t count() const { return total_; }
    [[nodiscard]] float least() const { return least_; }  // exactly; 0 when empty
    [[nodiscard]] float most() const { return most_; }
    // A number that at least the part (0..1) of the cells does not exceed, and no more than 1.6 %
    // larger than the smallest such number where that lies in [2^-48, 2^16]. 0 when empty.
    [[nodiscard]] float quantile(double part) const;

  private:
    std::vector<std::uint32_t> counts_;
    std::uint64_t total_ = 0;
    float least_ = 0, most_ = 0;
};

}  // namespace headlight
