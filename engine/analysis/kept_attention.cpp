#include "analysis/kept_attention.h"

#include <string>
#include <utility>

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
    // A bias per pair of tokens takes as much memory as the attention; a bias of windows takes
    // none.
    const Node* bias = layer.node(Step::relative_bias);
    const bool smaller = shape_.keys <= 2 * shape_.head_dim ||
                         (bias != nullptr && !bias->get<RelativeParameters>().window.exists());
    // In bare layers and Performers, attention may be computed differently than from Q·Kᵀ.
    const bool of_products = layer.model && !layer.model->is_bare_layer() &&
                             !layer.has(Step::score_query) && layer.has(Tensor::query) &&
                             layer.has(Tensor::key);
    if (smaller || !of_products) {
        attention_ = layer.result(Tensor::attention);
        return;
    }
    // Copies, because the source matrix holds more columns.
    query_ = layer.all(Tensor::query).eigen().topRows(shape_.queries);
    key_ = layer.all(Tensor::key).eigen().topRows(shape_.keys);
    factor_ = factor_of(layer);
    mask_ = mask_of(layer);
}

std::size_t KeptAttention::bytes() const {
    if (attention_) return 0;
    const std::size_t added = mask_ ? mask_->added.size() : 0;
    return sizeof(float) * (static_cast<std::size_t>(query_.size() + key_.size()) + added) +
           sizeof(RowScale) * static_cast<std::size_t>(shape_.heads * shape_.queries);
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

namespace {

// The column of a key, for each head [H, N].
Matrix columns_of(const MatrixView& attention, const AttentionShape& shape, Index key) {
    Matrix columns(shape.heads, shape.queries);
    for (Index h = 0; h < shape.heads; ++h)
        columns.row(h) =
            attention.eigen().col(key).segment(h * shape.queries, shape.queries).transpose();
    return columns;
}

}  // namespace

KeptAttention::RowScales KeptAttention::rows() const {
    const std::lock_guard lock(guard_);
    return rows_;
}

Matrix KeptAttention::first_column(Index token, const StopFlag& stop) const {
    std::vector<RowScale> rows;
    const Matrix all = attention_of(query_, key_, factor_, mask_.get(), shape_, stop, &rows);
    if ((mask_ && mask_->windows) || !key_products_agree(query_, key_, shape_, stop)) rows.clear();
    const std::lock_guard lock(guard_);
    rows_ = std::make_shared<const std::vector<RowScale>>(std::move(rows));
    return columns_of(all, shape_, token);
}

Matrix KeptAttention::of_key(Index token, const StopFlag& stop) const {
    check(token);
    if (attention_) return columns_of(attention_->view(), shape_, token);
    const RowScales known = rows();
    if (!known) return first_column(token, stop);
    if (known->empty())
        return columns_of(attention_of(query_, key_, factor_, mask_.get(), shape_, stop), shape_,
                          token);
    return attention_of_key(query_, key_, factor_, mask_.get(), shape_, *known, token, stop);
}

}  // namespace headlight
