#pragma once

#include <cstddef>

#include "kernels/matrix.h"

// Reuses the memory of large results. The system hands out new memory page by page and zeroes each;
// for the scores of 3000 tokens that takes longer than computing them. So a result that is no
// longer needed leaves its memory here, for the next result of the same size.
//
// If no memory of that size is idle, recycle returns as much to the system as it requests. All
// memory, in use and idle, stays below the largest amount that was in use at once plus 32 MB.
namespace headlight {

// A matrix with arbitrary content; the caller must write every cell.
Matrix new_matrix(Index rows, Index cols);

// Keeps the memory of a matrix for a later new_matrix with the same number of cells, up to a fixed
// limit.
void recycle(Matrix matrix);

// While an object of this class exists, recycle has no limit. The attention of one layer may be
// larger than the limit, and the next layer needs as much again. The destructor returns memory
// beyond the limit to the system.
class KeepForNext {
  public:
    KeepForNext();
    ~KeepForNext();
    KeepForNext(const KeepForNext&) = delete;
    KeepForNext& operator=(const KeepForNext&) = delete;
};

// Bytes of idle memory.
std::size_t idle_bytes();

}  // namespace headlight
