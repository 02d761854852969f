#pragma once

#include <cstdint>
#include <string>

#include "files/safetensors.h"
#include "patches/patches.h"
#include "program/field.h"

// Reads the file given by --input.
namespace headlight::cli {

// One of its tensors, with its name for error messages.
struct InputTensor {
    const NamedTensor& tensor;
    const std::string& path;
    std::string name;

    [[nodiscard]] std::int64_t extent(std::size_t axis) const { return tensor.shape[axis]; }
    [[noreturn]] void refuse(const std::string& expected) const;  // throws, naming its actual shape
    [[noreturn]] void refuse(const std::string& expected, const std::string& found) const;
};

// The file's content. An .npy file holds tokens [N, D], or the cells of feature maps [H, W, C] or
// [B, H, W, C], row by row.
struct Input {
    TensorMap tensors;
    PatchGrid grid;  // of the tokens, if they are cells of a map; empty: unknown
};

// Throws WorkError for names other than pixels, tokens, query, key, value, mask and
// key_padding_mask, for not exactly one kind of input among them, or for an array of the wrong
// rank. Throws CheckpointError.
Input read_input(const std::string& path);
Scope scope_of(const TensorMap& input);

// Null if the file has no tensor of that name.
const NamedTensor* find(const TensorMap& input, const std::string& name);

// "this layer" or "this model", for error messages.
std::string name_of(const Model& model);

// Concatenates the tokens of all samples: [B, N, D] becomes [B·N, D]. Throws WorkError.
Matrix token_rows(const InputTensor& input, std::int64_t dim, const Model& model);

}  // namespace headlight::cli
