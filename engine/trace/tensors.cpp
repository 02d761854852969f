#include "trace/tensors.h"

namespace headlight {

const std::array<TensorInfo, kTensorCount>& all_tensors() {
    using enum Role;
    using A = Axis;
    static const std::array<TensorInfo, kTensorCount> table{{
        {Tensor::pixels, "pixels", "I", "Image", token, A::pixel_row, A::pixel, false, true, ""},
        {Tensor::patches, "patches", "P", "Patches", token, A::token, A::feature, false, false,
         "tokens.patches"},
        {Tensor::positions, "positions", "PE", "Positions", token, A::token, A::feature, false,
         false, "positions"},
        {Tensor::tokens, "tokens", "X", "Tokens", token, A::token, A::feature, false, false,
         "tokens.input"},
        {Tensor::qkv_weight, "qkv_weight", "W_{qkv}", "QKV weight", weight, A::qkv_channel,
         A::feature, false, false, ""},
        {Tensor::qkv_bias, "qkv_bias", "b_{qkv}", "QKV bias", weight, A::one, A::qkv_channel, false,
         false, ""},
        {Tensor::qkv, "qkv", "[Q K V]", "Q, K and V stacked", token, A::token, A::qkv_channel,
         false, false, ""},
        {Tensor::query, "query", "Q", "Queries", query, A::token, A::head_channel, true, false,
         "layer.L.query"},
        {Tensor::key, "key", "K", "Keys", key, A::key_token, A::head_channel, true, false,
         "layer.L.key"},
        {Tensor::value, "value", "V", "Values", value, A::key_token, A::head_channel, true, false,
         "layer.L.value"},
        {Tensor::products, "products", "R", "Products", attention, A::token, A::key_token, true,
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
        {Tensor::skip, "skip", "V", "Skip", value, A::token, A::channel, false, false, ""},
        {Tensor::output, "output", "Y", "Output", token, A::token, A::channel, false, false,
         "layer.L.output"},
    }};
    return table;
}

const TensorInfo& info(Tensor tensor) { return all_tensors()[static_cast<std::size_t>(tensor)]; }

std::string_view axis_name(Axis axis) {
    switch (axis) {
        case Axis::token:
        case Axis::key_token:
            return "tokens";
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
        case Axis::one:
            return "";
    }
    return "";
}

}  // namespace headlight
