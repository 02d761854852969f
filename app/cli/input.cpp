#include "cli/input.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "cli/errors.h"
#include "cli/files.h"
#include "files/npy.h"
#include "files/stored_tensor.h"
#include "tokens/token_file.h"

namespace headlight::cli {

namespace {

constexpr std::array<std::string_view, 7> kInputNames{"pixels", "tokens", "query",           "key",
                                                      "value",  "mask",   "key_padding_mask"};

// Each cell of a map is a token; the grid is that of a picture with this size and one pixel per
// patch.
PatchGrid grid_of_map(std::int64_t rows, std::int64_t cols) {
    return make_patch_grid(static_cast<int>(rows), static_cast<int>(cols), {1, 1, Ragged::crop});
}

Input read_array(const FileBytes& file, const std::string& path) {
    const StoredTensor stored = read_npy(file, path);
    const auto array = array_of(stored.shape);
    if (!array)
        throw WorkError(path +
                        ": expected an array of tokens [N, D], a feature map [H, W, C] or "
                        "several, [B, H, W, C], found " +
                        shape_text(stored.shape) + ".");
    Input input;
    if (array->map_cols > 0) input.grid = grid_of_map(array->map_rows, array->map_cols);
    NamedTensor tokens;
    tokens.shape = {array->samples, array->rows, array->width};
    tokens.values.resize(stored.count());
    to_floats(stored, tokens.values.data());
    tokens.type = stored.type;
    if (const auto at = find_not_finite(tokens.values))
        throw WorkError(path + ": expected finite numbers, found " +
                        (std::isnan(tokens.values[*at]) ? "NaN" : "an infinity") + " at index " +
                        std::to_string(*at) + ".");
    input.tensors.emplace("tokens", std::move(tokens));
    return input;
}

}  // namespace

void InputTensor::refuse(const std::string& expected) const {
    refuse(expected, shape_text(tensor.shape));
}

void InputTensor::refuse(const std::string& expected, const std::string& found) const {
    throw WorkError(path + ": tensor \"" + name + "\": expected " + expected + ", found " + found +
                    ".");
}

Input read_input(const std::string& path) {
    const FileBytes file = read_file(path).bytes();
    if (looks_like_npy(file.bytes())) return read_array(file, path);
    TensorMap input = read_safetensors(file.bytes(), path);
    const std::string expected = path +
                                 ": expected pixels, tokens, or query and value, with optional "
                                 "mask and key_padding_mask, found ";
    std::string found;
    for (const auto& [name, tensor] : input) {
        if (std::find(kInputNames.begin(), kInputNames.end(), name) == kInputNames.end())
            throw WorkError(expected + '"' + name.substr(0, 80) + "\".");
        found += (found.empty() ? "" : ", ") + name;
    }
    const bool cross = input.contains("query") && input.contains("value");
    const bool half =
        input.contains("query") != input.contains("value") || (input.contains("key") && !cross);
    const int kinds = static_cast<int>(input.contains("pixels")) +
                      static_cast<int>(input.contains("tokens")) + static_cast<int>(cross);
    if (kinds != 1 || half) throw WorkError(expected + (found.empty() ? "nothing" : found) + ".");
    return {std::move(input), {}};
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
