#include "families/timm_parts.h"

#include "families/attention_pool_parts.h"
#include "families/classifier.h"

namespace headlight {

namespace {

// The logits of both heads are averaged, by averaging their weights side by side over both tokens.
Linear averaged_heads(ModelBuilder& builder, Index width) {
    const Linear first = builder.linear(builder.at, "head", width);
    const Linear second = builder.linear(builder.at, "head_dist", first.weight->view().rows, width);
    return averaged(first, second);
}

// timm's words. Without a class token, none is pooled.
Pooling pooling_named(const std::string& name, const PrefixTokens& prefix) {
    if (name == "avg") return Pooling::patches;
    return name == "token" && prefix.class_token ? Pooling::class_token : Pooling::none;
}

// The pooling from a config, or else from the tensors: only mean pooling has its own norm.
void decide_pooling(ModelBuilder& builder) {
    const TensorReader& at = builder.at;
    Model& model = builder.model;
    if (!at.at("attn_pool.").names().empty()) {
        model.pooling = Pooling::none;
    } else if (const auto asked = builder.decisions().find(&ModelConfig::pooling)) {
        builder.pooling_origin = asked->origin;
        model.pooling = pooling_named(asked->value, model.prefix);
    } else if (at.has("fc_norm.weight") || !model.prefix.class_token) {
        model.pooling = Pooling::patches;
    } else {
        model.pooling = Pooling::class_token;
        builder.pooling_origin = "usual for models with a class token";
    }
}

// AttentionPoolLatent as in SigLIP's towers: one query, no norms of queries and keys, an MLP, and
// no tokens besides the patches. Other variants are mentioned but not computed.
void read_pool(ModelBuilder& builder, Index width) {
    const TensorReader at = builder.at.at("attn_pool.");
    if (at.names().empty()) return;
    const bool all = at.has("q.weight") && at.has("norm.weight") && at.has("mlp.fc1.weight");
    const bool more =
        at.has("q_norm.weight") || at.has("pos_embed") || builder.model.prefix.count() > 0;
    if (all && !more && at.has_shape("latent", {1, 1, width}))
        return read_attention_pool(builder, at, {}, width);
    builder.say("pooling", "none", "Headlight does not compute its kind of attention pooling");
}

}  // namespace

void read_timm_tokens(ModelBuilder& builder, Index width) {
    TensorReader& at = builder.at;
    PrefixTokens& prefix = builder.model.prefix;
    if (at.has("cls_token")) prefix.class_token = builder.token("cls_token", width);
    if (at.has("dist_token")) prefix.distillation_token = builder.token("dist_token", width);
    for (const char* name : {"reg_token", "register_tokens"})
        if (at.has(name)) prefix.registers = builder.registers(name, width);
}

void take_gate_names(LayerNames& names, const TensorReader& layer) {
    if (!layer.has("mlp.fc1_g.weight")) return;
    names.mlp_gate = "mlp.fc1_g";
    names.mlp_in = "mlp.fc1_x";
}

void read_timm_head(ModelBuilder& builder, Index width) {
    Model& model = builder.model;
    TensorReader& at = builder.at;
    if (at.has("fc_norm.weight")) model.pooled_norm = builder.norm(at, "fc_norm", width);
    if (at.has("norm.weight") || !model.pooled_norm.exists())
        model.norm = builder.norm(at, "norm", width);
    decide_pooling(builder);
    read_pool(builder, width);
    if (model.pooling == Pooling::none)
        return leave_classifier_out(builder, "Headlight does not compute its pooling");
    if (at.has("head.weight") && at.has("head_dist.weight") && at.has("dist_token")) {
        model.pooling = Pooling::class_and_distillation;
        model.classifier = averaged_heads(builder, width);
        return;
    }
    // Google's models trained on ImageNet-21k, in an old form of timm.
    if (at.has("pre_logits.fc.weight")) model.pooler = builder.linear(at, "pre_logits.fc", width);
    if (const auto level = read_classifier(builder, {"head"}, width))
        // OpenCLIP's and EVA-CLIP's towers.
        model.gives_embedding = level->find("visual.") != std::string::npos;
}

}  // namespace headlight
