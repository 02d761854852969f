#include "analysis/kept_attention.h"

#include <string>

namespace headlight {

KeptAttention::KeptAttention(const Trace& layer)
    : shape_(layer.shape), layout_(layer.layout), grid_(layer.grid) {
    const MatrixView attention = layer.all(Tensor::attention);
    if (attention.empty() || attention.cols != layout_.count() || shape_.queries != shape_.keys)
        throw AnalysisError("Expected a layer's attention among its " +
                            std::to_string(layout_.count()) + " tokens, found [" +
                            std::to_string(attention.rows) + ", " + std::to_string(attention.cols) +
                            "].");
    shape_.batch = 1;
    // A bias of each pair of tokens takes as much room as the attention; that of windows takes
    // none.
    const Node* bias = layer.node(Step::relative_bias);
    const bool smaller = shape_.keys <= 2 * shape_.head_dim ||
                         (bias != nullptr && !bias->get<RelativeParameters>().window.exists());
    // Of bare layers and performers it may be made otherwise than of products.
    const bool of_products = layer.model && !layer.model->is_bare_layer() &&
                             !layer.has(Step::score_query) && layer.has(Tensor::query) &&
                             layer.has(Tensor::key);
    if (smaller || !of_products) {
        attention_ = layer.result(Tensor::attention);
        return;
    }
    // Columns of a matrix that holds more.
    query_ = layer.all(Tensor::query).eigen().topRows(shape_.queries);
    key_ = layer.all(Tensor::key).eigen().topRows(shape_.keys);
    factor_ = factor_of(layer);
    mask_ = mask_of(layer);
}

std::size_t KeptAttention::bytes() const {
    const std::size_t added = mask_ ? mask_->added.size() : 0;
    return sizeof(float) * (static_cast<std::size_t>(query_.size() + key_.size()) + added);
}

void KeptAttention::check(Index token) const {
    if (token < 0 || token >= layout_.count())
        throw AnalysisError("Expected one of " + std::to_string(layout_.count()) +
                            " tokens, found number " + std::to_string(token) + ".");
}

Matrix KeptAttention::of_query(Index token, const StopFlag& stop) const {
    check(token);
    if (!attention_)
        return attention_of_query(query_, key_, factor_, mask_.get(), shape_, token, stop);
    Matrix rows(shape_.heads, shape_.keys);
    for (Index h = 0; h < shape_.heads; ++h)
        rows.row(h) = attention_->view().eigen().row(h * shape_.queries + token);
    return rows;
}

void KeptAttention::for_queries(const TakeQueries& take, const StopFlag& stop) const {
    if (!attention_)
        return for_query_blocks(query_, key_, factor_, mask_.get(), shape_, take, stop);
    take(0, attention_->view().block(0, 0, shape_.heads * shape_.queries, shape_.keys));
}

Matrix KeptAttention::of_key(Index token, const StopFlag& stop) const {
    check(token);
    Matrix computed;
    if (!attention_) computed = attention_of(query_, key_, factor_, mask_.get(), shape_, stop);
    const MatrixView attention = attention_ ? attention_->view() : MatrixView(computed);
    Matrix columns(shape_.heads, shape_.queries);
    for (Index h = 0; h < shape_.heads; ++h)
        columns.row(h) =
            attention.eigen().col(token).segment(h * shape_.queries, shape_.queries).transpose();
    return columns;
}

}  // namespace headlight
