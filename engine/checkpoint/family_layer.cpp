#include "checkpoint/families.h"
#include "checkpoint/layer_file.h"
#include "checkpoint/model_builder.h"

namespace headlight {

// Heads and scale follow from no tensor of a bare layer; one head is what T2T's token transformers
// have.
std::optional<Model> read_layer_names(const TensorReader& file, const Decisions& decisions) {
    if (!has_one_layer(file)) return {};
    const LayerTensors layer = read_layer_tensors(file);
    const bool is_t2t = layer.family == "t2t";
    Model model;
    model.file = file.file_name();
    model.family = layer.family + "-layer";
    model.title = is_t2t ? "attention layer of T2T-ViT" : "torch.nn.MultiheadAttention";
    model.pooling = Pooling::none;

    Block block;
    block.name = "Layer 1";
    block.file_name = "layer.0";
    block.qkv = layer.qkv;
    block.projection = layer.projection;
    AttentionConfig& attention = block.attention;
    attention.dim = static_cast<int>(layer.qkv.weight->view().cols);
    attention.channels = static_cast<int>(layer.projection.weight->view().cols);
    attention.qkv_bias = layer.qkv.bias != nullptr;
    attention.skip = layer.skip;
    const auto heads = decisions.find(&ModelConfig::num_heads);
    const auto scale = decisions.find(&ModelConfig::qk_scale);
    if (heads) attention.heads = heads->value;
    if (scale) attention.scale = scale->value;
    try {
        validate(attention);
    } catch (const AttentionError& error) {
        throw CheckpointError(model.file + ": num_heads: " + error.what());
    }

    const std::string shapes = "tensor shapes";
    model.facts = {
        {"family", model.family + " (" + model.title + ")", "tensor names"},
        {"width",
         std::to_string(attention.dim) + " in, " + std::to_string(attention.channels) + " out",
         shapes},
        {"heads", std::to_string(attention.heads),
         heads ? heads->origin : "no tensor says; set num_heads to change it"},
        {"bias of query, key and value", attention.qkv_bias ? "yes" : "no", "tensor names"},
        {"skip", is_t2t ? "from the value" : "none", "convention of " + model.title}};
    model.blocks.push_back(std::move(block));
    model.unused = grouped_names(file.unused());
    model.parts = parts_of(model);
    return model;
}

}  // namespace headlight
