#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/stored_tensor.h"

// What additions to a model's weights are called: LoRA, DoRA and IA³ as peft and kohya's scripts
// store them, and what other kinds are known by.
namespace headlight {

// "blocks.0.attn.qkv.lora_A.default.weight"
struct AdditionName {
    std::string module;  // "blocks.0.attn.qkv"
    std::string part;    // "lora_A", "lora_B", "lora_B.bias", "lora_magnitude_vector", "ia3_l", ...
    std::string adapter;  // "default"; empty where peft has left it out
};
// Nothing for other names, and for additions in a form that is not merged.
std::optional<AdditionName> addition_name(const std::string& tensor);

// The kind of any addition, merged here or not, for people: "LoRA", "LoHa", "prompt". A name
// belongs to one by one of its components.
std::optional<std::string> addition_kind(const std::string& tensor);

// Between "." and "/".
std::vector<std::string> components_of(const std::string& name);

// Whether a component has the word, between "_" and before digits: "text" in "text_model".
bool has_word(const std::string& component, std::string_view word);

// Removes every "base_layer." and takes the trained copy of a module for the original one.
StoredTensors with_plain_names(const StoredTensors& tensors);

}  // namespace headlight
