#include "kernels/recycle.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <mutex>
#include <new>

#ifdef __linux__
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <memory>
#endif

namespace headlight {

namespace {

constexpr std::size_t kWorthKeeping = std::size_t{1} << 16U;   // bytes; malloc handles smaller
                                                               // sizes well
constexpr std::size_t kMaxIdleBytes = std::size_t{48} << 20U;  // in addition to memory in use
constexpr std::size_t kAlwaysKept = std::size_t{1} << 25U;     // 32 MB: a layer of most models
constexpr std::uint64_t kMaxAge = 1000;  // in results since last use: more than a run of a large
                                         // model makes

std::size_t bytes_of(Index cells) { return static_cast<std::size_t>(cells) * sizeof(float); }

class IdleMemory {
  public:
    Matrix take(Index cells) {
        const std::scoped_lock lock(guard_);
        ++now_;
        while (!idle_.empty() && idle_.front().since + kMaxAge < now_) drop_longest_idle();
        const auto fits = [cells](const Idle& idle) { return idle.matrix.size() == cells; };
        // The most recent one, because it may still be in the cache.
        const auto found = std::find_if(idle_.rbegin(), idle_.rend(), fits);
        if (found == idle_.rend()) {
            make_room(bytes_of(cells));
            return {};
        }
        Matrix matrix = std::move(found->matrix);
        idle_.erase(std::next(found).base());
        bytes_ -= bytes_of(cells);
        return matrix;
    }

    void keep(Matrix matrix) {
        const std::scoped_lock lock(guard_);
        const std::size_t bytes = bytes_of(matrix.size());
        idle_.push_back({std::move(matrix), now_});
        bytes_ += bytes;
        if (keepers_ == 0) trim();
    }

    void begin_keeping() {
        const std::scoped_lock lock(guard_);
        ++keepers_;
    }
    void end_keeping() {
        const std::scoped_lock lock(guard_);
        if (--keepers_ == 0) trim();
    }

    std::size_t bytes() {
        const std::scoped_lock lock(guard_);
        return bytes_;
    }

  private:
    struct Idle {
        Matrix matrix;
        std::uint64_t since;
    };

    // Returns as much memory to the system as is about to be requested, except for a small reserve.
    // Without the reserve, sizes that are needed at different times would keep displacing each
    // other. For sizes too large to be kept here, the reserve is not worth its memory.
    void make_room(std::size_t bytes) {
        const std::size_t least = bytes > kMaxIdleBytes ? 0 : kAlwaysKept;
        const std::size_t most = std::max(bytes_ - std::min(bytes_, bytes), least);
        while (bytes_ > most) drop_longest_idle();
    }

    void trim() {
        while (bytes_ > kMaxIdleBytes) drop_longest_idle();
    }

    void drop_longest_idle() {
        bytes_ -= bytes_of(idle_.front().matrix.size());
        idle_.pop_front();
    }

    std::mutex guard_;
    std::deque<Idle> idle_;  // the longest idle first
    std::size_t bytes_ = 0;
    std::uint64_t now_ = 0;  // number of results so far
    int keepers_ = 0;
};

IdleMemory& idle_memory() {
    // Never destroyed: results in static variables may outlive any other static.
    static auto& memory = *new IdleMemory;
    return memory;
}

// Requests pages of 2 MB if the system has them: fewer pages, so faster to get.
void prefer_huge_pages([[maybe_unused]] Matrix& matrix) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t page = std::size_t{1} << 21U;
    void* first = matrix.data();
    std::size_t left = bytes_of(matrix.size());
    if (std::align(page, page, first, left) != nullptr)
        madvise(first, left / page * page, MADV_HUGEPAGE);  // only a hint; refusal does no harm
#endif
}

}  // namespace

Matrix new_matrix(Index rows, Index cols) {
    const bool small = bytes_of(rows * cols) < kWorthKeeping;
    if (small) return Matrix(rows, cols);
    Matrix matrix = idle_memory().take(rows * cols);
    const bool fresh = matrix.size() == 0;
    matrix.resize(rows, cols);  // same number of cells, so only the shape changes
    if (fresh) prefer_huge_pages(matrix);
    return matrix;
}

void recycle(Matrix matrix) {
    if (bytes_of(matrix.size()) < kWorthKeeping) return;
    try {
        idle_memory().keep(std::move(matrix));
    } catch (const std::bad_alloc&) {
        // Destructors call this. If there is no memory left to store the entry, the matrix is
        // freed.
    }
}

KeepForNext::KeepForNext() { idle_memory().begin_keeping(); }
KeepForNext::~KeepForNext() { idle_memory().end_keeping(); }

std::size_t idle_bytes() { return idle_memory().bytes(); }

}  // namespace headlight
