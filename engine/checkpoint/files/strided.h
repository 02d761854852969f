#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "files/file.h"

namespace headlight {

// A file that is made of others when it is first read, and kept then: the inflated bytes of an
// archive's member. `make` gives exactly `size` bytes, or throws.
File lazy_file(std::uint64_t size, std::function<FileBytes()> make);

// Numbers of `each` bytes as steps lead to them in a storage, from number `offset` on: PyTorch's
// views. Strides are in numbers, not below 0; a stride of 0 repeats. All numbers must lie within
// the storage. Gives them one after the other, row by row.
struct Strides {
    std::uint64_t offset = 0;
    std::vector<std::int64_t> shape, steps;
};
File strided_file(const File& storage, const Strides& strides, std::size_t each);

}  // namespace headlight
