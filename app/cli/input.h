#pragma once

#include <cstdint>
#include <string>

#include "files/safetensors.h"
#include "patches/patches.h"
#include "program/field.h"

// The file of --input.
namespace headlight::cli {

// One of its tensors, for the sentence that refuses it.
struct InputTensor {
    const NamedTensor& tensor;
    const std::string& path;
    std::string name;

    [[nodiscard]] std::int64_t extent(std::size_t axis) const { return tensor.shape[axis]; }
    [[noreturn]] void refuse(const std::string& expected) const;  // found: its shape
    [[noreturn]] void refuse(const std::string& expected, const std::string& found) const;
};

// What the file holds. An .npy holds tokens: [N, D], or the cells of feature maps, [H, W, C] or
// [B, H, W, C], row by row.
struct Input {
    TensorMap tensors;
    PatchGrid grid;  // of the tokens, where they are a map's cells; none: nothing says how they lie
};

// Throws WorkError: other names than pixels, tokens, query, key, value, mask and key_padding_mask,
// not exactly one kind of input among them, or an array of another rank. CheckpointError.
Input read_input(const std::string& path);
Scope scope_of(const TensorMap& input);

// Null where the file has none of that name.
const NamedTensor* find(const TensorMap& input, const std::string& name);

// "this layer" or "this model", which the input is for.
std::string name_of(const Model& model);

// The tokens of all samples one below the other: [B, N, D] becomes [B·N, D]. Throws WorkError.
Matrix token_rows(const InputTensor& input, std::int64_t dim, const Model& model);

}  // namespace headlight::cli
