#include "analysis/recurrent.h"

#include <Eigen/QR>
#include <cmath>

#include "kernels/random.h"

namespace headlight {

namespace {

using RecurrentMatrix = Eigen::MatrixXd;
using RecurrentColumn = Eigen::VectorXd;

RecurrentMatrix drawn_matrix(Index rows, Index cols, double deviation, SplitMix& random) {
    RecurrentMatrix matrix(rows, cols);
    for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < cols; ++c) matrix(r, c) = deviation * random.normal();
    return matrix;
}

// Q of the QR decomposition of a random matrix: orthogonal, keeps lengths.
RecurrentMatrix drawn_rotation(Index size, SplitMix& random) {
    const RecurrentMatrix matrix = drawn_matrix(size, size, 1, random);
    return Eigen::HouseholderQR<RecurrentMatrix>(matrix).householderQ();
}

RecurrentMatrix widened(const MatrixView& view) { return view.eigen().cast<double>(); }

RecurrentColumn bias_of(const RecurrentWeights& weights) {
    return Eigen::Map<const RecurrentColumn>(weights.bias.data(), std::ssize(weights.bias));
}

RecurrentColumn sigmoid(const RecurrentColumn& x) { return (1 + (-x.array()).exp()).inverse(); }

// One step: the gates after their activations, and the state.
struct LstmStep {
    RecurrentColumn i, f, g, o, c, tanh_c;
};

LstmStep lstm_step(const RecurrentColumn& gates, const RecurrentColumn& before) {
    const Index size = gates.size() / 4;
    LstmStep step{.i = sigmoid(gates.segment(0, size)),
                  .f = sigmoid(gates.segment(size, size)),
                  .g = gates.segment(2 * size, size).array().tanh(),
                  .o = sigmoid(gates.segment(3 * size, size)),
                  .c = {},
                  .tanh_c = {}};
    step.c = step.f.array() * before.array() + step.i.array() * step.g.array();
    step.tanh_c = step.c.array().tanh();
    return step;
}

}  // namespace

RecurrentWeights draw_rnn(Index width, Index hidden, double gain, std::uint64_t seed) {
    SplitMix random(seed);
    const RecurrentMatrix input = drawn_matrix(hidden, width, 1 / std::sqrt(width), random);
    return {input.cast<float>(), (gain * drawn_rotation(hidden, random)).cast<float>(),
            std::vector<double>(static_cast<std::size_t>(hidden), 0)};
}

LstmWeights draw_lstm(Index width, Index hidden, double forget_bias, std::uint64_t seed) {
    SplitMix random(seed);
    constexpr double kGateGain = 0.5;
    LstmWeights weights{drawn_matrix(4 * hidden, width, 1 / std::sqrt(width), random).cast<float>(),
                        Matrix(4 * hidden, hidden),
                        std::vector<double>(static_cast<std::size_t>(4 * hidden), 0)};
    for (Index gate = 0; gate < 4; ++gate)
        weights.hidden.middleRows(gate * hidden, hidden) =
            (kGateGain * drawn_rotation(hidden, random)).cast<float>();
    for (Index unit = hidden; unit < 2 * hidden; ++unit)
        weights.bias[static_cast<std::size_t>(unit)] = forget_bias;
    return weights;
}

