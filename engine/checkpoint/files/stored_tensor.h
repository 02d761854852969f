#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/file.h"
#include "kernels/stop.h"

namespace headlight {

// A tensor as stored in a file: numbers of any type, little-endian, at any address.
struct StoredTensor {
    std::vector<std::int64_t> shape;
    std::string type;           // F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8 or BOOL
    File bytes;                 // exactly the bytes of the shape's numbers
    bool column_major = false;  // the first index varies fastest, as in Fortran
    bool is_alias = false;      // stored in the file under another name (aliases.h)

    [[nodiscard]] std::size_t count() const;  // count of numbers
};
using StoredTensors = std::map<std::string, StoredTensor>;

// Limit per file. The largest models have some thousands.
inline constexpr std::size_t kMaxTensors = 100'000;

// Bytes per number; 0 for an unsupported type.
std::size_t bytes_per_number(const std::string& type);

// F64, F32, F16 or BF16, the types of weights and attention.
bool is_floating_point(const std::string& type);

// Bytes of a tensor with these extents (none may be negative); nothing on overflow.
std::optional<std::uint64_t> byte_count(const std::vector<std::int64_t>& shape, std::size_t each);

// Converts all numbers to float, in row-major order. A double beyond float's range becomes
// infinite, as in IEEE 754. `values` must have room for count(). Throws the exceptions of reading
// the file, and Stopped.
void to_floats(const StoredTensor& tensor, float* values, const StopFlag& stop = {});

// The position of the first NaN or infinity. Throws Stopped.
std::optional<std::size_t> find_not_finite(std::span<const float> values,
                                           const StopFlag& stop = {});

}  // namespace headlight
