#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/matrix.h"

// The safetensors format (github.com/huggingface/safetensors, "Format"): 8 bytes little-endian
// header length, a JSON header, then the tensors' bytes. The header is never trusted.
namespace headlight {

class CheckpointError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A tensor of any rank, row-major, converted to float.
struct NamedTensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};
using TensorMap = std::map<std::string, NamedTensor>;

// Reads F32, F64, F16, BF16, I64, I32, I16, I8, U8 and BOOL. `name` appears in errors only.
// Throws CheckpointError: truncated, header too long or not JSON or nested deeper than a header is,
// a name twice, offsets outside the file, overlaps and gaps (the format forbids both), sizes that
// do not match their shape, other types.
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

// "[3, 100, 49]"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace headlight
