#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headlight {

// Settings for additions to a model's weights, from the keys of peft's adapter_config.json. LoRA
// (arXiv 2106.09685) multiplies B·A by alpha / rank, rsLoRA (arXiv 2312.03732) by alpha / √rank.
struct LoraConfig {
    bool is_adapter = false;      // from an adapter_config.json
    std::optional<float> alpha;   // lora_alpha
    bool is_usual_alpha = false;  // peft's default, not from the file
    std::optional<int> rank;      // r
    std::optional<bool> by_root;  // use_rslora
    // By module: keys are regular expressions for the end of its name, as in peft.
    std::map<std::string, float> alphas;     // alpha_pattern
    std::map<std::string, int> ranks;        // rank_pattern
    std::optional<bool> has_magnitudes;      // use_dora
    bool has_biases = false;                 // bias: "all" or "lora_only"
    bool has_biases_of_b = false;            // lora_bias
    std::vector<std::string> saved_modules;  // modules_to_save
    std::string base;                        // base_model_name_or_path
    std::string not_followed;  // one sentence why the additions cannot be merged; empty: they can
};

// True if a key of alpha_pattern or rank_pattern matches the module: whole components at the end of
// its name. Throws CheckpointError for an invalid or too long regular expression.
bool fits_module(const std::string& pattern, const std::string& module);

}  // namespace headlight
