#pragma once

#include <cstddef>

#include "kernels/matrix.h"

// Memory for big results. The system hands out fresh memory page by page, zeroing each; for the
// scores of 3000 tokens that takes longer than computing them. So a result that nobody shows any
// more leaves its memory here, and the next one of the same size moves in.
//
// Where none of the same size lies here, as much is given back to the system as is asked of it: all
// memory, in use and idle, stays below what was once in use at the same time and 32 MB.
namespace headlight {

// A matrix whose cells hold anything; the caller writes them all.
Matrix new_matrix(Index rows, Index cols);

// Keeps the memory of a matrix for a later new_matrix of as many cells, within a fixed limit.
void recycle(Matrix matrix);

// While one lives, recycle has no limit: a layer's attention may be larger than that, and the next
// layer wants as much again. What is then beyond the limit is given back.
class KeepForNext {
  public:
    KeepForNext();
    ~KeepForNext();
    KeepForNext(const KeepForNext&) = delete;
    KeepForNext& operator=(const KeepForNext&) = delete;
};

// Bytes that wait for a new_matrix.
std::size_t idle_bytes();

}  // namespace headlight
