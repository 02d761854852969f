#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/safetensors.h"
#include "image/preprocessing.h"
#include "kernels/activation.h"
#include "model/argument_claims.h"
#include "model/lora_config.h"
#include "model/size_claims.h"
#include "patches/map_layout.h"
#include "positions/resample.h"

namespace headlight {

struct PixelSize {
    int height = 0, width = 0;

    friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

// Defaults of a program that processes pictures. They are overridden by its config and override the
// model's convention.
struct UsualPicture {
    std::string whose;  // "timm", "ViTImageProcessor"
    std::optional<std::array<float, 3>> mean, std;
    std::optional<Interpolation> interpolation;
    std::optional<double> crop_fraction;
};

// What one source specifies about a model, apart from its tensors. Sources below it supply the
// rest.
struct ModelConfig {
    std::string name;  // the source, for people: "config.json", "--config"

    std::optional<std::string> family;  // Headlight's names, as `headlight info` prints them
    // timm's name of the model, also of an OpenCLIP tower; "openclip" for OpenCLIP's own towers.
    std::optional<std::string> architecture;
    std::optional<int> num_heads, head_width;
    // For models in stages: one per stage; window_sizes may be one for all.
    std::optional<std::vector<int>> depths, stage_heads, window_sizes;
    std::optional<float> layer_norm_eps, qk_scale;
    std::optional<float> rotary_base;  // for the periods of rotary positions
    // The grid that EVA-02's rotary positions are stretched to, in rows and columns of patches;
    // timm's ref_feat_shape.
    std::optional<PixelSize> rotary_reference;
    std::optional<Activation> activation;
    // The same for an MLP with a gate, including from keys that mean such activations.
    std::optional<Activation> gate;
    std::optional<HeadCurve> head_activation;  // between two linear layers of a head
    std::optional<Resampling> resampling;
    std::optional<GridSize> grid;                  // attention maps only: grid of their patches
    std::optional<int> tokens_before;              // attention maps only: number of tokens before
                                                   // the patches
    std::optional<int> sample;                     // attention maps only: which sample of a batch,
                                                   // from 1
    std::optional<bool> norm_first;                // whether norms come before attention and MLP
    std::optional<std::string> pooling;            // timm's "token", "avg", "map", ...
    std::optional<bool> norm_after_pooling;        // OpenCLIP's final norm applies only to the
                                                   // pooled row
    std::optional<std::string> pooler_activation;  // Hugging Face's name of the pooler's activation

    std::optional<PixelSize> native_size;  // the size that the positions were learned for
    std::optional<PixelSize> frame;        // input size of the model
    std::optional<int> most_patches;       // for pictures of any aspect
    // The input side divided by the side of the resized picture.
    std::optional<double> crop_fraction;
    std::optional<PixelSize> resize;  // the resized picture, for `frame`
    std::optional<Framing> framing;
    std::optional<Interpolation> interpolation;
    std::optional<Alpha> alpha;
    std::optional<bool> keeps_size, cuts_smaller_half_first;  // as in Preprocessing
    // Color of the area around a picture that does not fill the input; or use the mean.
    std::optional<std::array<float, 3>> fill;
    std::optional<bool> fills_with_mean;
    // Mean and std are for pixels from 0 to 1 multiplied by the scale, plus the offset.
    std::optional<double> pixel_scale, pixel_offset;
    std::optional<std::array<float, 3>> mean, std;

    std::optional<UsualPicture> usual;

    // timm's model_args that may change the result and are not read here.
    std::vector<std::string> other_arguments;
    std::vector<std::string> not_read;  // other keys with their values, if they may matter

    // Sizes that the tensors also show, to detect a config of another model.
    std::vector<SizeClaim> sizes;
    ModelArguments arguments;  // timm's model_args
    LoraConfig lora;

    std::vector<std::string> class_names;
    std::string names_left_aside;  // why class names exist but were not used
    // Requests that Headlight does not follow, one sentence each.
    std::vector<std::string> remarks;
    // A file with only Headlight's keys; all of them must be followed.
    bool is_ours = false;
};

// Reads any of
//   Hugging Face's config.json and preprocessor_config.json,
//   timm's config.json, with or without its pretrained_cfg,
//   OpenCLIP's open_clip_config.json,
//   Headlight's own: family, num_heads, layer_norm_eps, qk_scale, activation, head_activation,
//   resampling, norm_first, mean, std, alpha, image_size (a side or [height, width]),
//   ref_feat_shape; for attention maps only grid ("15x20" or [rows, columns]), tokens_before,
//   sample.
// All other keys are listed in `not_read`, except those without effect here (config_keys.h). `name`
// appears in errors and as the origin of values. Throws CheckpointError, naming the key, for a file
// that is too long, not JSON, nested too deeply or no object. It also throws for a value of the
// wrong type or out of range, and for a step or setting that Headlight does not support.
ModelConfig parse_config(std::span<const std::byte> json, const std::string& name);

// Reads peft's adapter_config.json. Settings that would change the result and are not supported are
// in lora.not_followed. Throws as parse_config does.
ModelConfig parse_adapter_config(std::span<const std::byte> json, const std::string& name);

// parse_config() for a file that the user wrote for Headlight (--config). If it is no config of
// another program, unknown keys are refused too: a misspelled key would have no effect.
ModelConfig parse_given_config(std::span<const std::byte> json, const std::string& name);

}  // namespace headlight
