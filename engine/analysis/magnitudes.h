#pragma once

#include <cstdint>
#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// A histogram of the logarithms of all cells > 0 of one or several matrices. It answers quantile
// queries quickly, so that color scales need not scan millions of cells again.
class Magnitudes {
  public:
    void add(const MatrixView& matrix);  // counts finite cells > 0; ignores others
    void add(const Magnitudes& other);

    [[nodiscard]] bool empty() const { return total_ == 0; }
    [[nodiscard]] std::uint64_t count() const { return total_; }
    [[nodiscard]] float least() const { return least_; }  // exact; 0 if empty
    [[nodiscard]] float most() const { return most_; }
    // A number that at least the fraction `part` (0..1) of the cells does not exceed. It is at most
    // 1.6 % larger than the smallest such number, if that is in [2^-48, 2^16]. 0 if empty.
    [[nodiscard]] float quantile(double part) const;

  private:
    std::vector<std::uint32_t> counts_;
    std::uint64_t total_ = 0;
    float least_ = 0, most_ = 0;
};

}  // namespace headlight
