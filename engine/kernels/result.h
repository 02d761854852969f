#pragma once

#include <cstdint>
#include <memory>

#include "kernels/matrix.h"

namespace headlight {

// A number that no other result in this process has; never 0.
std::uint64_t next_version();

// A matrix with a number that no other result in this process has. Views and caches compare the
// number, so an unchanged result is neither looked at nor uploaded again. Weights are results too,
// so a matrix that was read from a file is shown in the same way as one that was computed.
class Result {
  public:
    explicit Result(Matrix matrix);
    // A matrix that lies in memory of `owner`, such as a file's content.
    Result(const MatrixView& view, std::shared_ptr<const void> owner);
    ~Result();  // leaves big memory to later results (recycle.h)
    Result(const Result&) = delete;
    Result& operator=(const Result&) = delete;

    [[nodiscard]] const MatrixView& view() const { return view_; }
    [[nodiscard]] std::uint64_t version() const { return version_; }

  private:
    Matrix matrix_;
    std::shared_ptr<const void> owner_;
    MatrixView view_;
    std::uint64_t version_;
};
using SharedResult = std::shared_ptr<const Result>;

SharedResult make_result(Matrix matrix);
SharedResult make_result(const MatrixView& view, std::shared_ptr<const void> owner);

}  // namespace headlight
