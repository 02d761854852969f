#pragma once

#include <map>
#include <optional>
#include <string>

namespace headlight {

// What a config says about low-rank additions ("LoRA", arXiv 2106.09685): B·A is multiplied by
// alpha / rank, or by alpha / √rank ("rsLoRA", arXiv 2312.03732). Keys of peft's
// adapter_config.json.
struct LoraConfig {
    std::optional<float> alpha;           // lora_alpha
    std::optional<bool> by_root;          // use_rslora
    std::map<std::string, float> alphas;  // alpha_pattern: of modules whose names end so
};

}  // namespace headlight
