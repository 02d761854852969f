#include "analysis/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {

namespace {

// left[row, :] times right[:, col], or times right[col, :] where the right operand is kept
// transposed.
void add_products(Arithmetic& a, const MatrixView& left, const MatrixView& right,
                  bool right_by_row) {
    a.terms.reserve(static_cast<std::size_t>(left.cols));
    for (Index i = 0; i < left.cols; ++i) {
        const float l = left(a.row, i);
        const float r = right_by_row ? right(a.col, i) : right(i, a.col);
        a.terms.push_back({l, r, l * r});
        a.sum += static_cast<double>(l) * r;
    }
    a.recomputed = a.sum;
}

void add_bias(Arithmetic& a, const Trace& trace, Tensor bias) {
    a.has_bias = trace.has(bias);
    if (!a.has_bias) return;
    a.bias = trace.view(bias)(0, a.col);
    a.recomputed = a.sum + a.bias;
}

// One of the two may not exist: a layer without a skip, tokens without positions.
void add_sum(Arithmetic& a, const MatrixView& left, const MatrixView& right) {
    for (const MatrixView& operand : {left, right}) {
        if (operand.empty()) continue;
        const float value = operand(a.row, a.col);
        a.terms.push_back({value, 0, value});
        a.sum += value;
    }
    a.recomputed = a.sum;
}

void take(Arithmetic& a, float value) {
    a.terms.push_back({value, 0, value});
    a.sum = a.recomputed = value;
}

void take_pixel(Arithmetic& a, const Trace& trace) {
    const int size = trace.grid.settings.size;
    const auto feature = static_cast<int>(a.col);
    const auto channel = static_cast<std::size_t>(feature / (size * size));
    const PixelRect rect = trace.grid.rect(static_cast<int>(a.row));
    const int y = rect.row + feature % (size * size) / size;
    const int x = rect.col + feature % size;
    a.padding = y >= trace.image->height || x >= trace.image->width;
    if (a.padding) return;
    const float pixel = trace.image->at(y, x, static_cast<int>(channel));
    a.terms.push_back({pixel, 0, pixel});
    a.sum = pixel;
    a.recomputed = (static_cast<double>(pixel) - trace.mean[channel]) / trace.std[channel];
}

void share_row(Arithmetic& a, const MatrixView& scores) {
    const float* row = scores.row(a.row);
    a.row_max = *std::max_element(row, row + scores.cols);
    // A row with every key blocked is zero by definition. NaN and +inf need no care: they make the
    // sum NaN, and so the whole row.
    const bool blocked = std::all_of(row, row + scores.cols, [](float score) {
        return score == -std::numeric_limits<float>::infinity();
    });
    for (Index m = 0; m < scores.cols; ++m) {
        const double e = blocked ? 0.0 : std::exp(static_cast<double>(row[m]) - a.row_max);
        a.terms.push_back({row[m], 0, static_cast<float>(e)});
        a.sum += e;
    }
    a.numerator = a.terms[static_cast<std::size_t>(a.col)].value;
    a.recomputed = blocked ? 0.0 : a.numerator / a.sum;
}

void scale_one(Arithmetic& a, const Trace& trace, Index head) {
    const float product = trace.view(Tensor::products, 0, head)(a.row, a.col);
    a.factor = trace.factor;
    a.terms.push_back({product, trace.factor, product * trace.factor});
    a.sum = product;
    const bool blocked = trace.mask && trace.mask->row(0, a.row)[a.col] != 0;
    a.recomputed = blocked ? -std::numeric_limits<double>::infinity()
                           : static_cast<double>(product) * trace.factor;
}

void take_from_head(Arithmetic& a, const Trace& trace) {
    const Index width = trace.shape.head_dim;
    take(a, trace.view(Tensor::head_output, 0, a.col / width)(a.row, a.col % width));
}

// What a float can say of a number: beyond its range lies infinity.
float as_float(double value) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    if (std::abs(value) <= kLargest || std::isnan(value)) return static_cast<float>(value);
    return std::copysign(std::numeric_limits<float>::infinity(), value > 0 ? 1.0F : -1.0F);
}

bool agree(const Arithmetic& a) {
    const float recomputed = as_float(a.recomputed);
    if (!std::isfinite(a.shown) || !std::isfinite(recomputed))
        return a.shown == recomputed || (std::isnan(a.shown) && std::isnan(recomputed));
    double size = std::abs(a.bias) + std::abs(a.recomputed);
    if (a.kind != StepKind::softmax)
        for (const Term& term : a.terms) size += std::abs(term.value);
    return std::abs(a.recomputed - a.shown) <= 1e-5 * size + 1e-7;
}

}  // namespace

Arithmetic explain_cell(const Trace& trace, Step step, Index head, Index row, Index col) {
    const StepInfo& what = info(step);
    Arithmetic a;
    a.result = what.result;
    a.row = row;
    a.col = col;
    a.kind = what.kind;
    if (!what.operands.empty()) a.left = what.operands.front();
    if (what.operands.size() > 1) a.right = what.operands[1];
    if (head < 0 || head >= trace.shape.heads) return a;
    const MatrixView result = trace.view(what.result, 0, head);
    if (row < 0 || row >= result.rows || col < 0 || col >= result.cols) return a;
    a.shown = result(row, col);
    const auto view = [&](Tensor tensor) { return trace.view(tensor, 0, head); };
    switch (step) {
        case Step::image:
            take(a, a.shown);
            break;
        case Step::patches:
            take_pixel(a, trace);
            break;
        case Step::qkv:
            add_products(a, view(a.left), view(a.right), true);
            add_bias(a, trace, Tensor::qkv_bias);
            break;
        case Step::heads:
            // Q stands first in [Q K V], and alone where K and V come from other tokens.
            take(a, MatrixView((trace.qkv ? trace.qkv : trace.query_only)->matrix)(
                        row, head * trace.shape.head_dim + col));
            break;
        case Step::products:
            add_products(a, view(a.left), view(a.right), true);
            break;
        case Step::scale:
            scale_one(a, trace, head);
            break;
        case Step::softmax:
            share_row(a, view(a.left));
            break;
        case Step::mix:
            add_products(a, view(a.left), view(a.right), false);
            break;
        case Step::concat:
            take_from_head(a, trace);
            break;
        case Step::project:
            add_products(a, view(a.left), view(a.right), true);
            add_bias(a, trace, Tensor::projection_bias);
            break;
        case Step::position:
        case Step::skip:
            add_sum(a, view(a.left), view(a.right));
            break;
    }
    a.agrees = agree(a);
    return a;
}

}  // namespace headlight
