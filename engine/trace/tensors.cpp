#include "trace/tensors.h"

namespace headlight {

const std::array<TensorInfo, kTensorCount>& all_tensors() {
    using enum Role;
    using A = Axis;
    static const std::array<TensorInfo, kTensorCount> table{{
        {Tensor::pixels, "pixels", "I", "Image", token, A::pixel_row, A::pixel, false, true, ""},
        {Tensor::split_input, "split_input", "T", "Tokens of the finer grid", token, A::token,
         A::channel, false, false, ""},
        {Tensor::patches, "patches", "P", "Patches", token, A::patch, A::feature, false, false,
         "tokens.patches"},
        {Tensor::patch_weight, "patch_weight", "W_{e}", "Embedding weight", weight, A::channel,
         A::feature, false, false, ""},
        {Tensor::patch_bias, "patch_bias", "b_{e}", "Embedding bias", weight, A::one, A::channel,
         false, false, ""},
        {Tensor::embedded, "embedded", "E", "Embedded patches", token, A::patch, A::channel, false,
         false, "tokens.embedded"},
        {Tensor::prefix_tokens, "prefix_tokens", "T", "Learned tokens", weight, A::prefix_token,
         A::channel, false, false, ""},
        {Tensor::sequence, "sequence", "E", "Learned tokens and patches", token, A::token,
         A::channel, false, false, ""},
        {Tensor::positions, "positions", "PE", "Positions", token, A::token, A::feature, false,
         false, "positions"},
        {Tensor::tokens, "tokens", "X", "Tokens", token, A::token, A::feature, false, false,
         "tokens.input"},
        {Tensor::pre_norm_rows, "pre_norm_rows", "μ,σ", "Mean and deviation", token, A::token,
         A::moment, false, false, ""},
        {Tensor::pre_norm_affine, "pre_norm_affine", "γ,β", "γ and β", weight, A::affine,
         A::channel, false, false, ""},
        {Tensor::pre_norm, "pre_norm", "X", "Normalised tokens", token, A::token, A::channel, false,
         false, "tokens.norm_pre"},
        {Tensor::input, "input", "X", "Residual stream", token, A::token, A::feature, false, false,
         ""},
        {Tensor::value_tokens, "value_tokens", "X", "Value tokens", token, A::key_token, A::feature,
         false, false, ""},
        {Tensor::norm1_rows, "norm1_rows", "μ,σ", "Mean and deviation", token, A::token, A::moment,
         false, false, ""},
        {Tensor::norm1_affine, "norm1_affine", "γ,β", "γ and β", weight, A::affine, A::feature,
         false, false, ""},
        {Tensor::norm1, "norm1", "N_{1}", "Normalised tokens", token, A::token, A::feature, false,
         false, "layer.L.norm1"},
        {Tensor::qkv_weight, "qkv_weight", "W_{qkv}", "QKV weight", weight, A::qkv_channel,
         A::feature, false, false, ""},
        {Tensor::qkv_bias, "qkv_bias", "b_{qkv}", "QKV bias", weight, A::one, A::qkv_channel, false,
         false, ""},
        {Tensor::qkv, "qkv", "[Q K V]", "Q, K and V stacked", token, A::token, A::qkv_channel,
         false, false, ""},
        {Tensor::query_only, "query_only", "Q", "Queries of all heads", token, A::token, A::channel,
         false, false, ""},
        {Tensor::key_value, "key_value", "[K V]", "K and V stacked", token, A::key_token,
         A::qkv_channel, false, false, ""},
        {Tensor::raw_query, "raw_query", "Q", "Queries before their norm", query, A::token,
         A::head_channel, true, false, ""},
        {Tensor::raw_key, "raw_key", "K", "Keys before their norm", key, A::key_token,
         A::head_channel, true, false, ""},
        {Tensor::query_norm_affine, "query_norm_affine", "γ,β", "γ and β of the queries", weight,
         A::affine, A::head_channel, false, false, ""},
        {Tensor::key_norm_affine, "key_norm_affine", "γ,β", "γ and β of the keys", weight,
         A::affine, A::head_channel, false, false, ""},
        {Tensor::query, "query", "Q", "Queries", query, A::token, A::head_channel, true, false,
         "layer.L.query"},
        {Tensor::key, "key", "K", "Keys", key, A::key_token, A::head_channel, true, false,
         "layer.L.key"},
        {Tensor::value, "value", "V", "Values", value, A::key_token, A::head_channel, true, false,
         "layer.L.value"},
        {Tensor::values, "values", "V", "Values of all heads", value, A::token, A::channel, false,
         false, ""},
        {Tensor::products, "products", "R", "Products", attention, A::token, A::key_token, true,
         false, ""},
        {Tensor::scaled, "scaled", "S'", "Scaled products", attention, A::token, A::key_token, true,
         false, ""},
        {Tensor::scores, "scores", "S", "Scores", attention, A::token, A::key_token, true, false,
         "layer.L.scores"},
        {Tensor::attention, "attention", "A", "Attention", attention, A::token, A::key_token, true,
         true, "layer.L.attention"},
        {Tensor::head_output, "head_output", "O", "Head output", token, A::token, A::head_channel,
         true, false, "layer.L.heads"},
        {Tensor::concat, "concat", "O", "All heads", token, A::token, A::channel, false, false,
         "layer.L.concat"},
        {Tensor::projection_weight, "projection_weight", "W_{o}", "Projection weight", weight,
         A::channel, A::channel, false, false, ""},
        {Tensor::projection_bias, "projection_bias", "b_{o}", "Projection bias", weight, A::one,
         A::channel, false, false, ""},
        {Tensor::projection, "projection", "Z", "Projection", token, A::token, A::channel, false,
         false, "layer.L.projection"},
        {Tensor::ls1_gamma, "ls1_gamma", "λ_{1}", "LayerScale", weight, A::one, A::channel, false,
         false, ""},
        {Tensor::ls1, "ls1", "Z'", "Scaled projection", token, A::token, A::channel, false, false,
         "layer.L.ls1"},
        {Tensor::residual1, "residual1", "Y_{1}", "After attention", token, A::token, A::channel,
         false, false, "layer.L.residual1"},
        {Tensor::norm2_rows, "norm2_rows", "μ,σ", "Mean and deviation", token, A::token, A::moment,
         false, false, ""},
        {Tensor::norm2_affine, "norm2_affine", "γ,β", "γ and β", weight, A::affine, A::channel,
         false, false, ""},
        {Tensor::norm2, "norm2", "N_{2}", "Normalised tokens", token, A::token, A::channel, false,
         false, "layer.L.norm2"},
        {Tensor::mlp_in_weight, "mlp_in_weight", "W_{1}", "First MLP weight", weight, A::hidden,
         A::channel, false, false, ""},
        {Tensor::mlp_in_bias, "mlp_in_bias", "b_{1}", "First MLP bias", weight, A::one, A::hidden,
         false, false, ""},
        {Tensor::mlp_hidden, "mlp_hidden", "H", "Hidden", token, A::token, A::hidden, false, false,
         "layer.L.mlp_hidden"},
        {Tensor::mlp_activation, "mlp_activation", "G", "Activated", token, A::token, A::hidden,
         false, false, "layer.L.mlp_activation"},
        {Tensor::mlp_out_weight, "mlp_out_weight", "W_{2}", "Second MLP weight", weight, A::channel,
         A::hidden, false, false, ""},
        {Tensor::mlp_out_bias, "mlp_out_bias", "b_{2}", "Second MLP bias", weight, A::one,
         A::channel, false, false, ""},
        {Tensor::mlp, "mlp", "M", "MLP", token, A::token, A::channel, false, false, "layer.L.mlp"},
        {Tensor::ls2_gamma, "ls2_gamma", "λ_{2}", "LayerScale", weight, A::one, A::channel, false,
         false, ""},
        {Tensor::ls2, "ls2", "M'", "Scaled MLP", token, A::token, A::channel, false, false,
         "layer.L.ls2"},
        {Tensor::output, "output", "Y", "Output", token, A::token, A::channel, false, false,
         "layer.L.output"},
        {Tensor::encoded, "encoded", "X", "After the last layer", token, A::token, A::channel,
         false, false, ""},
        {Tensor::norm_rows, "norm_rows", "μ,σ", "Mean and deviation", token, A::token, A::moment,
         false, false, ""},
        {Tensor::norm_affine, "norm_affine", "γ,β", "γ and β", weight, A::affine, A::channel, false,
         false, ""},
        {Tensor::norm, "norm", "N", "Final tokens", token, A::token, A::channel, false, false,
         "norm"},
        {Tensor::pooled, "pooled", "c", "Pooled", token, A::one, A::channel, false, false, ""},
        {Tensor::pooled_norm_rows, "pooled_norm_rows", "μ,σ", "Mean and deviation", token, A::one,
         A::moment, false, false, ""},
        {Tensor::pooled_norm_affine, "pooled_norm_affine", "γ,β", "γ and β", weight, A::affine,
         A::channel, false, false, ""},
        {Tensor::pooled_norm, "pooled_norm", "c'", "Normalised", token, A::one, A::channel, false,
         false, ""},
        {Tensor::pooler_weight, "pooler_weight", "W_{p}", "Pooler weight", weight, A::channel,
         A::channel, false, false, ""},
        {Tensor::pooler_bias, "pooler_bias", "b_{p}", "Pooler bias", weight, A::one, A::channel,
         false, false, ""},
        {Tensor::pooler_hidden, "pooler_hidden", "p", "Before tanh", token, A::one, A::channel,
         false, false, ""},
        {Tensor::pooler, "pooler", "p'", "Pooler", token, A::one, A::channel, false, false, ""},
        {Tensor::head_weight, "head_weight", "W_{h}", "Head weight", weight, A::class_index,
         A::channel, false, false, ""},
        {Tensor::head_bias, "head_bias", "b_{h}", "Head bias", weight, A::one, A::class_index,
         false, false, ""},
        {Tensor::logits, "logits", "y", "Logits", token, A::one, A::class_index, false, false,
         "logits"},
        {Tensor::pointing_weight, "pointing_weight", "W_{t}", "Pointing weight", weight, A::cell,
         A::channel, false, false, ""},
        {Tensor::pointing_bias, "pointing_bias", "b_{t}", "Pointing bias", weight, A::one, A::cell,
         false, false, ""},
        {Tensor::pointing, "pointing", "T", "Pointing", token, A::token, A::cell, false, false,
         "pointing"},
    }};
    return table;
}

const TensorInfo& info(Tensor tensor) { return all_tensors()[static_cast<std::size_t>(tensor)]; }

bool shared_by_samples(Tensor tensor) {
    return tensor == Tensor::pixels || tensor == Tensor::positions ||
           info(tensor).role == Role::weight;
}

std::string_view axis_name(Axis axis) {
    switch (axis) {
        case Axis::token:
        case Axis::key_token:
            return "tokens";
        case Axis::patch:
            return "patches";
        case Axis::prefix_token:
            return "learned tokens";
        case Axis::pixel_row:
            return "rows";
        case Axis::pixel:
            return "pixels";
        case Axis::feature:
            return "dim";
        case Axis::channel:
            return "channels";
        case Axis::qkv_channel:
            return "3 × channels";
        case Axis::head_channel:
            return "head_dim";
        case Axis::hidden:
            return "hidden";
        case Axis::class_index:
            return "classes";
        case Axis::cell:
            return "cells";
        case Axis::moment:
        case Axis::affine:
        case Axis::one:
            return "";
    }
    return "";
}

}  // namespace headlight
