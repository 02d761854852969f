#include <cmath>
#include <utility>

#include "gradient/rules.h"
#include "kernels/parallel.h"
#include "kernels/recycle.h"
#include "positions/rotary.h"

namespace headlight::gradient {

namespace {

// For y = (x − mean) / deviation · γ + β over `cols` numbers, with h = dy · γ and n = (x − mean) /
// deviation: dx = (h − mean(h) − n · mean(h · n)) / deviation. gamma: null for ones.
void back_norm_row(const float* x, const float* dy, const float* gamma, double mean,
                   double deviation, float* dx, Index cols) {
    double sum = 0, along = 0;
    for (Index i = 0; i < cols; ++i) {
        const double h = gamma == nullptr ? dy[i] : static_cast<double>(dy[i]) * gamma[i];
        sum += h;
        along += h * (x[i] - mean);
    }
    sum /= static_cast<double>(cols);
    along /= static_cast<double>(cols) * deviation * deviation;
    for (Index i = 0; i < cols; ++i) {
        const double h = gamma == nullptr ? dy[i] : static_cast<double>(dy[i]) * gamma[i];
        dx[i] = static_cast<float>((h - sum - (x[i] - mean) * along) / deviation);
    }
}

const float* first_of(const SharedResult& weight) { return weight ? weight->view().data : nullptr; }

// Each head's columns separately, as layer_norm_heads normalizes them.
Matrix back_norm_of_heads(const MatrixView& x, const Matrix& dy, Index head_dim, const float* gamma,
                          float eps) {
    Matrix dx = new_matrix(x.rows, x.cols);
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r)
            for (Index c = 0; c < x.cols; c += head_dim) {
                const float* in = x.row(r) + c;
                double mean = 0, variance = 0;
                for (Index i = 0; i < head_dim; ++i) mean += in[i];
                mean /= static_cast<double>(head_dim);
                for (Index i = 0; i < head_dim; ++i) variance += (in[i] - mean) * (in[i] - mean);
                variance /= static_cast<double>(head_dim);
                back_norm_row(in, &dy(r, c), gamma, mean, std::sqrt(variance + eps), &dx(r, c),
                              head_dim);
            }
    });
    return dx;
}

}  // namespace

void back_norm(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const Matrix dy = result_gradient(node, gradients);
    const MatrixView x = trace.all(node.operands[0]), moments = trace.all(node.results[1]);
    const float* gamma = first_of(node.weights[0].value);
    Matrix dx = new_matrix(x.rows, x.cols);
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r)
            back_norm_row(x.row(r), dy.row(r).data(), gamma, moments(r, 0), moments(r, 1),
                          dx.row(r).data(), x.cols);
    });
    gradients.add(node.operands[0], std::move(dx));
}

// With running statistics each column is an independent linear map.
void back_batch_norm(const Node& node, const Trace&, Gradients& gradients, const StopFlag&) {
    Matrix dx = result_gradient(node, gradients);
    const auto gamma = node.weights[0].value->view().eigen().row(0).array();
    const auto variance = node.weights[2].value->view().eigen().row(1).array();
    dx.array().rowwise() *= gamma / (variance + node.get<NormParameters>().eps).sqrt();
    gradients.add(node.operands[0], std::move(dx));
}

void back_norm_heads(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const auto& [eps, key_eps] = node.get<NormParameters>();
    for (std::size_t i = 0; i < 2; ++i)
        if (gradients.has(node.results[i]))
            gradients.add(
                node.operands[i],
                back_norm_of_heads(trace.all(node.operands[i]), gradients.of(node.results[i]),
                                   trace.shape.head_dim, first_of(node.weights[2 * i].value),
                                   i == 0 ? eps : key_eps));
}

// y = x / ‖x‖ of each head: dx = (dy − y (y · dy)) / ‖x‖.
void back_unit(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    Matrix dx = result_gradient(node, gradients);
    const MatrixView x = trace.all(node.operands[0]), y = trace.all(node.result());
    const Index width = x.cols / trace.shape.heads;
    for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < x.cols; c += width) {
            auto row = dx.block(r, c, 1, width);
            const auto unit = y.block(r, c, 1, width).eigen();
            const float length = x.block(r, c, 1, width).eigen().norm();
            if (length == 0)
                row.setZero();
            else
                row = (row - unit * unit.row(0).dot(row.row(0))).eval() / length;
        }
    gradients.add(node.operands[0], std::move(dx));
}

// The transpose of a rotation is the inverse rotation.
void back_rotate(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const Matrix back = -trace.all(node.results[2]).eigen();
    for (std::size_t i = 0; i < 2; ++i)
        if (gradients.has(node.results[i]))
            gradients.add(node.operands[i],
                          rotated(gradients.of(node.results[i]), node.get<Rotary>(), back,
                                  trace.all(node.results[3])));
}

// For a row a = softmax(s): ds = a · (da − Σ a · da).
void back_softmax(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const Matrix& da = gradients.of(node.result());
    const MatrixView a = trace.all(node.result());
    Matrix ds = new_matrix(a.rows, a.cols);
    parallel_cells(a.rows, a.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r) {
            const float *weights = a.row(r), *d = da.row(r).data();
            float* out = ds.row(r).data();
            double mean = 0;
            for (Index i = 0; i < a.cols; ++i) mean += static_cast<double>(weights[i]) * d[i];
            const auto by = static_cast<float>(mean);
            for (Index i = 0; i < a.cols; ++i) out[i] = weights[i] * (d[i] - by);
        }
    });
    gradients.add(node.operands[0], std::move(ds));
}

// f_m = exp(w_m · x − ‖x‖²/2) / √M: dx = Σ_m df_m f_m (w_m − x).
void back_features(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const Matrix weighted =
        (result_gradient(node, gradients).array() * trace.all(node.result()).eigen().array())
            .matrix();
    Matrix dx = weighted * node.weights[0].value->view().eigen();
    const MatrixView x = trace.all(node.operands[0]);
    for (Index r = 0; r < dx.rows(); ++r) dx.row(r) -= weighted.row(r).sum() * x.eigen().row(r);
    gradients.add(node.operands[0], std::move(dx));
}

// y = row / (sum + ε): dx = (dy − Σ dy · y) / (sum + ε).
void back_share(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    Matrix dx = result_gradient(node, gradients);
    const MatrixView x = trace.all(node.operands[0]), y = trace.all(node.result());
    const float eps = node.get<ShareParameters>().eps;
    for (Index r = 0; r < dx.rows(); ++r) {
        const double mean = (dx.row(r).array() * y.eigen().row(r).array()).cast<double>().sum();
        const double sum = x.eigen().row(r).cast<double>().sum() + eps;
        dx.row(r) = ((dx.row(r).cast<double>().array() - mean) / sum).cast<float>();
    }
    gradients.add(node.operands[0], std::move(dx));
}

}  // namespace headlight::gradient
