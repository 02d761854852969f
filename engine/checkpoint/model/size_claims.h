#pragma once

#include <optional>
#include <string>
#include <vector>

namespace headlight {

struct Model;

// A size of the encoder that a config states and the tensors show as well. The sizes say whether a
// config belongs to the model beside which it lies.
enum class ModelSize { layers, width, mlp_width, heads, patch };
struct SizeClaim {
    ModelSize size;
    std::string key;  // as the config has it: "num_hidden_layers"
    int value = 0;
};

// Where the claims differ from the model's tensors: `"hidden_size" is 384, the tensors have 768`,
// all of them, separated by semicolons. Where a config gives a size under several keys, one that is
// right is enough. Nothing: they agree.
std::optional<std::string> contradiction(const std::vector<SizeClaim>& claims, const Model& model);

// Whether the claims speak of more layers than the model has.
bool claims_more_layers(const std::vector<SizeClaim>& claims, const Model& model);

}  // namespace headlight
