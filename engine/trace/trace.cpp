#include "trace/trace.h"

#include <atomic>

#include "kernels/recycle.h"

namespace headlight {

SharedResult make_result(Matrix matrix) {
    static std::atomic<std::uint64_t> last{0};
    const auto leave_memory = [](Result* result) {
        recycle(std::move(result->matrix));
        delete result;
    };
    return {new Result{std::move(matrix), ++last}, leave_memory};
}

const SharedResult& Trace::stored(Tensor tensor) const {
    static const SharedResult nothing;
    switch (tensor) {
        case Tensor::pixels:
            return pixels;
        case Tensor::patches:
            return patches;
        case Tensor::positions:
            return positions;
        case Tensor::tokens:
            return tokens;
        case Tensor::qkv_weight:
            return qkv_weight;
        case Tensor::qkv_bias:
            return qkv_bias;
        case Tensor::qkv:
            return qkv;
        case Tensor::query:
            return qkv ? qkv : query_only;
        case Tensor::key:
        case Tensor::value:
            return qkv ? qkv : key_value;
        case Tensor::products:
            return products;
        case Tensor::scores:
            return scores;
        case Tensor::attention:
            return attention;
        case Tensor::head_output:
        case Tensor::concat:
            return concat;
        case Tensor::projection_weight:
            return projection_weight;
        case Tensor::projection_bias:
            return projection_bias;
        case Tensor::projection:
            return projection;
        case Tensor::skip:
            if (config.skip == Skip::none) return nothing;
            if (config.skip == Skip::input) return tokens;
            return qkv ? qkv : key_value;
        case Tensor::output:
            return output;
    }
    return nothing;
}

bool Trace::has(Tensor tensor) const { return stored(tensor) != nullptr; }

std::uint64_t Trace::version(Tensor tensor) const {
    const SharedResult& result = stored(tensor);
    return result ? result->version : 0;
}

MatrixView Trace::view(Tensor tensor, Index sample, Index head) const {
    const SharedResult& result = stored(tensor);
    if (!result) return {};
    const MatrixView all = result->matrix;
    const Index c = shape.channels();
    const auto head_block = [&](Index tokens_per_sample, Index first) {
        return head_view(all, tokens_per_sample, first, shape.head_dim, sample, head);
    };
    switch (tensor) {
        case Tensor::query:
            return head_block(shape.queries, 0);
        case Tensor::key:
            return head_block(shape.keys, qkv ? c : 0);
        case Tensor::value:
            return head_block(shape.keys, qkv ? 2 * c : c);
        case Tensor::head_output:
            return head_block(shape.queries, 0);
        case Tensor::skip:
            if (config.skip == Skip::value)
                return all.block(sample * shape.keys, qkv ? 2 * c : c, shape.keys, c);
            return all.block(sample * shape.queries, 0, shape.queries, all.cols);
        case Tensor::products:
        case Tensor::scores:
        case Tensor::attention:
            return all.block((sample * shape.heads + head) * shape.queries, 0, shape.queries,
                             shape.keys);
        case Tensor::tokens:
        case Tensor::qkv:
        case Tensor::concat:
        case Tensor::projection:
        case Tensor::output:
            return all.block(sample * shape.queries, 0, shape.queries, all.cols);
        case Tensor::patches: {
            const Index rows = all.rows / shape.batch;
            return all.block(sample * rows, 0, rows, all.cols);
        }
        default:
            return all;
    }
}

double Trace::layer_milliseconds() const {
    double sum = 0;
    for (int s = static_cast<int>(Step::qkv); s < kStepCount; ++s)
        sum += milliseconds[static_cast<std::size_t>(s)];
    return sum;
}

}  // namespace headlight
