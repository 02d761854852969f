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
    a.padding = y < 0 || x < 0 || y >= trace.image->height || x >= trace.image->width;
    if (a.padding) return;
    const float pixel = trace.image->at(y, x, static_cast<int>(channel));
    a.terms.push_back({pixel, 0, pixel});
    a.sum = pixel;
    a.recomputed = (static_cast<double>(pixel) - trace.mean[channel]) / trace.std[channel];
}

// A soft split of tokens: the cell is one channel of one token of the finer grid.
void take_split(Arithmetic& a, const Trace& trace) {
    const int level = std::min(trace.block, trace.model->token_transformers());
    const SoftSplit& split = trace.model->splits[static_cast<std::size_t>(level)];
    const Index area = static_cast<Index>(split.kernel) * split.kernel;
    const Index within = a.col % area;
    const Index y = a.row / trace.grid.cols * split.stride - split.padding + within / split.kernel;
    const Index x = a.row % trace.grid.cols * split.stride - split.padding + within % split.kernel;
    const auto [rows, cols] = trace.split_grid;
    a.padding = y < 0 || x < 0 || y >= rows || x >= cols;
    if (!a.padding) take(a, trace.view(Tensor::split_input)(y * cols + x, a.col / area));
}

// Q·Kᵀ of one cell, stored or not.
float product_of(const Trace& trace, Index head, Index row, Index col) {
    const MatrixView kept = trace.view(Tensor::products, 0, head);
    if (!kept.empty()) return kept(row, col);
    const MatrixView query = trace.view(Tensor::query, 0, head),
                     key = trace.view(Tensor::key, 0, head);
    double sum = 0;
    for (Index i = 0; i < query.cols; ++i) sum += static_cast<double>(query(row, i)) * key(col, i);
    return static_cast<float>(sum);
}

// A score as the mask leaves it.
double masked(const Trace& trace, Index head, Index row, Index col, double score) {
    if (!trace.mask) return score;
    if (trace.mask->row(0, row)[col] != 0) return -std::numeric_limits<double>::infinity();
    const float* added = trace.mask->added_row(0, head, row);
    return added == nullptr ? score : score + added[col];
}

// One row of scores, [1, M]; of attention-only import there is none: empty.
Matrix scores_of(const Trace& trace, Index head, Index row) {
    const MatrixView kept = trace.view(Tensor::scores, 0, head);
    if (!kept.empty()) return kept.map().row(row);
    if (!trace.has(Tensor::query)) return {};
    Matrix scores(1, trace.shape.keys);
    for (Index m = 0; m < trace.shape.keys; ++m) {
        const float score = product_of(trace, head, row, m) * trace.factor;
        scores(0, m) = static_cast<float>(masked(trace, head, row, m, score));
    }
    return scores;
}

void share_row(Arithmetic& a, const MatrixView& scores) {
    const float* row = scores.row(0);
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
    const float product = product_of(trace, head, a.row, a.col);
    a.factor = trace.factor;
    a.terms.push_back({product, trace.factor, product * trace.factor});
    a.sum = product;
    a.recomputed = masked(trace, head, a.row, a.col, static_cast<double>(product) * trace.factor);
}

void take_from_head(Arithmetic& a, const Trace& trace) {
    const Index width = trace.shape.head_dim;
    take(a, trace.view(Tensor::head_output, 0, a.col / width)(a.row, a.col % width));
}

// One row of `input` and what its norm makes of the cell in column a.col; the channel of γ and β is
// that within the head where there are heads.
void normalise_one(Arithmetic& a, const MatrixView& input, const Norm& norm) {
    const float* row = input.row(a.row);
    for (Index i = 0; i < input.cols; ++i) a.mean += row[i];
    a.mean /= static_cast<double>(input.cols);
    double variance = 0;
    for (Index i = 0; i < input.cols; ++i) variance += (row[i] - a.mean) * (row[i] - a.mean);
    variance /= static_cast<double>(input.cols);
    a.deviation = std::sqrt(variance + norm.eps);
    a.gamma = norm.gamma->view()(0, a.col);
    a.beta = norm.beta ? norm.beta->view()(0, a.col) : 0.0F;
    a.sum = row[a.col];
    a.terms.push_back({row[a.col], 0, static_cast<float>(a.sum * a.gamma / a.deviation)});
    a.bias = a.beta;
    a.recomputed = (a.sum - a.mean) / a.deviation * a.gamma + a.beta;
}

