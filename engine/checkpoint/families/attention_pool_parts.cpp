#include "families/attention_pool_parts.h"

#include <utility>

namespace headlight {

namespace {

// Some output rows of a linear layer.
Linear outputs_of(const Linear& whole, Index first, Index count) {
    const MatrixView weight = whole.weight->view();
    Linear part{make_result(weight.block(first, 0, count, weight.cols), whole.weight), nullptr};
    if (whole.bias)
        part.bias = make_result(whole.bias->view().block(0, first, 1, count), whole.bias);
    return part;
}

void read_projections(const ModelBuilder& builder, TensorReader& reader, const PoolNames& names,
                      Index width, AttentionPool& pool) {
    if (names.packed_weight.empty()) {
        reader.expect_all_or_none({names.query + ".bias", names.key_value + ".bias"});
        pool.query = builder.linear(reader, names.query, width, width);
        pool.key_value = builder.linear(reader, names.key_value, 2 * width, width);
        return;
    }
    const Linear packed{reader.matrix(names.packed_weight, 3 * width, width),
                        reader.row(names.packed_bias, 3 * width)};
    pool.query = outputs_of(packed, 0, width);
    pool.key_value = outputs_of(packed, width, 2 * width);
}

}  // namespace

void read_attention_pool(ModelBuilder& builder, TensorReader reader, const PoolNames& names,
                         Index width) {
    AttentionPool pool;
    pool.probe = reader.matrix(names.probe, {1, 1, width}, 1, width);
    read_projections(builder, reader, names, width, pool);
    reader.expect_all_or_none(
        {names.projection + ".bias", names.mlp_in + ".bias", names.mlp_out + ".bias"});
    pool.projection = builder.linear(reader, names.projection, width, width);
    pool.norm = builder.norm(reader, names.norm, width);
    pool.mlp_in = builder.linear(reader, names.mlp_in, width);
    pool.mlp_out = builder.linear(reader, names.mlp_out, width, pool.mlp_in.weight->view().rows);
    pool.activation = builder.activation();
    pool_by_attention(builder, std::move(pool));
}

void pool_by_attention(ModelBuilder& builder, AttentionPool pool) {
    builder.model.attention_pool = std::move(pool);
    builder.model.pooling = Pooling::attention;
    builder.model.gives_pooler = !builder.model.pooler.exists();
}

}  // namespace headlight
