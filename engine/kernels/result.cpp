#include "kernels/result.h"

#include <atomic>
#include <utility>

#include "kernels/recycle.h"

namespace headlight {

std::uint64_t next_version() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

Result::Result(Matrix matrix)
    : matrix_(std::move(matrix)), view_(matrix_), version_(next_version()) {}

Result::Result(const MatrixView& view, std::shared_ptr<const void> owner)
    : owner_(std::move(owner)), view_(view), version_(next_version()) {}

Result::~Result() { recycle(std::move(matrix_)); }

SharedResult make_result(Matrix matrix) {
    return std::make_shared<const Result>(std::move(matrix));
}

SharedResult make_result(const MatrixView& view, std::shared_ptr<const void> owner) {
    return std::make_shared<const Result>(view, std::move(owner));
}

}  // namespace headlight
