#pragma once

#include <optional>
#include <utility>

#include "model/config_section.h"

// The parts of config files, each of which fills in what its section says.
namespace headlight {

// What `found` says goes before what is there.
template <typename T>
void take(std::optional<T>& into, std::optional<T> found) {
    if (found) into = std::move(found);
}

// Hugging Face's preprocessor_config.json.
void read_processor(const Section& section, ModelConfig& config);
bool is_processor(const Section& section);
// Names as timm and OpenCLIP write them, or Pillow's numbers, which Hugging Face writes.
void read_interpolation(const Section& section, const char* key, ModelConfig& config);
// Refuses numbers for pixels of 0 to 255, which would turn pixels of 0 to 1 into nearly the same
// number all over.
void expect_range(const Section& section, const char* key, double pixel_scale,
                  const std::string& advice);
// mean and std, which are our own keys too.
void read_mean(const Section& section, ModelConfig& config);
// What timm does where its pretrained_cfg says nothing.
void take_usual_of_timm(ModelConfig& config);
// timm's pretrained_cfg, whose keys may also stand in the file itself; OpenCLIP's preprocess_cfg.
void read_timm_picture(const Section& section, ModelConfig& config);
// lora_alpha and use_rslora, which a person's config may give too.
void read_lora(const Section& section, LoraConfig& lora);
// id2label, label2id, label_names and label_descriptions. Never refuses: what is no name for each
// class is left aside, and why is noted.
void read_classes(const Section& section, ModelConfig& config);

}  // namespace headlight
