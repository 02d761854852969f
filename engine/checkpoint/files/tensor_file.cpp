#include "files/tensor_file.h"

#include <algorithm>
#include <cstdint>

#include "kernels/recycle.h"

namespace headlight {

namespace {

// The address of the numbers, if floats can be read from it directly.
const float* in_place(const StoredTensor& tensor) {
    const std::byte* first = tensor.bytes.in_memory();
    const bool fits = tensor.type == "F32" && !tensor.column_major &&
                      tensor.bytes.owner() != nullptr &&
                      reinterpret_cast<std::uintptr_t>(first) % alignof(float) == 0;
    return fits ? reinterpret_cast<const float*>(first) : nullptr;
}

std::string position_text(const std::vector<std::int64_t>& shape, std::size_t position) {
    std::vector<std::int64_t> at(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        const auto extent = static_cast<std::size_t>(shape[i]);
        at[i] = static_cast<std::int64_t>(position % extent);
        position /= extent;
    }
    return shape_text(at);
}

}  // namespace

const StoredTensor* TensorFile::find(const std::string& tensor) const {
    const auto found = tensors_->find(tensor);
    return found == tensors_->end() ? nullptr : &found->second;
}

const StoredTensor& TensorFile::get(const std::string& tensor) const {
    if (const StoredTensor* found = find(tensor)) return *found;
    Source(name_).refuse("a tensor " + in_quotes(tensor), "none");
}

void TensorFile::expect_finite(const std::string& tensor, std::span<const float> values) const {
    const auto position = find_not_finite(values, stop_);
    if (!position) return;
    Source(name_).refuse(
        tensor, "finite numbers",
        std::to_string(values[*position]) + " at " + position_text(get(tensor).shape, *position));
}

SharedResult TensorFile::matrix(const std::string& tensor, Index rows, Index cols) const {
    const StoredTensor& stored = get(tensor);
    const auto wanted = byte_count({rows, cols}, bytes_per_number(stored.type));
    if (rows < 0 || cols < 0 || wanted != stored.bytes.size())
        Source(name_).refuse(tensor, "the numbers of a matrix " + shape_text({rows, cols}),
                             shape_text(stored.shape));
    if (const float* first = in_place(stored)) {
        expect_finite(tensor, {first, stored.count()});
        return make_result(MatrixView(first, rows, cols, cols), stored.bytes.owner());
    }
    Matrix converted = new_matrix(rows, cols);
    to_floats(stored, converted.data(), stop_);
    expect_finite(tensor, {converted.data(), stored.count()});
    return make_result(std::move(converted));
}

std::vector<float> TensorFile::values(const std::string& tensor) const {
    const StoredTensor& stored = get(tensor);
    std::vector<float> converted(stored.count());
    to_floats(stored, converted.data(), stop_);
    expect_finite(tensor, converted);
    return converted;
}

}  // namespace headlight
