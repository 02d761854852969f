#include "kernels/recycle.h"

#include <algorithm>
#include <deque>
#include <mutex>

#ifdef __linux__
#include <sys/mman.h>

#include <memory>
#endif

namespace headlight {

namespace {

constexpr std::size_t kWorthKeeping = std::size_t{1} << 20U;  // bytes; malloc is good at less
constexpr std::size_t kMaxIdleBytes = std::size_t{3} << 29U;  // 1.5 GB
constexpr std::size_t kMaxIdleCount = 16;                     // about one trace

std::size_t bytes_of(Index cells) { return static_cast<std::size_t>(cells) * sizeof(float); }

class IdleMemory {
  public:
    Matrix take(Index cells) {
        const std::scoped_lock lock(guard_);
        const auto fits = [cells](const Matrix& m) { return m.size() == cells; };
        const auto found = std::find_if(idle_.begin(), idle_.end(), fits);
        if (found == idle_.end()) {
            // The sizes have changed, so what lies here will hardly be wanted again.
            idle_.clear();
            bytes_ = 0;
            return {};
        }
        Matrix matrix = std::move(*found);
        idle_.erase(found);
        bytes_ -= bytes_of(cells);
        return matrix;
    }

    void keep(Matrix matrix) {
        const std::scoped_lock lock(guard_);
        bytes_ += bytes_of(matrix.size());
        idle_.push_back(std::move(matrix));
        while (bytes_ > kMaxIdleBytes || idle_.size() > kMaxIdleCount) {
            bytes_ -= bytes_of(idle_.front().size());
            idle_.pop_front();
        }
    }

  private:
    std::mutex guard_;
    std::deque<Matrix> idle_;  // the longest idle first
    std::size_t bytes_ = 0;
};

IdleMemory& idle_memory() {
    // Never destroyed: results in static variables may outlive any other static.
    static auto& memory = *new IdleMemory;
    return memory;
}

// Asks for pages of 2 MB where the system has them: fewer, and so faster to get.
void prefer_huge_pages([[maybe_unused]] Matrix& matrix) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t page = std::size_t{1} << 21U;
    void* first = matrix.data();
    std::size_t left = bytes_of(matrix.size());
    if (std::align(page, page, first, left) != nullptr)
        madvise(first, left / page * page, MADV_HUGEPAGE);  // a wish; refusing it does no harm
#endif
}

}  // namespace

Matrix new_matrix(Index rows, Index cols) {
    const bool small = bytes_of(rows * cols) < kWorthKeeping;
    if (small) return Matrix(rows, cols);
    Matrix matrix = idle_memory().take(rows * cols);
    const bool fresh = matrix.size() == 0;
    matrix.resize(rows, cols);  // as many cells as before: only the shape changes
    if (fresh) prefer_huge_pages(matrix);
    return matrix;
}

void recycle(Matrix matrix) {
    if (bytes_of(matrix.size()) >= kWorthKeeping) idle_memory().keep(std::move(matrix));
}

}  // namespace headlight
