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

// A tensor as it lies in a file: numbers of any type, little-endian, at any address.
struct StoredTensor {
    std::vector<std::int64_t> shape;
    std::string type;           // F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8 or BOOL
    File bytes;                 // exactly the shape's numbers
    bool column_major = false;  // the first index runs fastest, as Fortran stores arrays
    bool is_alias = false;      // the file stores it under another name (aliases.h)

    [[nodiscard]] std::size_t count() const;  // of numbers
};
using StoredTensors = std::map<std::string, StoredTensor>;

// In a file. The largest models have some thousands.
inline constexpr std::size_t kMaxTensors = 100'000;

// Bytes of one number; 0 for a type that we do not read.
std::size_t bytes_per_number(const std::string& type);

// F64, F32, F16 or BF16, which weights and attention are stored as.
bool is_floating_point(const std::string& type);

// Bytes of a whole tensor of these extents (none below 0); nothing where that does not fit.
std::optional<std::uint64_t> byte_count(const std::vector<std::int64_t>& shape, std::size_t each);

// All numbers as float, in row-major order. A double beyond float's range becomes infinite, as IEEE
// 754 rounds it. `values` has room for count(). Throws what reading the file throws; Stopped.
void to_floats(const StoredTensor& tensor, float* values, const StopFlag& stop = {});

// The position of the first NaN or infinity. Throws Stopped.
std::optional<std::size_t> find_not_finite(std::span<const float> values,
                                           const StopFlag& stop = {});

}  // namespace headlight
