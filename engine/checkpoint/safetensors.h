#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/error.h"
#include "checkpoint/files.h"
#include "checkpoint/stored_tensor.h"
#include "kernels/matrix.h"

// The safetensors format (github.com/huggingface/safetensors, "Format"): 8 bytes little-endian
// header length, a JSON header, then the tensors' bytes. The header is never trusted.
namespace headlight {

// A tensor of any rank, row-major, converted to float.
struct NamedTensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};
using TensorMap = std::map<std::string, NamedTensor>;

// What the header says, held against the file; no number is looked at. The tensors' bytes are views
// into `file` and share its owner. `name` appears in errors only.
// Throws CheckpointError: truncated, header too long or not JSON or nested deeper than a header is,
// a name twice, offsets outside the file, overlaps and gaps (the format forbids both), sizes that
// do not match their shape, a type that StoredTensor has not.
StoredTensors safetensors_entries(const FileBytes& file, const std::string& name);

// The same with all tensors converted: for small files.
TensorMap read_safetensors(std::span<const std::byte> bytes, const std::string& name);

// One tensor to be written; its values stay with the caller. Rows are written one after another.
struct TensorToWrite {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<MatrixView> blocks;  // in the order of the file; their sizes add up to the shape
};
// All as F32. Written beside the file first and then moved, so a failure leaves no half file.
// Throws CheckpointError when it cannot be written.
void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors);

}  // namespace headlight