// Backward: δ_t = (Uᵀ δ_{t+1} + [t = N]) ⊙ (1 − h_t²), ∂y/∂x_t = Wᵀ δ_t.
SequenceMemory memory_of_rnn(const MatrixView& tokens, const RecurrentWeights& weights) {
    const RecurrentMatrix w = widened(weights.input), u = widened(weights.hidden),
                          x = widened(tokens);
    const RecurrentColumn bias = bias_of(weights);
    const Index count = x.rows(), size = u.rows();
    RecurrentMatrix states(count, size);
    RecurrentColumn h = RecurrentColumn::Zero(size);
    for (Index t = 0; t < count; ++t) {
        h = (w * x.row(t).transpose() + u * h + bias).array().tanh();
        states.row(t) = h.transpose();
    }
    SequenceMemory memory{states.cast<float>(),
                          std::vector<double>(static_cast<std::size_t>(count))};
    RecurrentColumn of_state = RecurrentColumn::Ones(size);
    for (Index t = count - 1; t >= 0; --t) {
        const RecurrentColumn before_tanh =
            of_state.array() * (1 - states.row(t).transpose().array().square());
        memory.gradient[static_cast<std::size_t>(t)] = (w.transpose() * before_tanh).norm();
        of_state = u.transpose() * before_tanh;
    }
    return memory;
}

SequenceMemory memory_of_lstm(const MatrixView& tokens, const LstmWeights& weights) {
    const RecurrentMatrix w = widened(weights.input), u = widened(weights.hidden),
                          x = widened(tokens);
    const RecurrentColumn bias = bias_of(weights);
    const Index count = x.rows(), size = u.cols();
    std::vector<LstmStep> steps;
    RecurrentMatrix states(count, size);
    RecurrentColumn h = RecurrentColumn::Zero(size), c = RecurrentColumn::Zero(size);
    for (Index t = 0; t < count; ++t) {
        steps.push_back(lstm_step(w * x.row(t).transpose() + u * h + bias, c));
        c = steps.back().c;
        h = steps.back().o.array() * steps.back().tanh_c.array();
        states.row(t) = h.transpose();
    }
    SequenceMemory memory{states.cast<float>(),
                          std::vector<double>(static_cast<std::size_t>(count))};
    RecurrentColumn of_h = RecurrentColumn::Ones(size), of_c = RecurrentColumn::Zero(size);
    for (Index t = count - 1; t >= 0; --t) {
        const LstmStep& s = steps[static_cast<std::size_t>(t)];
        const RecurrentColumn before = t > 0 ? steps[static_cast<std::size_t>(t) - 1].c
                                             : RecurrentColumn(RecurrentColumn::Zero(size));
        of_c.array() += of_h.array() * s.o.array() * (1 - s.tanh_c.array().square());
        RecurrentColumn gates(4 * size);
        gates << of_c.array() * s.g.array() * s.i.array() * (1 - s.i.array()),
            of_c.array() * before.array() * s.f.array() * (1 - s.f.array()),
            of_c.array() * s.i.array() * (1 - s.g.array().square()),
            of_h.array() * s.tanh_c.array() * s.o.array() * (1 - s.o.array());
        memory.gradient[static_cast<std::size_t>(t)] = (w.transpose() * gates).norm();
        of_h = u.transpose() * gates;
        of_c = of_c.array() * s.f.array();
    }
    return memory;
}

// With v_j = Σ_c x_jc, y = Σ a_j v_j and scores s_j = x_N·x_j/√D: ∂y/∂s_j = a_j (v_j − y).
SequenceMemory memory_of_attention(const MatrixView& tokens) {
    const RecurrentMatrix x = widened(tokens);
    const Index count = x.rows(), last = count - 1;
    const double scale = 1 / std::sqrt(x.cols());
    const RecurrentColumn scores = scale * (x * x.row(last).transpose());
    RecurrentColumn weights = (scores.array() - scores.maxCoeff()).exp();
    weights /= weights.sum();
    const RecurrentColumn values = x.rowwise().sum();
    const RecurrentColumn of_score = weights.array() * (values.array() - weights.dot(values));
    RecurrentMatrix gradient = weights.replicate(1, x.cols()) + scale * of_score * x.row(last);
    gradient.row(last) += scale * (of_score.transpose() * x);
    SequenceMemory memory{weights.transpose().cast<float>(), {}};
    for (Index t = 0; t < count; ++t) memory.gradient.push_back(gradient.row(t).norm());
    return memory;
}

}  // namespace headlight
