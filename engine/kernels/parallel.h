#pragma once

#include <functional>

#include "kernels/matrix.h"

namespace headlight {

// Threads that parallel_for uses; all of the machine's unless set. 1 computes on the caller's
// thread.
int threads();
void set_threads(int count);

// Calls body(i) for each i in [0, count), in no order. The first exception is thrown to the caller
// after all running bodies have ended; the remaining ones do not start.
void parallel_for(Index count, const std::function<void(Index)>& body);

// Calls body(first, rows) for consecutive blocks of at most `block` rows of [0, total).
void parallel_rows(Index total, Index block, const std::function<void(Index, Index)>& body);

// The same for the rows of a matrix whose cells take about a nanosecond each, in blocks that are
// worth waking a thread for.
void parallel_cells(Index rows, Index cols, const std::function<void(Index, Index)>& body);

}  // namespace headlight
