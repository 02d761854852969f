#include "encoder/layer_steps.h"

#include <algorithm>
#include <string>
#include <utility>

#include "encoder/norm_step.h"
#include "encoder/runner.h"
#include "kernels/activation.h"
#include "kernels/norm.h"
#include "kernels/parallel.h"
#include "kernels/recycle.h"

namespace headlight {

namespace {

Vector row_of(const SharedResult& bias) { return bias ? Vector(bias->view().map()) : Vector(); }

// What the products of a layer read: normalised tokens, or in a bare layer the tokens themselves.
MatrixView attention_input(const Trace& trace) {
    return trace.all(trace.has(Tensor::norm1) ? Tensor::norm1 : Tensor::input);
}

void project_qkv(Trace& trace, const Linear& qkv) {
    const MatrixView tokens = attention_input(trace);
    if (!trace.value_tokens) {
        trace.set(Tensor::qkv, make_result(linear(tokens, qkv)));
        return;
    }
    // Cross-attention: queries from one set of tokens, keys and values from the other.
    const MatrixView all = qkv.weight->view();
    const Vector bias = row_of(qkv.bias);
    const Index c = trace.config.channels;
    const Vector query_bias = bias.size() != 0 ? Vector(bias.head(c)) : Vector();
    const Vector key_value_bias = bias.size() != 0 ? Vector(bias.tail(2 * c)) : Vector();
    trace.query_only = make_result(linear(tokens, all.block(0, 0, c, all.cols), query_bias));
    trace.key_value = make_result(
        linear(trace.value_tokens->view(), all.block(c, 0, 2 * c, all.cols), key_value_bias));
}

// All samples' queries, keys or values with the heads side by side: [B·N, C].
MatrixView all_heads(const Trace& trace, Tensor part) {
    const Index c = trace.shape.channels();
    const MatrixView whole = trace.all(part);
    const bool normed = trace.has(Tensor::raw_query), packed = trace.has(Tensor::qkv);
    Index first = 0;
    if (part == Tensor::key && !normed) first = packed ? c : 0;
    if (part == Tensor::value) first = packed ? 2 * c : c;
    return whole.block(0, first, whole.rows, c);
}

// Nothing is computed: the heads are columns of what is there (Trace::view). But the number of
// heads may be new, so its consequences are checked here.
void cut_heads(Trace& trace) {
    validate(trace.config);
    trace.shape.heads = trace.config.heads;
    trace.shape.head_dim = trace.config.head_dim();
    if (trace_bytes(trace.shape, trace.config.dim, trace.keeps_squares) > kMaxTraceBytes)
        throw RecipeError("This many heads and tokens need more memory than the limit of " +
                          std::to_string(static_cast<int>(kMaxTraceBytes / (1 << 30))) +
                          " GB: choose fewer heads or fewer tokens.");
}

void normalise_heads(Trace& trace, const Block& block) {
    const Index c = trace.shape.channels();
    const MatrixView qkv = trace.all(Tensor::qkv);
    const auto normed = [&](Index first, const Norm& norm) {
        const auto view = [](const SharedResult& r) { return r ? r->view() : MatrixView{}; };
        return make_result(layer_norm_heads(qkv.block(0, first, qkv.rows, c), trace.shape.head_dim,
                                            view(norm.gamma), view(norm.beta), norm.eps));
    };
    SharedResult query = normed(0, block.query_norm), key = normed(c, block.key_norm);
    trace.set(Tensor::query, std::move(query));
    trace.set(Tensor::key, std::move(key));
}

void multiply_queries_and_keys(Trace& trace, const StopFlag& stop) {
    if (!trace.keeps_squares) return trace.set(Tensor::products, nullptr);
    trace.set(Tensor::products,
              make_result(query_key_products(all_heads(trace, Tensor::query),
                                             all_heads(trace, Tensor::key), trace.shape, stop)));
}

void scale_products(Trace& trace, const StopFlag& stop) {
    validate(trace.config);
    trace.factor = trace.config.effective_scale() / trace.config.temperature;
    const Mask* mask = trace.mask.get();
    if (!trace.keeps_squares) {
        trace.set(Tensor::scores, nullptr);
        trace.set(Tensor::attention, nullptr);  // its memory may serve the new one
        trace.set(
            Tensor::attention,
            make_result(attention_of(all_heads(trace, Tensor::query), all_heads(trace, Tensor::key),
                                     trace.factor, mask, trace.shape, stop)));
        return;
    }
    auto [scores, attention] =
        scale_and_softmax(trace.all(Tensor::products), trace.factor, mask, trace.shape, stop);
    trace.set(Tensor::scores, make_result(std::move(scores)));
    trace.set(Tensor::attention, make_result(std::move(attention)));
}

// The heads side by side; one that is switched off says nothing, whatever it reads.
void mix_heads(Trace& trace, const StopFlag& stop) {
    Matrix mixed = mix_values(trace.all(Tensor::attention), all_heads(trace, Tensor::value),
                              trace.shape, stop);
    const Index width = trace.shape.head_dim;
    for (const Index head : trace.switched_off) mixed.middleCols(head * width, width).setZero();
    trace.set(Tensor::concat, make_result(std::move(mixed)));
}

void project(Trace& trace, const Linear& layer, Tensor from, Tensor to) {
    trace.set(to, make_result(linear(trace.all(from), layer)));
}

// Every column times a number of its own.
void stretch(Trace& trace, const SharedResult& gamma, Tensor from, Tensor to) {
    const MatrixView x = trace.all(from);
    Matrix out = new_matrix(x.rows, x.cols);
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        out.middleRows(first, rows) =
            x.map().middleRows(first, rows).array().rowwise() * gamma->view().map().row(0).array();
    });
    trace.set(to, make_result(std::move(out)));
}

