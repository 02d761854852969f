#include "analysis/denoising.h"

#include <cmath>

namespace headlight {

namespace {

// `clean` starts at the first of the values.
double error_of(const std::vector<float>& values, const float* clean) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double off = static_cast<double>(values[i]) - clean[i];
        sum += off * off;
    }
    return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace

std::optional<Denoising> denoising_of(const Trace& trace) {
    const Node* cut = trace.node(Step::windows);
    if (cut == nullptr || !trace.has(Tensor::curve)) return std::nullopt;
    const MatrixView windows = trace.view(cut->result()), output = trace.view(Tensor::output);
    const MatrixView curve = trace.view(Tensor::curve), clean = trace.view(Tensor::clean_curve);
    Denoising found;
    found.first = windows.cols / 2;
    std::vector<float> noisy;
    const bool same_width = output.rows == windows.rows && output.cols == windows.cols;
    for (Index i = 0; i < windows.rows; ++i) {
        noisy.push_back(curve(0, found.first + i));
        double sum = 0;
        for (Index j = 0; j < windows.cols; ++j) sum += windows(i, j);
        found.average.push_back(static_cast<float>(sum / static_cast<double>(windows.cols)));
        if (same_width) found.attended.push_back(output(i, found.first));
    }
    const float* truth = clean.data + found.first;
    found.noisy_error = error_of(noisy, truth);
    found.average_error = error_of(found.average, truth);
    found.attended_error = error_of(found.attended, truth);
    return found;
}

}  // namespace headlight
