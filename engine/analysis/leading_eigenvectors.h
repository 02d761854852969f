#pragma once

#include <Eigen/Core>

namespace headlight {

struct Eigenpairs {
    Eigen::VectorXd values;   // [count], descending
    Eigen::MatrixXd vectors;  // [n, count], orthonormal columns
};

// The eigenvectors of the `count` largest eigenvalues of a symmetric, positive semidefinite matrix
// [n, n], 1 <= count <= n. Of large matrices they are found in a block Krylov space with full
// reorthogonalization (Golub and Van Loan, "Matrix computations", 4th edition, section 10.3.6),
// until no residual |A v − λ v| exceeds 1e-9 of the largest eigenvalue; where that space would not
// be much smaller than the matrix, by a full decomposition. The result does not depend on threads.
Eigenpairs leading_eigenvectors(const Eigen::MatrixXd& symmetric, Eigen::Index count);

}  // namespace headlight
