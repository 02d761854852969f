#include <algorithm>

#include "families/classifier.h"
#include "families/conventions.h"
#include "families/families.h"
#include "model/builder.h"

namespace headlight {

namespace {

const std::string kHuggingFaceSign = "embeddings.patch_embeddings.projection.weight";

// Mask tokens of training, a decoder (SimMIM's), heads, and the pooler of a model with a
// classifier.
const std::vector<std::string_view> kHuggingFaceUnneeded{
    "embeddings.mask_token", "decoder.*",        "pooler.dense.*",
    "classifier.*",          "cls_classifier.*", "distillation_classifier.*"};

struct HuggingFaceNames {
    FamilyChoice family;
    std::string title;
    ModelConfig convention;
};

bool is_said(const Decisions& decisions, const char* name) {
    const auto architecture = decisions.find(&ModelConfig::architecture);
    return architecture && architecture->value == name;
}

// By its config, or by the decoder from training next to the encoder.
bool is_mae(const TensorReader& at, const Decisions& decisions) {
    return is_said(decisions, "vit_mae") || !at.prefixes_of("decoder.decoder_pos_embed").empty();
}

// LayerScale means DINOv2, a distillation token DeiT.
HuggingFaceNames huggingface_named(const TensorReader& at, const TensorReader& layer,
                                   const Decisions& decisions) {
    const bool registers = at.has("embeddings.register_tokens");
    FamilyChoice guess{"hf-vit", "tensor names"};
    if (layer.has("layer_scale1.lambda1")) guess.family = "hf-dinov2";
    if (at.has("embeddings.distillation_token")) guess.family = "hf-deit";
    if (is_mae(at, decisions)) guess.family = "hf-mae";
    guess = choose_family(at, decisions, {"hf-vit", "hf-deit", "hf-dinov2", "hf-mae"}, guess);
    if (guess.family == "hf-dinov2")
        return {guess, "Hugging Face DINOv2", conventions::huggingface_dinov2(registers)};
    if (guess.family == "hf-deit")
        return {guess, "Hugging Face DeiT", conventions::huggingface_deit()};
    if (guess.family == "hf-mae")
        return {guess, "Hugging Face MAE", conventions::huggingface_mae()};
    if (is_said(decisions, "vit_msn"))
        return {guess, "Hugging Face ViT (MSN)", conventions::huggingface_msn()};
    return {guess, "Hugging Face ViT", conventions::huggingface_vit()};
}

// Names changed over the years; the first in each list is the oldest.
LayerNames huggingface_layer_names(const TensorReader& layer) {
    LayerNames names;
    names.norm1 = present_name(layer, {"layernorm_before", "norm1"});
    names.norm2 = present_name(layer, {"layernorm_after", "norm2"});
    names.query =
        present_name(layer, {"attention.attention.query", "attention.q_proj", "attention.query"});
    names.key =
        present_name(layer, {"attention.attention.key", "attention.k_proj", "attention.key"});
    names.value =
        present_name(layer, {"attention.attention.value", "attention.v_proj", "attention.value"});
    names.projection =
        present_name(layer, {"attention.output.dense", "attention.o_proj", "attention.out_proj"});
    names.mlp_in = present_name(layer, {"intermediate.dense", "mlp.fc1", "mlp.weights_in"});
    names.mlp_out = present_name(layer, {"output.dense", "mlp.fc2", "mlp.weights_out"});
    names.take_gate(layer);  // DINOv2's largest; its activation is always SiLU
    names.ls1 = "layer_scale1.lambda1";
    names.ls2 = "layer_scale2.lambda1";
    return names;
}

std::string layers_name(const TensorReader& at) {
    for (const char* name : {"encoder.layer.", "layers.", "layer.", "encoder.layers."})
        if (!at.at(name).names().empty()) return name;
    return "encoder.layer.";
}

// The classifier is next to the encoder, under the first part of its prefix.
std::string outer_prefix(const std::string& prefix) {
    const std::size_t dot =
        prefix.size() < 2 ? std::string::npos : prefix.rfind('.', prefix.size() - 2);
    return dot == std::string::npos ? "" : prefix.substr(0, dot + 1);
}

void read_tokens(ModelBuilder& builder, Index width) {
    TensorReader& at = builder.at;
    PrefixTokens& prefix = builder.model.prefix;
    const std::string distillation = "embeddings.distillation_token";
    const std::string registers = "embeddings.register_tokens";
    const std::string class_token = "embeddings.cls_token";
    if (at.has(class_token)) prefix.class_token = builder.token(class_token, width);
    if (at.has(distillation)) prefix.distillation_token = builder.token(distillation, width);
    if (at.has(registers)) prefix.registers = builder.registers(registers, width);
    builder.positions("embeddings.position_embeddings", width);
}

// A pooler ends with tanh, or with the activation in a config.
void expect_tanh(const ModelBuilder& builder) {
    const auto curve = builder.decisions().find(&ModelConfig::pooler_activation);
    if (curve && curve->value != "tanh")
        builder.at.refuse("pooler.dense.weight", "tanh after it",
                          curve->value.substr(0, 40) + " (" + curve->origin + ")");
}

// One classifier on the class token, on it and the patches' mean, or one per special token.
void read_huggingface_head(ModelBuilder& builder, TensorReader outer, Index width) {
    Model& model = builder.model;
    if (!model.prefix.class_token) model.pooling = Pooling::patches;
    if (outer.has("cls_classifier.weight") && model.prefix.distillation_token) {
        const Linear first = builder.linear(outer, "cls_classifier", width);
        model.classifier = averaged(first, builder.linear(outer, "distillation_classifier",
                                                          first.weight->view().rows, width));
        model.pooling = Pooling::class_and_distillation;
    } else if (read_classifier(builder, {"classifier", true}, width)) {
        if (builder.at.has("pooler.dense.weight"))
            builder.say("pooler not used", builder.at.prefix() + "pooler.dense",
                        "Hugging Face's classifiers use the class token itself; your own model may "
                        "use the pooler");
    } else if (builder.at.has("pooler.dense.weight")) {
        expect_tanh(builder);
        model.pooler = builder.linear(builder.at, "pooler.dense", width);
    }
}

}  // namespace

std::optional<Model> read_huggingface_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefixes = file.prefixes_of(kHuggingFaceSign);
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    const std::string layers = layers_name(at);
    auto [family, title, convention] = huggingface_named(at, at.at(layers + "0."), decisions);
    ModelBuilder builder(at, decisions, std::move(convention), title, family);

    const Index width = builder.patch_embedding("embeddings.patch_embeddings.projection");
    read_tokens(builder, width);
    auto readers = builder.readers(layers);
    const LayerNames names = huggingface_layer_names(readers[0]);
    builder.layers(std::move(readers), names, width);
    builder.model.norm = builder.norm(builder.at, "layernorm", width);
    read_huggingface_head(builder, file.at(outer_prefix(at.prefix())), width);
    return builder.finish(kHuggingFaceUnneeded);
}

}  // namespace headlight
