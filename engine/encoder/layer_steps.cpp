#include "encoder/layer_steps.h"

#include "encoder/runner.h"

namespace headlight {

namespace {

void project_qkv(Trace& trace) {
    const AttentionWeights& w = *trace.weights;
    if (!trace.value_tokens) {
        trace.qkv = make_result(linear(trace.tokens->matrix, w.qkv, w.qkv_bias));
        return;
    }
    // Cross-attention: queries from one set of tokens, keys and values from the other.
    const Index c = trace.config.channels;
    const MatrixView all = w.qkv;
    const Vector query_bias = w.qkv_bias.size() != 0 ? Vector(w.qkv_bias.head(c)) : Vector();
    const Vector key_value_bias =
        w.qkv_bias.size() != 0 ? Vector(w.qkv_bias.tail(2 * c)) : Vector();
    trace.query_only =
        make_result(linear(trace.tokens->matrix, all.block(0, 0, c, all.cols), query_bias));
    trace.key_value = make_result(
        linear(trace.value_tokens->matrix, all.block(c, 0, 2 * c, all.cols), key_value_bias));
}

// All samples' queries, keys or values with the heads side by side: [B·N, C].
MatrixView all_heads(const Trace& trace, Tensor part) {
    const Index c = trace.shape.channels();
    const bool packed = trace.qkv != nullptr;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where one is null, the others are not
    const Matrix& m = packed                  ? trace.qkv->matrix
                      : part == Tensor::query ? trace.query_only->matrix
                                              : trace.key_value->matrix;
    Index first = 0;
    if (part == Tensor::key) first = packed ? c : 0;
    if (part == Tensor::value) first = packed ? 2 * c : c;
    return MatrixView(m).block(0, first, m.rows(), c);
}

// Nothing is computed: the heads are columns of what is there (Trace::view). But the number of
// heads may be new, so its consequences are checked here.
void cut_heads(Trace& trace) {
    validate(trace.config);
    trace.shape.heads = trace.config.heads;
    trace.shape.head_dim = trace.config.head_dim();
    if (trace_bytes(trace.shape, trace.config.dim) > kMaxTraceBytes)
        throw RecipeError("This many heads and tokens need more memory than the limit of " +
                          std::to_string(static_cast<int>(kMaxTraceBytes / (1 << 30))) +
                          " GB: choose fewer heads or fewer tokens.");
}

void scale_products(Trace& trace, const StopFlag& stop) {
    validate(trace.config);
    trace.factor = trace.config.effective_scale() / trace.config.temperature;
    auto [scores, attention] = scale_and_softmax(trace.products->matrix, trace.factor,
                                                 trace.mask.get(), trace.shape, stop);
    trace.scores = make_result(std::move(scores));
    trace.attention = make_result(std::move(attention));
}

void add_skip(Trace& trace) {
    validate(trace.config);
    if (trace.config.skip == Skip::none) {
        trace.output = trace.projection;
        return;
    }
    const MatrixView skip = trace.config.skip == Skip::input ? MatrixView(trace.tokens->matrix)
                                                             : all_heads(trace, Tensor::value);
    trace.output = make_result(skip.map() + trace.projection->matrix);
}

}  // namespace

void set_weights(Trace& trace, std::shared_ptr<const AttentionWeights> weights) {
    const auto row = [](const Vector& bias) {
        return bias.size() == 0 ? nullptr : make_result(Matrix(bias));
    };
    trace.qkv_weight = make_result(weights->qkv);
    trace.qkv_bias = row(weights->qkv_bias);
    trace.projection_weight = make_result(weights->projection);
    trace.projection_bias = row(weights->projection_bias);
    trace.weights = std::move(weights);
}

void compute_layer_step(Trace& trace, Step step, const StopFlag& stop) {
    switch (step) {
        case Step::qkv:
            return project_qkv(trace);
        case Step::heads:
            return cut_heads(trace);
        case Step::products:
            trace.products = make_result(query_key_products(
                all_heads(trace, Tensor::query), all_heads(trace, Tensor::key), trace.shape, stop));
            return;
        case Step::scale:
            return scale_products(trace, stop);
        case Step::softmax:
            return;  // came with the scores
        case Step::mix:
            trace.concat = make_result(mix_values(
                trace.attention->matrix, all_heads(trace, Tensor::value), trace.shape, stop));
            return;
        case Step::concat:
            return;  // A·V was written with the heads side by side
        case Step::project:
            trace.projection = make_result(linear(trace.concat->matrix, trace.weights->projection,
                                                  trace.weights->projection_bias));
            return;
        case Step::skip:
            return add_skip(trace);
        case Step::image:
        case Step::patches:
        case Step::position:
            return;  // before the layer
    }
}

}  // namespace headlight
