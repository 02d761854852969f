#include "families/classifier.h"
#include "families/conventions.h"
#include "families/families.h"
#include "families/swin_parts.h"

// Swin in its authors' and timm's names, in Hugging Face's and in torchvision's.
namespace headlight {

namespace {

// Next to the encoder: other heads, mask tokens of training, and a decoder (SimMIM's).
const std::vector<std::string_view> kSwinUnneeded{"head.*", "mask_token", "decoder.*"};
const std::vector<std::string_view> kSwinUnneededOfHuggingFace{"embeddings.mask_token", "decoder.*",
                                                               "classifier.*"};

// The reader at which the first layer has a table and the patch embedding exists. Nothing: no such
// prefix.
std::optional<TensorReader> found_at(const TensorReader& file, const std::string& table,
                                     const std::string& patches) {
    for (const std::string& prefix : file.prefixes_of(table))
        if (file.at(prefix).has(patches + ".weight")) return file.at(prefix);
    return {};
}

SwinNames swin_names_of_huggingface() {
    SwinNames names;
    names.patches = "embeddings.patch_embeddings.projection";
    names.patch_norm = "embeddings.norm";
    names.layer.norm1 = "layernorm_before";
    names.layer.norm2 = "layernorm_after";
    names.layer.query = "attention.self.query";
    names.layer.key = "attention.self.key";
    names.layer.value = "attention.self.value";
    names.layer.projection = "attention.output.dense";
    names.layer.mlp_in = "intermediate.dense";
    names.layer.mlp_out = "output.dense";
    names.table = "attention.self.relative_position_bias_table";
    names.index = "attention.self.relative_position_index";
    names.shifts_together = true;
    return names;
}

SwinNames torchvision_names() {
    SwinNames names;
    names.patches = "features.0.0";
    names.patch_norm = "features.0.2";
    names.layer.mlp_in = "mlp.0";
    names.layer.mlp_out = "mlp.3";
    return names;
}

// layers.0, layers.1, ..., each with `blocks`. The merging before a stage belongs to it, as in timm
// today, or to the stage before it, as in all others.
std::vector<SwinStage> stages_of(const TensorReader& at, const std::string& layers, bool own) {
    std::vector<SwinStage> stages;
    const std::size_t count = numbered(at, layers).size();
    for (std::size_t s = 0; s < count; ++s) {
        const std::string merging = std::to_string(s == 0 || own ? s : s - 1);
        stages.push_back(
            {layers + std::to_string(s) + ".blocks.", layers + merging + ".downsample."});
    }
    return stages;
}

// features.1, features.3, ... with features.2, features.4, ... as merging between them.
std::vector<SwinStage> stages_of_features(const TensorReader& at) {
    std::vector<SwinStage> stages;
    const auto name = [](std::size_t number) { return "features." + std::to_string(number) + "."; };
    while (!at.at(name(2 * stages.size() + 1)).names().empty())
        stages.push_back({name(2 * stages.size() + 1), name(2 * stages.size())});
    return stages;
}

// Pools the mean, unless timm's config says otherwise.
void read_swin_head(ModelBuilder& builder, Index width) {
    Model& model = builder.model;
    TensorReader& at = builder.at;
    model.norm = builder.norm(at, "norm", width);
    model.pooling = Pooling::patches;
    const std::string head = present_name(at, {"head", "head.fc"});
    const auto asked = builder.decisions().find(&ModelConfig::pooling);
    if (asked) builder.pooling_origin = asked->origin;
    if (asked && asked->value != "avg") {
        model.pooling = Pooling::none;
        leave_classifier_out(builder, "Headlight does not compute its pooling");
    } else {
        read_classifier(builder, {head}, width);
    }
}

// In Hugging Face's code, the norms of patches and merging use PyTorch's defaults, whatever its
// config says about the others.
void take_fixed_norms(ModelBuilder& builder) {
    constexpr float kEps = 1e-5F;
    if (builder.eps() == kEps) return;
    Model& model = builder.model;
    model.pre_norm.eps = kEps;
    for (Layer& layer : model.layers) layer.merge.norm.eps = kEps;
    builder.say("epsilon of the norms of patches and merging", text_of(kEps),
                "Hugging Face's code, whatever its config says");
}

}  // namespace

std::optional<Model> read_swin_names(const TensorReader& file, const Decisions& decisions) {
    SwinNames names;
    const auto at = found_at(file, "layers.0.blocks.0." + names.table, names.patches);
    if (!at) return {};
    const bool own = at->at("layers.0.downsample.").names().empty();
    names.shifts_together = !own;
    const std::vector<SwinStage> stages = stages_of(*at, "layers.", own);
    ModelBuilder builder(*at, decisions, conventions::swin(swin_picture(*at, names, stages)),
                         "Swin", choose_family(file, decisions, "swin"));
    const Index width = read_swin(builder, names, stages);
    read_swin_head(builder, width);
    return finish_swin(builder, kSwinUnneeded);
}

std::optional<Model> read_huggingface_swin_names(const TensorReader& file,
                                                 const Decisions& decisions) {
    const SwinNames names = swin_names_of_huggingface();
    const auto at = found_at(file, "encoder.layers.0.blocks.0." + names.table, names.patches);
    if (!at) return {};
    const std::vector<SwinStage> stages = stages_of(*at, "encoder.layers.", false);
    ModelBuilder builder(*at, decisions,
                         conventions::huggingface_swin(swin_picture(*at, names, stages)),
                         "Hugging Face Swin", choose_family(file, decisions, "hf-swin"));
    const Index width = read_swin(builder, names, stages);
    take_fixed_norms(builder);
    Model& model = builder.model;
    model.norm = builder.norm(builder.at, "layernorm", width);
    model.pooling = Pooling::patches;
    model.gives_pooler = !read_classifier(builder, {"classifier", true}, width);
    return finish_swin(builder, kSwinUnneededOfHuggingFace);
}

std::optional<Model> read_torchvision_swin_names(const TensorReader& file,
                                                 const Decisions& decisions) {
    const SwinNames names = torchvision_names();
    const auto at = found_at(file, "features.1.0." + names.table, names.patches);
    if (!at) return {};
    const std::vector<SwinStage> stages = stages_of_features(*at);
    std::size_t layers = 0;
    for (const SwinStage& stage : stages) layers += numbered(*at, stage.blocks).size();
    const Index first =
        at->shape(names.patches + ".weight", 4, "[width, channels, patch, patch]")[0];
    ModelBuilder builder(
        *at, decisions,
        conventions::torchvision_swin(swin_picture(*at, names, stages), first, layers),
        "torchvision Swin", choose_family(file, decisions, "torchvision-swin"));
    const Index width = read_swin(builder, names, stages);
    read_swin_head(builder, width);
    return finish_swin(builder, {});
}

}  // namespace headlight
