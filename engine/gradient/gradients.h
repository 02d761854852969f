#pragma once

#include <map>

#include "kernels/matrix.h"
#include "trace/tensors.h"

namespace headlight {

// The known gradients ∂y/∂x of a trace's tensors. Each has the shape of Trace::all(x), except that
// queries, keys, values and head outputs have their heads side by side.
class Gradients {
  public:
    [[nodiscard]] bool has(Tensor tensor) const { return of_.contains(tensor); }
    [[nodiscard]] const Matrix& of(Tensor tensor) const { return of_.at(tensor); }

    // Adds a contribution to the gradient.
    void add(Tensor tensor, Matrix gradient);
    // Adds a contribution to some columns, starting at `first`; rows and cols are those of the
    // tensor.
    void add_columns(Tensor tensor, Index rows, Index cols, Index first, const Matrix& gradient);
    // Removes the gradient and returns it.
    [[nodiscard]] Matrix take(Tensor tensor);

  private:
    std::map<Tensor, Matrix> of_;
};

}  // namespace headlight
