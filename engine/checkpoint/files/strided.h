#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "files/file.h"

namespace headlight {

// A file whose bytes are computed on first use and then kept, such as the inflated bytes of an
// archive's member. `make` must return exactly `size` bytes, or throw.
File lazy_file(std::uint64_t size, std::function<FileBytes()> make);

// A strided view of a storage, as in PyTorch, starting at number `offset`. Strides count numbers
// and must not be negative; a stride of 0 repeats. All numbers must be within the storage. The
// result lists the numbers, of `each` bytes, row by row.
struct Strides {
    std::uint64_t offset = 0;
    std::vector<std::int64_t> shape, steps;
};
File strided_file(const File& storage, const Strides& strides, std::size_t each);

}  // namespace headlight
