#pragma once

#include <optional>
#include <utility>

#include "model/config_section.h"

// The parts of config files. Each function stores the settings of its section.
namespace headlight {

// Stores `found`, if set, over the existing value.
template <typename T>
void take(std::optional<T>& into, std::optional<T> found) {
    if (found) into = std::move(found);
}

// Hugging Face's preprocessor_config.json.
void read_processor(const Section& section, ModelConfig& config);
bool is_processor(const Section& section);
// Names as in timm and OpenCLIP, or Pillow's numbers, which Hugging Face uses.
void read_interpolation(const Section& section, const char* key, ModelConfig& config);
// Refuses statistics for pixels of 0 to 255, which would turn pixels of 0 to 1 into nearly constant
// numbers.
void expect_range(const Section& section, const char* key, double pixel_scale,
                  const std::string& advice);
// mean and std, which are also Headlight's own keys.
void read_mean(const Section& section, ModelConfig& config);
// timm's defaults for a pretrained_cfg with missing keys.
void take_usual_of_timm(ModelConfig& config);
// timm's pretrained_cfg, whose keys may also be at the top level; OpenCLIP's preprocess_cfg.
void read_timm_picture(const Section& section, ModelConfig& config);
// lora_alpha and use_rslora, which are also allowed in the user's config.
void read_lora(const Section& section, LoraConfig& lora);
// id2label, label2id, label_names and label_descriptions. Never refuses a file: if there is no name
// for each class, it leaves the names out and records why.
void read_classes(const Section& section, ModelConfig& config);

}  // namespace headlight
