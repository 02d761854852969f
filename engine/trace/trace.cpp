#include "trace/trace.h"

#include <algorithm>

namespace headlight {

namespace {

bool is_square(Tensor tensor) { return tensor == Tensor::products || tensor == Tensor::scores; }

}  // namespace

void Trace::set(Tensor tensor, SharedResult result) {
    results[static_cast<std::size_t>(tensor)] = std::move(result);
}

const SharedResult& Trace::stored(Tensor tensor) const {
    static const SharedResult nothing;
    const auto kept = [this](Tensor t) -> const SharedResult& {
        return results[static_cast<std::size_t>(t)];
    };
    const SharedResult& qkv = kept(Tensor::qkv);
    const bool normed =
        kept(Tensor::query) != nullptr;  // queries and keys have a norm of their own
    switch (tensor) {
        case Tensor::query:
            if (normed) return kept(tensor);
            return qkv ? qkv : query_only;
        case Tensor::key:
            if (normed) return kept(tensor);
            return qkv ? qkv : key_value;
        case Tensor::raw_query:
        case Tensor::raw_key:
            return normed ? qkv : nothing;
        case Tensor::value:
            return qkv ? qkv : key_value;
        case Tensor::head_output:
            return kept(Tensor::concat);
        case Tensor::skip:
            if (config.skip == Skip::none) return nothing;
            if (config.skip == Skip::input) return kept(Tensor::input);
            return qkv ? qkv : key_value;
        default:
            return kept(tensor);
    }
}

bool Trace::on_demand(Tensor tensor) const {
    return is_square(tensor) && !keeps_squares && stored(Tensor::attention) && has(Tensor::query);
}

bool Trace::has(Tensor tensor) const { return stored(tensor) != nullptr || on_demand(tensor); }

bool Trace::has(Step step) const {
    return std::find(steps.begin(), steps.end(), step) != steps.end();
}

std::uint64_t Trace::version(Tensor tensor) const {
    const SharedResult& result = stored(on_demand(tensor) ? Tensor::attention : tensor);
    return result ? result->version() : 0;
}

MatrixView Trace::all(Tensor tensor) const {
    const SharedResult& result = stored(tensor);
    return result ? result->view() : MatrixView{};
}

MatrixView Trace::view(Tensor tensor, Index sample, Index head) const {
    const MatrixView whole = all(tensor);
    if (whole.empty()) return {};
    const Index c = shape.channels();
    const bool packed = results[static_cast<std::size_t>(Tensor::qkv)] != nullptr;
    const bool normed = results[static_cast<std::size_t>(Tensor::query)] != nullptr;
    const auto head_block = [&](Index tokens_per_sample, Index first) {
        return head_view(whole, tokens_per_sample, first, shape.head_dim, sample, head);
    };
    switch (tensor) {
        case Tensor::raw_query:
        case Tensor::query:
        case Tensor::head_output:
            return head_block(shape.queries, 0);
        case Tensor::raw_key:
            return head_block(shape.keys, c);
        case Tensor::key:
            return head_block(shape.keys, packed && !normed ? c : 0);
        case Tensor::value:
            return head_block(shape.keys, packed ? 2 * c : c);
        case Tensor::skip:
            if (config.skip == Skip::value)
                return whole.block(sample * shape.keys, packed ? 2 * c : c, shape.keys, c);
            break;
        case Tensor::products:
        case Tensor::scores:
        case Tensor::attention:
            return whole.block((sample * shape.heads + head) * shape.queries, 0, shape.queries,
                               shape.keys);
        default:
            break;
    }
    if (shared_by_samples(tensor)) return whole;
    const Index rows_each = whole.rows / shape.batch;
    return whole.block(sample * rows_each, 0, rows_each, whole.cols);
}

Index Trace::rows(Tensor tensor) const {
    return on_demand(tensor) ? shape.queries : view(tensor).rows;
}

Index Trace::cols(Tensor tensor) const {
    return on_demand(tensor) ? shape.keys : view(tensor).cols;
}

double Trace::layer_milliseconds() const {
    double sum = 0;
    for (const Step step : steps)
        if (place_of(step) == StepPlace::layer) sum += milliseconds[static_cast<std::size_t>(step)];
    return sum;
}

Index token_of_row(const Trace& trace, Axis axis, Index row) {
    switch (axis) {
        case Axis::token:
        case Axis::key_token:
        case Axis::prefix_token:
            return row;
        case Axis::patch:
            return row + trace.layout.prefix();
        default:
            return -1;
    }
}

Index row_of_token(const Trace& trace, Axis axis, Index token) {
    switch (axis) {
        case Axis::token:
        case Axis::key_token:
            return token;
        case Axis::prefix_token:
            return token < trace.layout.prefix() ? token : -1;
        case Axis::patch:
            return token - trace.layout.prefix() >= 0 ? token - trace.layout.prefix() : -1;
        default:
            return -1;
    }
}

}  // namespace headlight
