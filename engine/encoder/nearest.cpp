#include "encoder/nearest.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "ops/limits.h"
#include "program/program.h"

namespace headlight {

namespace {

// Applies the model's final norm to every row.
Matrix read_by_the_norm(const Trace& trace, Matrix rows, const StopFlag& stop) {
    const Model& model = *trace.model;
    if (!model.norm.exists()) return rows;
    Trace probe;
    probe.model = trace.model;
    probe.shape.batch = 1;
    const std::vector<Node> end = end_nodes(model);
    probe.nodes = {end.front()};
    probe.set(Tensor::encoded, make_result(std::move(rows)));
    compute_all(probe.nodes, probe, {nullptr, stop});
    return probe.view(Tensor::norm).eigen();
}

void check_token(const Trace& trace, Index token) {
    if (!has_one_width(trace))
        throw RecipeError(
            "The most similar tokens can be found only in a model computed to its end, with a "
            "residual stream of one width.");
    const Index tokens = trace.stream.back()->view().rows / trace.shape.batch;
    if (token < 0 || token >= tokens)
        throw RecipeError("Nearest tokens of token " + std::to_string(token) + ": this model has " +
                          std::to_string(tokens) + " tokens.");
}

}  // namespace

bool has_one_width(const Trace& trace) {
    const Model& model = *trace.model;
    if (model.is_maps() || trace.stream.size() != model.layers.size() + 1) return false;
    const auto stream =
        std::span(trace.stream).subspan(static_cast<std::size_t>(model.alike_from()));
    return std::ranges::all_of(stream, [&](const SharedResult& tokens) {
        return tokens && tokens->view().cols == stream.back()->view().cols &&
               tokens->view().rows == stream.back()->view().rows;
    });
}

Matrix cosines_to_outputs(const Trace& trace, Index token, const StopFlag& stop) {
    check_token(trace, token);
    const auto first = static_cast<std::size_t>(trace.model->alike_from());
    const MatrixView end = trace.stream.back()->view();
    const Index steps = static_cast<Index>(trace.stream.size() - first),
                tokens = end.rows / trace.shape.batch;
    Matrix rows(steps + tokens, end.cols);
    for (Index l = 0; l < steps; ++l)
        rows.row(l) = trace.stream[first + static_cast<std::size_t>(l)]->view().eigen().row(token);
    rows.bottomRows(tokens) = end.eigen().topRows(tokens);
    Eigen::MatrixXd read = read_by_the_norm(trace, std::move(rows), stop).cast<double>();
    read.rowwise().normalize();
    throw_if_stopped(stop);
    const Eigen::MatrixXd cosines = read.topRows(steps) * read.bottomRows(tokens).transpose();
    return cosines.unaryExpr([](double c) { return std::clamp(c, -1.0, 1.0); }).cast<float>();
}

std::vector<Index> nearest_tokens(const MatrixView& cosines, Index row, Index token, Index count) {
    std::vector<Index> nearest;
    for (Index j = 0; j < cosines.cols; ++j)
        if (j != token && !std::isnan(cosines(row, j))) nearest.push_back(j);
    std::ranges::stable_sort(nearest, std::greater{}, [&](Index j) { return cosines(row, j); });
    nearest.resize(std::min(nearest.size(), static_cast<std::size_t>(std::max<Index>(count, 0))));
    return nearest;
}

}  // namespace headlight