void add(Trace& trace, const MatrixView& left, Tensor right, Tensor to) {
    Matrix sum = new_matrix(left.rows, left.cols);
    const MatrixView other = trace.all(right);
    parallel_cells(left.rows, left.cols, [&](Index first, Index rows) {
        sum.middleRows(first, rows) =
            left.map().middleRows(first, rows) + other.map().middleRows(first, rows);
    });
    trace.set(to, make_result(std::move(sum)));
}

// What comes out of attention; without an MLP it is the layer's output too.
void add_skip(Trace& trace, const Block& block) {
    validate(trace.config);
    const Tensor branch = block.ls1 ? Tensor::ls1 : Tensor::projection;
    if (trace.config.skip == Skip::none) {
        trace.set(Tensor::residual1, trace.result(branch));
    } else {
        const MatrixView skip = trace.config.skip == Skip::input ? trace.all(Tensor::input)
                                                                 : all_heads(trace, Tensor::value);
        add(trace, skip, branch, Tensor::residual1);
    }
    if (!block.mlp_in.exists()) trace.set(Tensor::output, trace.result(Tensor::residual1));
}

void set_weights(Trace& trace, const Block& block) {
    trace.set(Tensor::qkv_weight, block.qkv.weight);
    trace.set(Tensor::qkv_bias, block.qkv.bias);
    trace.set(Tensor::projection_weight, block.projection.weight);
    trace.set(Tensor::projection_bias, block.projection.bias);
    trace.set(Tensor::ls1_gamma, block.ls1);
    trace.set(Tensor::mlp_in_weight, block.mlp_in.weight);
    trace.set(Tensor::mlp_in_bias, block.mlp_in.bias);
    trace.set(Tensor::mlp_out_weight, block.mlp_out.weight);
    trace.set(Tensor::mlp_out_bias, block.mlp_out.bias);
    trace.set(Tensor::ls2_gamma, block.ls2);
    if (!block.query_norm.exists()) return;
    trace.set(Tensor::query_norm_affine, affine_of(block.query_norm));
    trace.set(Tensor::key_norm_affine, affine_of(block.key_norm));
}

}  // namespace

