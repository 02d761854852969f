#include "families/classifier.h"
#include "families/conventions.h"
#include "families/families.h"
#include "model/builder.h"

namespace headlight {

namespace {

// The names of the MLP's linear layers changed once; the first is the older.
LayerNames torchvision_layer_names(const TensorReader& layer) {
    LayerNames names;
    names.norm1 = "ln_1";
    names.norm2 = "ln_2";
    names.qkv_weight = "self_attention.in_proj_weight";
    names.qkv_bias = "self_attention.in_proj_bias";
    names.projection = "self_attention.out_proj";
    names.mlp_in = present_name(layer, {"mlp.linear_1", "mlp.0"});
    names.mlp_out = present_name(layer, {"mlp.linear_2", "mlp.3"});
    return names;
}

// A classifier, after a linear layer and tanh in models with a representation layer.
void torchvision_head(ModelBuilder& builder, Index width) {
    Model& model = builder.model;
    if (builder.at.has("heads.pre_logits.weight")) {
        model.pooler = builder.linear(builder.at, "heads.pre_logits", width);
        width = model.pooler.weight->view().rows;
    }
    read_classifier(builder, {"heads.head"}, width);
}

}  // namespace

std::optional<Model> read_torchvision_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefixes = file.prefixes_of("conv_proj.weight");
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    const std::string layers = "encoder.layers.encoder_layer_";
    if (!at.has(layers + "0.self_attention.in_proj_weight")) return {};
    ModelBuilder builder(at, decisions, conventions::torchvision(), "torchvision VisionTransformer",
                         choose_family(file, decisions, "torchvision"));

    const Index width = builder.patch_embedding("conv_proj");
    builder.model.prefix.class_token = builder.token("class_token", width);
    builder.positions("encoder.pos_embedding", width);
    auto readers = builder.readers(layers);
    const LayerNames names = torchvision_layer_names(readers[0]);
    builder.layers(std::move(readers), names, width);
    builder.model.norm = builder.norm(builder.at, "encoder.ln", width);
    torchvision_head(builder, width);
    return builder.finish({});
}

}  // namespace headlight