const Norm& norm_of(const Trace& trace, Step step) {
    const Model& model = *trace.model;
    const Block& block = model.blocks[static_cast<std::size_t>(trace.block)];
    switch (step) {
        case Step::pre_norm:
            return model.pre_norm;
        case Step::qk_norm:
            return block.query_norm;
        case Step::norm1:
            return block.norm1;
        case Step::norm2:
            return block.norm2;
        case Step::pooled_norm:
            return model.pooled_norm;
        default:
            return model.norm;
    }
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double activated(Activation activation, double x) {
    switch (activation) {
        case Activation::gelu:
            return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
        case Activation::gelu_tanh:
            return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        case Activation::quick_gelu:
            return x * sigmoid(1.702 * x);
        case Activation::silu:
        case Activation::swiglu:  // of its gate
            return x * sigmoid(x);
        case Activation::relu:
            return std::max(x, 0.0);
    }
    return x;
}

void map_one(Arithmetic& a, const Trace& trace) {
    const MatrixView hidden = trace.view(a.left);
    const float x = hidden(a.row, a.col);
    take(a, x);
    if (a.result == Tensor::pooler) {
        a.recomputed = std::tanh(static_cast<double>(x));
        return;
    }
    a.activation = trace.model->blocks[static_cast<std::size_t>(trace.block)].activation;
    a.recomputed = activated(a.activation, x);
    if (a.activation != Activation::swiglu) return;
    const float value = hidden(a.row, a.col + hidden.cols / 2);
    a.terms.push_back({value, 0, value});
    a.recomputed *= value;
}

void stretch_one(Arithmetic& a, const Trace& trace) {
    const float x = trace.view(a.left)(a.row, a.col), gamma = trace.view(a.right)(0, a.col);
    a.terms.push_back({x, gamma, x * gamma});
    a.sum = a.recomputed = static_cast<double>(x) * gamma;
}

void mix_one(Arithmetic& a, const Trace& trace, Index head) {
    const auto& off = trace.switched_off;
    a.switched_off = std::find(off.begin(), off.end(), head) != off.end();
    if (a.switched_off) return;
    add_products(a, trace.view(a.left, 0, head), trace.view(a.right, 0, head), false);
}

// A learned token, or behind them a patch.
void take_stacked(Arithmetic& a, const Trace& trace) {
    const MatrixView learned = trace.view(a.left);
    const bool is_learned = a.row < learned.rows;
    if (!is_learned) a.left = a.right;
    take(a, is_learned ? learned(a.row, a.col) : trace.view(a.left)(a.row - learned.rows, a.col));
}

// The row that speaks for the image, or the mean over the patches.
void pool_one(Arithmetic& a, const Trace& trace) {
    const MatrixView tokens = trace.view(a.left);
    const Pooling pooling = trace.model->pooling;
    const bool second = a.col >= tokens.cols;
    const Index col = second ? a.col - tokens.cols : a.col;
    const bool mean =
        pooling == Pooling::patches || (pooling == Pooling::class_and_patches && second);
    if (!mean) return take(a, tokens(second ? 1 : 0, col));
    const Index first = trace.model->prefix.count();
    for (Index row = first; row < tokens.rows; ++row) {
        a.terms.push_back({tokens(row, col), 0, tokens(row, col)});
        a.sum += tokens(row, col);
    }
    a.recomputed = a.sum / static_cast<double>(tokens.rows - first);
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

void recompute(Arithmetic& a, const Trace& trace, Step step, Index head) {
    const auto view = [&](Tensor tensor) { return trace.view(tensor, 0, head); };
    switch (step) {
        case Step::image:
            return take(a, a.shown);
        case Step::patches:
            return trace.has(Tensor::split_input) ? take_split(a, trace) : take_pixel(a, trace);
        case Step::prefix:
            return take_stacked(a, trace);
        case Step::heads:
            // Q stands first in [Q K V], and alone where K and V come from other tokens.
            return take(
                a, (trace.has(Tensor::qkv) ? trace.view(Tensor::qkv) : trace.query_only->view())(
                       a.row, head * trace.shape.head_dim + a.col));
        case Step::embed:
        case Step::qkv:
        case Step::project:
        case Step::mlp_in:
        case Step::mlp_out:
        case Step::pooler:
        case Step::head:
        case Step::point:
            add_products(a, view(a.left), view(a.right), true);
            return add_bias(a, trace, *bias_of(step));
        case Step::products:
            return add_products(a, view(a.left), view(a.right), true);
        case Step::scale:
            return scale_one(a, trace, head);
        case Step::softmax: {
            const Matrix scores = scores_of(trace, head, a.row);
            if (scores.size() == 0) return take(a, a.shown);  // attention-only import
            return share_row(a, scores);
        }
        case Step::mix:
            return mix_one(a, trace, head);
        case Step::concat:
            return take_from_head(a, trace);
        case Step::position:
        case Step::skip:
        case Step::residual2:
            return add_sum(a, view(a.left), view(a.right));
        case Step::pre_norm:
        case Step::norm1:
        case Step::qk_norm:
        case Step::norm2:
        case Step::norm:
        case Step::pooled_norm:
            return normalise_one(a, view(a.left), norm_of(trace, step));
        case Step::activation:
        case Step::pooler_tanh:
            return map_one(a, trace);
        case Step::ls1:
        case Step::ls2:
            return stretch_one(a, trace);
        case Step::pool:
            return pool_one(a, trace);
    }
}

}  // namespace

Arithmetic explain_cell(const Trace& trace, Step step, Index head, Index row, Index col,
                        const MatrixView& shown) {
    const StepInfo what = describe(trace, step);
    Arithmetic a;
    a.result = what.result;
    a.row = row;
    a.col = col;
    a.kind = what.kind;
    if (!what.operands.empty()) a.left = what.operands.front();
    if (what.operands.size() > 1) a.right = what.operands[1];
    if (head < 0 || head >= trace.shape.heads) return a;
    const MatrixView result = shown.empty() ? trace.view(what.result, 0, head) : shown;
    if (row < 0 || row >= result.rows || col < 0 || col >= result.cols) return a;
    a.shown = result(row, col);
    recompute(a, trace, step, head);
    a.agrees = agree(a);
    return a;
}

}  // namespace headlight
