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

// What a program does with pictures where a config of its own says nothing: weaker than that
// config, stronger than the model's convention.
struct UsualPicture {
    std::string whose;  // "timm", "ViTImageProcessor"
    std::optional<std::array<float, 3>> mean, std;
    std::optional<Interpolation> interpolation;
    std::optional<double> crop_fraction;
};

// What one source says about a model that its tensors cannot say; what it leaves open is left to
// the sources below it.
struct ModelConfig {
    std::string name;  // where this stands, for people: "config.json", "--config"

    std::optional<std::string> family;  // our own names, as `headlight info` prints them
    // timm's name of the model, of an OpenCLIP tower too; "openclip" of OpenCLIP's own towers.
    std::optional<std::string> architecture;
    std::optional<int> num_heads, head_width;
    // Of models in stages: of each stage, or window_sizes of one size for all.
    std::optional<std::vector<int>> depths, stage_heads, window_sizes;
    std::optional<float> layer_norm_eps, qk_scale;
    std::optional<float> rotary_base;  // of the periods of rotary positions
    // Rows and columns of patches to which EVA-02's rotary positions stretch every grid; timm's
    // ref_feat_shape.
    std::optional<PixelSize> rotary_reference;
    std::optional<Activation> activation;
    // The same where the MLP has a gate, from the keys that mean such curves too.
    std::optional<Activation> gate;
    std::optional<HeadCurve> head_activation;  // between two linear layers of a head
    std::optional<Resampling> resampling;
    std::optional<GridSize> grid;                  // of attention maps alone: their patches,
    std::optional<int> tokens_before;              // the tokens before these,
    std::optional<int> sample;                     // and which of a batch it is, from 1
    std::optional<bool> norm_first;                // whether norms stand before attention and MLP
    std::optional<std::string> pooling;            // timm's "token", "avg", "map", ...
    std::optional<bool> norm_after_pooling;        // OpenCLIP's last norm, of the pooled row alone
    std::optional<std::string> pooler_activation;  // Hugging Face's name of the pooler's curve

    std::optional<PixelSize> native_size;  // for which the positions were learned
    std::optional<PixelSize> frame;        // what the model is shown
    std::optional<int> most_patches;       // of pictures of any aspect
    // The frame's side over that of what it is cut out of.
    std::optional<double> crop_fraction;
    std::optional<PixelSize> resize;  // what that is, for `frame`
    std::optional<Framing> framing;
    std::optional<Interpolation> interpolation;
    std::optional<Alpha> alpha;
    std::optional<bool> keeps_size, cuts_smaller_half_first;  // as in Preprocessing
    // What is put beside a picture that leaves some of the frame free; or its mean.
    std::optional<std::array<float, 3>> fill;
    std::optional<bool> fills_with_mean;
    // Mean and std are for pixels of 0 to 1 times the scale, and the offset added.
    std::optional<double> pixel_scale, pixel_offset;
    std::optional<std::array<float, 3>> mean, std;

    std::optional<UsualPicture> usual;

    // Of timm's model_args: what may change the numbers and is not read here.
    std::vector<std::string> other_arguments;
    std::vector<std::string>
        not_read;  // other keys with their values, where they may mean something

    // What the tensors show as well: a config of another model is known by them.
    std::vector<SizeClaim> sizes;
    ModelArguments arguments;  // timm's model_args
    LoraConfig lora;

    std::vector<std::string> class_names;
    std::string names_left_aside;  // why, where there are some and none was taken
    // What it asks for and Headlight does otherwise, each a sentence.
    std::vector<std::string> remarks;
    // A file with keys of ours alone, each of which somebody wants to be followed.
    bool is_ours = false;
};

// Reads any of
//   Hugging Face's config.json and preprocessor_config.json,
//   timm's config.json, with its pretrained_cfg or without,
//   OpenCLIP's open_clip_config.json,
//   our own: family, num_heads, layer_norm_eps, qk_scale, activation, head_activation, resampling,
//   norm_first, mean, std, alpha, image_size (a side or [height, width]), ref_feat_shape; of
//   attention maps alone grid ("15x20" or [rows, columns]), tokens_before, sample.
// Every other key is in `not_read`, but for those that change nothing here (config_keys.h). `name`
// appears in errors and as where a value came from.
// Throws CheckpointError: too long, not JSON, nested too deep, no object, a value of another type
// or out of range, a step or setting that Headlight does not have; each names the key.
ModelConfig parse_config(std::span<const std::byte> json, const std::string& name);

// peft's adapter_config.json. What would change the numbers and is not followed is in
// lora.not_followed. Throws as parse_config does.
ModelConfig parse_adapter_config(std::span<const std::byte> json, const std::string& name);

// parse_config() for a file that somebody wrote for this (--config). Where it is not one of the others'
// configs, a key that is not our own is refused too: misspelt, it would leave the numbers as they
// were.
ModelConfig parse_given_config(std::span<const std::byte> json, const std::string& name);

}  // namespace headlight
