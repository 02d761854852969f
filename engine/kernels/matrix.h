#pragma once

#include <Eigen/Core>
#include <cstdint>

// The one matrix type of the engine: row-major float, token index first (`X [N, D]`).
namespace headlight {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Matrix<float, 1, Eigen::Dynamic, Eigen::RowMajor>;

// a / b rounded up: how many blocks of b items hold a items. b > 0.
constexpr Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

// A read-only view of a row-major matrix that it does not own: rows × cols, `stride` floats from
// one row to the next. Cheap to copy; valid as long as the owner lives.
struct MatrixView {
    const float* data = nullptr;
    Index rows = 0;
    Index cols = 0;
    Index stride = 0;

    using Map = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

    MatrixView() = default;
    MatrixView(const float* first, Index row_count, Index col_count, Index row_stride)
        : data(first), rows(row_count), cols(col_count), stride(row_stride) {}
    MatrixView(
        const Matrix& m)  // NOLINT(google-explicit-constructor): a matrix is a view of itself
        : data(m.data()), rows(m.rows()), cols(m.cols()), stride(m.cols()) {}

    [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
    [[nodiscard]] Map eigen() const { return {data, rows, cols, Eigen::OuterStride<>(stride)}; }
    [[nodiscard]] const float* row(Index r) const { return data + r * stride; }
    float operator()(Index r, Index c) const { return data[r * stride + c]; }

    // The block that starts at (r, c). It must be within the matrix.
    [[nodiscard]] MatrixView block(Index r, Index c, Index row_count, Index col_count) const {
        return {data + r * stride + c, row_count, col_count, stride};
    }

    friend bool operator==(const MatrixView&, const MatrixView&) = default;
};

// As MatrixView, but writable.
struct MatrixSpan {
    float* data = nullptr;
    Index rows = 0;
    Index cols = 0;
    Index stride = 0;

    using Map = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

    MatrixSpan(float* first, Index row_count, Index col_count, Index row_stride)
        : data(first), rows(row_count), cols(col_count), stride(row_stride) {}
    MatrixSpan(Matrix& m)  // NOLINT(google-explicit-constructor): as for MatrixView
        : data(m.data()), rows(m.rows()), cols(m.cols()), stride(m.cols()) {}

    [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
    [[nodiscard]] Map eigen() const { return {data, rows, cols, Eigen::OuterStride<>(stride)}; }
    [[nodiscard]] float* row(Index r) const { return data + r * stride; }

    [[nodiscard]] MatrixSpan block(Index r, Index c, Index row_count, Index col_count) const {
        return {data + r * stride + c, row_count, col_count, stride};
    }
};

}  // namespace headlight
