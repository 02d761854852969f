#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/stored_tensor.h"

// Names of additions to a model's weights: LoRA, DoRA and IA³ as stored by peft and kohya's
// scripts, and signs of other kinds.
namespace headlight {

// "blocks.0.attn.qkv.lora_A.default.weight"
struct AdditionName {
    std::string module;  // "blocks.0.attn.qkv"
    std::string part;    // "lora_A", "lora_B", "lora_B.bias", "lora_magnitude_vector", "ia3_l", ...
    std::string adapter;  // "default"; empty if peft left it out
};
// Nothing for other names, and for additions in a form that cannot be merged.
std::optional<AdditionName> addition_name(const std::string& tensor);

// The kind of any addition, even if it cannot be merged, for people: "LoRA", "LoHa", "prompt". It
// is recognized by a component of the name.
std::optional<std::string> addition_kind(const std::string& tensor);

// The components between "." and "/".
std::vector<std::string> components_of(const std::string& name);

// True if a component contains the word, delimited by "_" or digits: "text" in "text_model".
bool has_word(const std::string& component, std::string_view word);

// Removes every "base_layer." and uses the trained copy of a module instead of the original.
StoredTensors with_plain_names(const StoredTensors& tensors);

}  // namespace headlight
