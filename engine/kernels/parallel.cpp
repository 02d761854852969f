#include "kernels/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

namespace headlight {

namespace {
std::atomic<int> chosen_threads{0};
}

int threads() {
    const int chosen = chosen_threads.load();
    return chosen > 0 ? chosen : omp_get_num_procs();
}

void set_threads(int count) { chosen_threads = count; }

void parallel_for(Index count, const std::function<void(Index)>& body) {
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    std::mutex guard;
    // An exception must not leave an OpenMP region, so it is carried over its edge.
    const auto guarded = [&](Index i) {
        if (failed) return;
        try {
            body(i);
        } catch (...) {
            const std::scoped_lock lock(guard);
            if (!failure) failure = std::current_exception();
            failed = true;
        }
    };
    const int workers = static_cast<int>(std::min<Index>(threads(), count));
    if (workers <= 1) {
        for (Index i = 0; i < count; ++i) guarded(i);
    } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
        for (Index i = 0; i < count; ++i) guarded(i);
    }
    if (failure) std::rethrow_exception(failure);
}

void parallel_rows(Index total, Index block, const std::function<void(Index, Index)>& body) {
    parallel_for((total + block - 1) / block, [&](Index i) {
        const Index first = i * block;
        body(first, std::min(block, total - first));
    });
}

}  // namespace headlight
