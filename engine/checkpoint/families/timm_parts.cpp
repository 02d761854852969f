#include "families/timm_parts.h"

#include "families/attention_pool_parts.h"

namespace headlight {

namespace {

// Both heads' logits are averaged; so are their weights, side by side over both tokens.
Linear averaged_heads(ModelBuilder& builder, Index width) {
    const Linear first = builder.linear(builder.at, "head", width);
    const Linear second = builder.linear(builder.at, "head_dist", first.weight->view().rows, width);
    return averaged(first, second);
}

// What is pooled is seen from the tensors, but for what timm's config may ask for instead.
void decide_pooling(ModelBuilder& builder) {
    const TensorReader& at = builder.at;
    Model& model = builder.model;
    const bool mean = at.has("fc_norm.weight") || !model.prefix.class_token;
    model.pooling = mean ? Pooling::patches : Pooling::class_token;
    if (const auto asked = builder.decisions().find(&ModelConfig::pooling)) {
        builder.pooling_origin = asked->origin;
        if (asked->value == "avg")
            model.pooling = Pooling::patches;
        else if (asked->value != "token")
            model.pooling = Pooling::none;
    }
    if (!at.at("attn_pool.").names().empty()) model.pooling = Pooling::none;
}

// AttentionPoolLatent as SigLIP's towers have it: one query, no norms of queries and keys, and an
// MLP. What pools otherwise is said, and not computed.
void read_pool(ModelBuilder& builder, Index width) {
    const TensorReader at = builder.at.at("attn_pool.");
    if (at.names().empty()) return;
    const bool all = at.has("q.weight") && at.has("norm.weight") && at.has("mlp.fc1.weight");
    const bool more = at.has("q_norm.weight") || at.has("pos_embed");
    if (all && !more && at.has_shape("latent", {1, 1, width}))
        return read_attention_pool(builder, at, {}, width);
    builder.say("pooling", "none", "it pools by attention in a way that is not computed here");
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

void read_timm_head(ModelBuilder& builder, Index width) {
    Model& model = builder.model;
    TensorReader& at = builder.at;
    if (at.has("fc_norm.weight")) model.pooled_norm = builder.norm(at, "fc_norm", width);
    if (at.has("norm.weight") || !model.pooled_norm.exists())
        model.norm = builder.norm(at, "norm", width);
    decide_pooling(builder);
    read_pool(builder, width);
    if (!at.has("head.weight")) return;
    if (model.pooling == Pooling::none) {
        builder.say("head left aside", "head", "its pooling is not computed here");
    } else if (at.has("head_dist.weight")) {
        model.pooling = Pooling::class_and_distillation;
        model.classifier = averaged_heads(builder, width);
    } else {
        model.classifier = builder.linear(at, "head", width);
    }
}

}  // namespace headlight
