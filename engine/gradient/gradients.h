#pragma once

#include <map>

#include "kernels/matrix.h"
#include "trace/tensors.h"

namespace headlight {

// ∂y/∂ of a trace's tensors, as far as they are known: each of the shape that Trace::all gives of
// the tensor, except that queries, keys, values and head outputs have their heads side by side.
class Gradients {
  public:
    [[nodiscard]] bool has(Tensor tensor) const { return of_.contains(tensor); }
    [[nodiscard]] const Matrix& of(Tensor tensor) const { return of_.at(tensor); }

    // What reaches it on one more way.
    void add(Tensor tensor, Matrix gradient);
    // The same of a rectangle that begins in this column; rows and cols are those of the tensor.
    void add_columns(Tensor tensor, Index rows, Index cols, Index first, const Matrix& gradient);
    // Lets go of it.
    [[nodiscard]] Matrix take(Tensor tensor);

  private:
    std::map<Tensor, Matrix> of_;
};

}  // namespace headlight
