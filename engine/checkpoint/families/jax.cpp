#include <utility>

#include "families/attention_pool_parts.h"
#include "families/conventions.h"
#include "families/families.h"
#include "model/builder.h"

namespace headlight {

namespace {

const std::string kJaxSign = "Transformer/encoder_norm/scale";

// The modules of a layer, which flax numbers by kind, or in older code by order.
struct LayerModules {
    std::string norm1 = "LayerNorm_0", attention = "MultiHeadDotProductAttention_1/";
    std::string norm2 = "LayerNorm_2", mlp = "MlpBlock_3/";
};

LayerModules modules_of(const TensorReader& layer) {
    if (!layer.has("MlpBlock_0/Dense_0/kernel")) return {};
    return {"LayerNorm_0", "MultiHeadDotProductAttention_0/", "LayerNorm_1", "MlpBlock_0/"};
}

// flax stores kernels as [inputs..., outputs...], where each side has one or several axes; torch's
// Linear is [outputs, inputs].
Linear dense(TensorReader& reader, const std::string& name, const TensorShape& inputs,
             const TensorShape& outputs) {
    TensorShape shape = inputs;
    shape.insert(shape.end(), outputs.begin(), outputs.end());
    Index rows = 1, cols = 1;
    for (const std::int64_t n : inputs) rows *= n;
    for (const std::int64_t n : outputs) cols *= n;
    const SharedResult kernel = reader.matrix(name + "/kernel", shape, rows, cols);
    return {make_result(Matrix(kernel->view().eigen().transpose())),
            reader.matrix(name + "/bias", outputs, 1, cols)};
}

Norm norm(TensorReader& reader, const std::string& name, Index width, float eps) {
    return {reader.row(name + "/scale", width), reader.row(name + "/bias", width), eps};
}

// Converts the kernel [patch, patch, channels, width] to columns by channel, row, column.
Index read_embedding(ModelBuilder& builder) {
    TensorReader& at = builder.at;
    const std::string name = "embedding/kernel", meaning = "[patch, patch, 1 or 3 channels, width]";
    const TensorShape shape = at.shape(name, 4, meaning);
    if (shape[0] != shape[1] || (shape[2] != 1 && shape[2] != 3))
        at.refuse(name, meaning, shape_text(shape));
    const Index cells = shape[0] * shape[1], channels = shape[2], width = shape[3];
    const SharedResult stored = at.matrix(name, shape, cells * channels, width);
    Matrix weight(width, cells * channels);
    for (Index cell = 0; cell < cells; ++cell)
        for (Index c = 0; c < channels; ++c)
            weight.col(c * cells + cell) = stored->view().eigen().row(cell * channels + c);
    builder.model.patch_size = static_cast<int>(shape[0]);
    builder.model.image_channels = static_cast<int>(channels);
    builder.model.embedding = {make_result(std::move(weight)), at.row("embedding/bias", width)};
    return width;
}

Layer read_layer(const ModelBuilder& builder, TensorReader& reader, Index width, Index heads) {
    const TensorShape all{width}, split{heads, width / heads};
    const LayerModules modules = modules_of(reader);
    TensorReader attention = reader.at(modules.attention), mlp = reader.at(modules.mlp);
    Layer layer;
    layer.norm1 = norm(reader, modules.norm1, width, builder.eps());
    layer.attention.dim = layer.attention.channels = static_cast<int>(width);
    layer.attention.heads = static_cast<int>(heads);
    layer.attention.qkv_bias = true;
    layer.attention.skip = Skip::input;
    layer.qkv = stacked(dense(attention, "query", all, split), dense(attention, "key", all, split),
                        dense(attention, "value", all, split));
    layer.projection = dense(attention, "out", split, all);
    layer.norm2 = norm(reader, modules.norm2, width, builder.eps());
    const TensorShape hidden{mlp.shape("Dense_0/kernel", 2, "a matrix")[1]};
    layer.mlp_in = dense(mlp, "Dense_0", all, hidden);
    layer.mlp_out = dense(mlp, "Dense_1", hidden, all);
    layer.activation = builder.activation();
    return layer;
}

// The heads are a separate axis, so their number is known.
void read_layers(ModelBuilder& builder, Index width) {
    auto readers = builder.readers("Transformer/encoderblock_", '/');
    const TensorShape kernel = readers[0].shape(modules_of(readers[0]).attention + "query/kernel",
                                                3, "[width, heads, head width]");
    builder.heads_are(width, kernel[1]);
    for (TensorReader& reader : readers)
        builder.add_layer(read_layer(builder, reader, width, builder.heads()));
}

// big_vision's MAPHead, as in SigLIP.
AttentionPool read_pool(const ModelBuilder& builder, TensorReader reader, Index width) {
    const Index heads = builder.heads();
    const TensorShape all{width}, split{heads, width / heads};
    TensorReader attention = reader.at("MultiHeadDotProductAttention_0/"),
                 mlp = reader.at("MlpBlock_0/");
    AttentionPool pool;
    pool.probe = reader.matrix("probe", {1, 1, width}, 1, width);
    pool.query = dense(attention, "query", all, split);
    pool.key_value =
        stacked(dense(attention, "key", all, split), dense(attention, "value", all, split));
    pool.projection = dense(attention, "out", split, all);
    pool.norm = norm(reader, "LayerNorm_0", width, builder.eps());
    const TensorShape hidden{mlp.shape("Dense_0/kernel", 2, "a matrix")[1]};
    pool.mlp_in = dense(mlp, "Dense_0", all, hidden);
    pool.mlp_out = dense(mlp, "Dense_1", hidden, all);
    pool.activation = builder.activation();
    return pool;
}

// Only weights trained on ImageNet-21k have pre_logits, a linear layer with tanh.
void read_jax_head(ModelBuilder& builder, Index width) {
    TensorReader& at = builder.at;
    Model& model = builder.model;
    if (!model.prefix.class_token) model.pooling = Pooling::patches;
    if (at.has("MAPHead_0/probe"))
        pool_by_attention(builder, read_pool(builder, at.at("MAPHead_0/"), width));
    if (!at.has("head/kernel")) return;
    Index inputs = width;
    if (at.has("pre_logits/kernel")) {
        inputs = at.shape("pre_logits/kernel", 2, "a matrix")[1];
        model.pooler = dense(at, "pre_logits", {width}, {inputs});
        model.gives_pooler = false;  // pre_logits is what it calls pooler
    }
    model.classifier = dense(at, "head", {inputs}, {at.shape("head/kernel", 2, "a matrix")[1]});
}

}  // namespace

std::optional<Model> read_jax_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefixes = file.prefixes_of(kJaxSign);
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    if (at.has("conv_root/kernel"))
        at.refuse("conv_root/kernel", "patches of pixels", "a ResNet before the transformer");
    const FamilyChoice family = choose_family(file, decisions, "google");
    ModelBuilder builder(at, decisions, conventions::google(), "Google's ViT", family);

    const Index width = read_embedding(builder);
    if (at.has("cls")) builder.model.prefix.class_token = builder.token("cls", width);
    const std::string older = "Transformer/posembed_input/pos_embedding", newer = "pos_embedding";
    builder.positions(builder.at.has(newer) ? newer : older, width);
    read_layers(builder, width);
    builder.model.norm = norm(builder.at, "Transformer/encoder_norm", width, builder.eps());
    read_jax_head(builder, width);
    return builder.finish({});
}

}  // namespace headlight
