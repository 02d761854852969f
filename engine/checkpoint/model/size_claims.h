#pragma once

#include <optional>
#include <string>
#include <vector>

namespace headlight {

struct Model;

// A size of the encoder in a config that the tensors also show. Sizes tell whether a config belongs
// to the model next to it.
enum class ModelSize { layers, width, mlp_width, heads, patch };
struct SizeClaim {
    ModelSize size;
    std::string key;  // as in the config: "num_hidden_layers"
    int value = 0;
};

// All contradictions between the claims and the model's tensors, separated by semicolons:
// `"hidden_size" is 384, the tensors have 768`. If a config gives a size under several keys, one
// correct value is enough. Nothing if they agree.
std::optional<std::string> contradiction(const std::vector<SizeClaim>& claims, const Model& model);

// True if the claims include more layers than the model has.
bool claims_more_layers(const std::vector<SizeClaim>& claims, const Model& model);

}  // namespace headlight
