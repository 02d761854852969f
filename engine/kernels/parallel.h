#pragma once

#include <functional>
#include <memory>

#include "kernels/matrix.h"

namespace headlight {

class Workers;

// The threads that compute. The program owns one and hands it in; without one, everything is
// computed on the caller's thread. Threads start when they are first needed, look for work for a
// fraction of a millisecond after their last, and then sleep.
class ThreadPool {
  public:
    ThreadPool();
    ~ThreadPool();  // joins all threads. No parallel_for may be running.
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

  private:
    friend void use_pool(ThreadPool*);
    std::unique_ptr<Workers> workers_;
};
// What parallel_for computes on from now on; null: on the caller's thread. A pool that ends is no
// longer used. No parallel_for may be running.
void use_pool(ThreadPool* pool);

// How many threads parallel_for would use, the caller's among them; all of the machine's unless
// set. 1 computes on the caller's thread. No result depends on it.
int threads();
void set_threads(int count);

// Calls body(i) for each i in [0, count), in no order. The first exception is thrown to the caller
// after all running bodies have ended; the remaining ones do not start.
void parallel_for(Index count, const std::function<void(Index)>& body);

// Calls body(first, rows) for consecutive blocks of at most `block` rows of [0, total).
void parallel_rows(Index total, Index block, const std::function<void(Index, Index)>& body);

// The same for the rows of a matrix whose cells take about a nanosecond each, in blocks that are
// worth handing to another thread.
void parallel_cells(Index rows, Index cols, const std::function<void(Index, Index)>& body);

}  // namespace headlight
