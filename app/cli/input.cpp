#include "cli/input.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/errors.h"
#include "cli/files.h"

namespace headlight::cli {

namespace {

constexpr std::array<std::string_view, 6> kNames{"pixels", "tokens", "query",
                                                 "value",  "mask",   "key_padding_mask"};

}  // namespace

void InputTensor::refuse(const std::string& expected) const {
    refuse(expected, shape_text(tensor.shape));
}

void InputTensor::refuse(const std::string& expected, const std::string& found) const {
    throw WorkError(path + ": tensor \"" + name + "\": expected " + expected + ", found " + found +
                    ".");
}

TensorMap read_input(const std::string& path) {
    TensorMap input = read_safetensors(read_file(path).bytes(), path);
    const std::string expected =
        path +
        ": expected pixels, or tokens, or query and value, and optionally mask and "
        "key_padding_mask, found ";
    std::string found;
    for (const auto& [name, tensor] : input) {
        if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
            throw WorkError(expected + '"' + name.substr(0, 80) + "\".");
        found += (found.empty() ? "" : ", ") + name;
    }
    const bool cross = input.contains("query") && input.contains("value");
    const bool half = input.contains("query") != input.contains("value");
    const int kinds = static_cast<int>(input.contains("pixels")) +
                      static_cast<int>(input.contains("tokens")) + static_cast<int>(cross);
    if (kinds != 1 || half) throw WorkError(expected + (found.empty() ? "nothing" : found) + ".");
    return input;
}

Scope scope_of(const TensorMap& input) {
    return input.contains("pixels") ? Scope::patches : Scope::layer;
}

const NamedTensor* find(const TensorMap& input, const std::string& name) {
    const auto found = input.find(name);
    return found == input.end() ? nullptr : &found->second;
}

std::string name_of(const Model& model) {
    return model.is_bare_layer() ? "this layer" : "this model";
}

Matrix token_rows(const InputTensor& input, std::int64_t dim, const Model& model) {
    const auto& shape = input.tensor.shape;
    if (shape.size() != 3 || shape[0] < 1 || shape[1] < 1 || shape[2] != dim)
        input.refuse("[B, N, " + std::to_string(dim) + "] for " + name_of(model));
    return Eigen::Map<const Matrix>(input.tensor.values.data(), shape[0] * shape[1], dim);
}

}  // namespace headlight::cli