Matrix linear(const MatrixView& tokens, const Linear& layer) {
    return linear(tokens, layer.weight->view(), row_of(layer.bias));
}

Block bare_block(const AttentionConfig& config, std::shared_ptr<const AttentionWeights> weights) {
    const auto row = [&](const Vector& bias) {
        return bias.size() == 0 ? nullptr
                                : make_result({bias.data(), 1, bias.size(), bias.size()}, weights);
    };
    Block block;
    block.name = "Layer 1";
    block.file_name = "layer.0";
    block.attention = config;
    block.qkv = {make_result(weights->qkv, weights), row(weights->qkv_bias)};
    block.projection = {make_result(weights->projection, weights), row(weights->projection_bias)};
    return block;
}

void enter_block(Trace& trace, const Block& block) {
    for (int t = static_cast<int>(Tensor::input) + 1; t <= static_cast<int>(Tensor::output); ++t)
        trace.set(static_cast<Tensor>(t), nullptr);
    trace.config = block.attention;
    const Index rows = trace.all(Tensor::input).rows / trace.shape.batch;
    trace.shape = {trace.shape.batch, rows, rows, trace.config.heads, trace.config.head_dim()};
    set_weights(trace, block);
}

void compute_layer_step(Trace& trace, const Block& block, Step step, const StopFlag& stop) {
    switch (step) {
        case Step::norm1:
            return normalise(trace, block.norm1, Tensor::input, kNorm1);
        case Step::qkv:
            return project_qkv(trace, block.qkv);
        case Step::heads:
            return cut_heads(trace);
        case Step::qk_norm:
            return normalise_heads(trace, block);
        case Step::products:
            return multiply_queries_and_keys(trace, stop);
        case Step::scale:
            return scale_products(trace, stop);
        case Step::softmax:
            return;  // came with the scores
        case Step::mix:
            return mix_heads(trace, stop);
        case Step::concat:
            return;  // A·V was written with the heads side by side
        case Step::project:
            return project(trace, block.projection, Tensor::concat, Tensor::projection);
        case Step::ls1:
            return stretch(trace, block.ls1, Tensor::projection, Tensor::ls1);
        case Step::skip:
            return add_skip(trace, block);
        case Step::norm2:
            return normalise(trace, block.norm2, Tensor::residual1, kNorm2);
        case Step::mlp_in:
            return project(trace, block.mlp_in, Tensor::norm2, Tensor::mlp_hidden);
        case Step::activation:
            trace.set(Tensor::mlp_activation,
                      make_result(activate(trace.all(Tensor::mlp_hidden), block.activation)));
            return;
        case Step::mlp_out:
            return project(trace, block.mlp_out, Tensor::mlp_activation, Tensor::mlp);
        case Step::ls2:
            return stretch(trace, block.ls2, Tensor::mlp, Tensor::ls2);
        case Step::residual2:
            return add(trace, trace.all(Tensor::residual1), block.ls2 ? Tensor::ls2 : Tensor::mlp,
                       Tensor::output);
        default:
            return;  // before the layer or after it
    }
}

Matrix compute_for_head(const Trace& trace, Tensor tensor, Index sample, Index head) {
    AttentionShape one = trace.shape;
    one.batch = one.heads = 1;
    const MatrixView query = trace.view(Tensor::query, sample, head),
                     key = trace.view(Tensor::key, sample, head);
    Matrix products = query_key_products(query, key, one);
    if (tensor == Tensor::products) return products;
    if (!trace.mask) return scale_and_softmax(products, trace.factor, nullptr, one).scores;
    const Mask mask = trace.mask->of(sample, head);
    return scale_and_softmax(products, trace.factor, &mask, one).scores;
}

}  // namespace headlight
