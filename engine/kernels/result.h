#pragma once

#include <cstdint>
#include <memory>

#include "kernels/matrix.h"

namespace headlight {

// A version number that is unique in this process; never 0.
std::uint64_t next_version();

// A matrix with a version number that is unique in this process. Views and caches compare versions,
// so an unchanged result is neither processed nor uploaded again. Weights are results too, so a
// matrix from a file is shown in the same way as a computed one.
class Result {
  public:
    explicit Result(Matrix matrix);
    // A matrix in memory of `owner`, such as the content of a file.
    Result(const MatrixView& view, std::shared_ptr<const void> owner);
    ~Result();  // passes large memory on to later results (recycle.h)
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
