#pragma once

#include "kernels/matrix.h"

// Layer normalization, arXiv 1607.06450, as torch.nn.LayerNorm: (x − mean) / √(variance + eps) · γ
// + β over each row, with the population variance. Sums use double, so the result equals exact
// arithmetic up to the last digit. A NaN or an infinity makes its row NaN; a row of equal numbers
// gives β.
namespace headlight {

struct NormResult {
    Matrix normalised;  // [N, D]
    Matrix moments;     // [N, 2]: mean and √(variance + eps) of each row
};

// x [N, D]; gamma and beta [1, D], or empty for ones and zeros.
NormResult layer_norm(const MatrixView& x, const MatrixView& gamma, const MatrixView& beta,
                      float eps);

// Layer norm over each head's head_dim columns separately, for queries and keys: x [N, H·head_dim],
// gamma and beta [1, head_dim] for all heads, or empty. Result [N, H·head_dim].
Matrix layer_norm_heads(const MatrixView& x, Index head_dim, const MatrixView& gamma,
                        const MatrixView& beta, float eps);

// Batch norm in evaluation mode, arXiv 1502.03167, algorithm 2, as torch.nn.BatchNorm1d: (x − mean)
// / √(variance + eps) · γ + β, with each column's running mean and variance from training. x [N,
// D]; running [2, D]: mean and variance; gamma and beta as above. `moments` [2, D]: mean and
// √(variance + eps) of each column.
NormResult batch_norm(const MatrixView& x, const MatrixView& running, const MatrixView& gamma,
                      const MatrixView& beta, float eps);

}  // namespace headlight
