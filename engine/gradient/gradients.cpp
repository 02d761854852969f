#include "gradient/gradients.h"

#include <utility>

namespace headlight {

void Gradients::add(Tensor tensor, Matrix gradient) {
    const auto [at, is_first] = of_.try_emplace(tensor);
    if (is_first)
        at->second = std::move(gradient);
    else
        at->second += gradient;
}

void Gradients::add_columns(Tensor tensor, Index rows, Index cols, Index first,
                            const Matrix& gradient) {
    const auto [at, is_first] = of_.try_emplace(tensor);
    if (is_first) at->second = Matrix::Zero(rows, cols);
    at->second.middleCols(first, gradient.cols()) += gradient;
}

Matrix Gradients::take(Tensor tensor) {
    Matrix gradient = std::move(of_.at(tensor));
    of_.erase(tensor);
    return gradient;
}

}  // namespace headlight
