#pragma once

#include <functional>
#include <memory>

#include "kernels/matrix.h"

namespace headlight {

class Workers;

// The worker threads. The program owns one pool and passes it in; without a pool, everything runs
// on the caller's thread. Threads start when first needed. After their last task they look for more
// work for a fraction of a millisecond, and then sleep.
class ThreadPool {
  public:
    ThreadPool();
    ~ThreadPool();  // joins all threads; no parallel_for may be running
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

  private:
    friend void use_pool(ThreadPool*);
    std::unique_ptr<Workers> workers_;
};
// Sets the pool that parallel_for uses; null: the caller's thread. A destroyed pool is no longer
// used. No parallel_for may be running.
void use_pool(ThreadPool* pool);

// The number of threads that parallel_for uses, including the caller's. The default is all threads
// of the machine; 1 means the caller's thread only. No result depends on it.
int threads();
void set_threads(int count);

// Calls body(i) for each i in [0, count), in no particular order. If a body throws, no further
// bodies start; the first exception is rethrown to the caller after all running bodies have ended.
void parallel_for(Index count, const std::function<void(Index)>& body);

// Calls body(first, rows) for consecutive blocks of at most `block` rows of [0, total).
void parallel_rows(Index total, Index block, const std::function<void(Index, Index)>& body);

// As parallel_rows, for rows of a matrix whose cells take about a nanosecond each. Chooses blocks
// large enough to be worth another thread.
void parallel_cells(Index rows, Index cols, const std::function<void(Index, Index)>& body);

}  // namespace headlight
