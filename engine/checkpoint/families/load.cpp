#include "families/load.h"

#include <array>
#include <utility>

#include "families/families.h"
#include "families/foreign.h"
#include "files/error.h"
#include "files/tensor_file.h"
#include "files/tensor_reader.h"
#include "model/decisions.h"

namespace headlight {

namespace {

// Names that only one family has go first; a layer's and maps' are parts of others.
constexpr std::array kFamilies{&read_t2t_names,
                               &read_jax_names,
                               &read_swin_names,
                               &read_huggingface_swin_names,
                               &read_torchvision_swin_names,
                               &read_torchvision_names,
                               &read_huggingface_dinov3_names,
                               &read_huggingface_beit_names,
                               &read_huggingface_names,
                               &read_huggingface_clip_names,
                               &read_clip_names,
                               &read_dinov3_names,
                               &read_eva_names,
                               &read_beit_names,
                               &read_timm_names,
                               &read_torch_encoder_names,
                               &read_token_transformer_names,
                               &read_layer_names,
                               &read_maps};

std::vector<ModelConfig> configs_beside(const std::string& path, const FileReader& read) {
    std::vector<ModelConfig> configs;
    for (const char* name : {"config.json", "open_clip_config.json", "preprocessor_config.json"}) {
        FileBytes content;
        try {
            content = read(beside(path, name)).bytes();
        } catch (const FileMissing&) {
            continue;
        }
        configs.push_back(parse_config(content.bytes(), beside(path, name)));
        configs.back().name = name;
    }
    return configs;
}

// --config speaks of what the model is shown as well, where it gives one size.
ModelConfig given_config(ModelConfig given) {
    if (!given.frame) given.frame = given.native_size;
    return given;
}

ModelConfig chosen(const ModelOptions& options) {
    ModelConfig config;
    config.name = "your choice";
    config.family = options.family;
    config.num_heads = options.num_heads;
    config.layer_norm_eps = options.layer_norm_eps;
    config.qk_scale = options.qk_scale;
    config.activation = options.activation;
    config.resampling = options.resampling;
    config.norm_first = options.norm_first;
    return config;
}

std::string describe_tensors(const TensorReader& file) {
    const std::vector<std::string> names = file.names();
    if (names.empty()) return "no tensors";
    const std::string& first = names.front();
    return std::to_string(names.size()) + " tensors named as " + in_quotes(first) + " (" +
           file.type(first) + " " + shape_text(file.shape(first)) + ")";
}

[[noreturn]] void refuse_model(const TensorReader& file, const std::optional<std::string>& known) {
    Source(file.file_name())
        .refuse(
            "a vision transformer as timm, torchvision, DINO to DINOv3, EVA, BEiT, Swin, Hugging "
            "Face, CLIP, SigLIP, Google or T2T-ViT name it, torch.nn.TransformerEncoder, one "
            "layer, "
            "or attention maps [layers, heads, N, N]",
            known ? "the names of " + *known + ", which Headlight does not read"
                  : describe_tensors(file));
}

Model read_model(const TensorReader& file, const Decisions& decisions) {
    if (const auto relative = relative_named(file)) refuse_model(file, relative);
    for (const auto& read_family : kFamilies)
        if (std::optional<Model> model = read_family(file, decisions)) return std::move(*model);
    refuse_model(file, stranger_named(file));
}

// Which other families would leave aside without a word.
void expect_use_of_order(const Model& model, const std::vector<ModelConfig>& configs) {
    for (const ModelConfig& config : configs)
        if (config.norm_first && !model.norms_may_follow)
            Source(model.file)
                .refuse(
                    "norm_first for torch.nn.TransformerEncoder alone, whose tensors leave it open",
                    "it for: " + model.title);
}

// Numbers of heads for stages, which other families do not have.
void expect_use_of_stages(const Model& model, const std::vector<ModelConfig>& configs) {
    if (!model.layers.empty() && model.layers.back().window.exists()) return;
    for (const ModelConfig& config : configs)
        if (config.stage_heads)
            throw CheckpointError(
                config.name + ": \"num_heads\": expected one whole number for: " + model.title +
                ", found a list of " + std::to_string(config.stage_heads->size()) + ".");
}

// With which a model computes otherwise than its name and its tensors say.
void expect_no_other_arguments(const Model& model, const std::vector<ModelConfig>& configs) {
    for (const ModelConfig& config : configs)
        if (!config.other_arguments.empty())
            throw CheckpointError(
                config.name + ": arguments of the model: expected none that change what " +
                model.title + " computes, found " + in_quotes(config.other_arguments.front()) +
                ", which Headlight does not read.");
}

}  // namespace

std::shared_ptr<const Model> load_model(const std::string& path, const FileReader& read,
                                        const ModelOptions& options,
                                        const std::optional<ModelConfig>& given,
                                        const StopFlag& stop) {
    std::vector<ModelConfig> rising = configs_beside(path, read);
    if (given) rising.push_back(given_config(*given));
    rising.push_back(chosen(options));
    const TensorReader file(open_tensor_file(path, read, stop));
    auto model = std::make_shared<const Model>(read_model(file, Decisions(rising)));
    expect_use_of_order(*model, rising);
    expect_use_of_stages(*model, rising);
    expect_no_other_arguments(*model, rising);
    return model;
}

}  // namespace headlight
