#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_file.h"
#include "kernels/result.h"

namespace headlight {

using TensorShape = std::vector<std::int64_t>;

// Reads the tensors of a file, checks their shapes and records which were used. A reader has a
// prefix ("blocks.3."); readers made from it share the record. All functions that take a name throw
// CheckpointError with the tensor, what was expected and what was found.
class TensorReader {
  public:
    explicit TensorReader(TensorFile file);

    [[nodiscard]] TensorReader at(std::string_view more) const;
    [[nodiscard]] TensorReader from_root() const;  // a reader with an empty prefix
    [[nodiscard]] const std::string& prefix() const { return prefix_; }
    [[nodiscard]] const std::string& file_name() const { return state_->file.name(); }

    [[nodiscard]] bool has(std::string_view name) const;
    // For every name in the whole file that ends with `ending` after a "." or "/": the part before
    // it.
    [[nodiscard]] std::vector<std::string> prefixes_of(std::string_view ending) const;
    // From now on, prefixes_of() omits prefixes that begin with one of `others`, unless they begin
    // with `shown` and `shown` is longer. Applies to all readers that share this file.
    void hide(std::vector<std::string> others, std::string shown);
    [[nodiscard]] bool is_hidden(std::string_view name) const;  // `name` is a full name

    // The names of all tensors under the prefix, without it.
    [[nodiscard]] std::vector<std::string> names() const;

    // The shape, which must have this rank and extents from 1 to the largest int. `meaning` is for
    // messages.
    [[nodiscard]] TensorShape shape(std::string_view name, std::size_t rank,
                                    const std::string& meaning) const;

    [[nodiscard]] bool has_shape(std::string_view name, const TensorShape& shape) const;
    [[nodiscard]] const TensorShape& shape(std::string_view name) const;  // as in the file
    [[nodiscard]] const std::string& type(std::string_view name) const;   // StoredTensor::type

    // True if two tensors have the same shape, type and numbers, bit by bit.
    [[nodiscard]] bool have_same_numbers(std::string_view name, std::string_view other) const;

    // A tensor of exactly this shape, as a matrix with the same number of cells. It must be
    // floating point and finite.
    SharedResult matrix(std::string_view name, const TensorShape& shape, Index rows, Index cols);
    SharedResult matrix(std::string_view name, Index rows, Index cols) {
        return matrix(name, {rows, cols}, rows, cols);
    }
    SharedResult row(std::string_view name, Index width) { return matrix(name, {width}, 1, width); }
    // Null if the file has no such tensor.
    SharedResult optional_row(std::string_view name, Index width) {
        return has(name) ? row(name, width) : nullptr;
    }

    // Throws if only some of these tensors exist. They always come together, so the file would be
    // damaged.
    void expect_all_or_none(const std::vector<std::string>& names) const;

    // The numbers of a tensor of exactly this shape, row-major, for layouts that must be permuted.
    std::vector<float> values(std::string_view name, const TensorShape& shape);

    // The same for tensors that are not weights: numbers of any type, including integers.
    std::vector<float> buffer(std::string_view name, const TensorShape& shape);

    // Full names of tensors that were not used.
    [[nodiscard]] std::vector<std::string> unused() const;

    [[noreturn]] void refuse(std::string_view name, const std::string& expected,
                             const std::string& found) const;

  private:
    struct State {
        TensorFile file;
        std::set<std::string> used;
        std::vector<std::string> hidden{};
        std::string shown{};
    };

    [[nodiscard]] std::string full(std::string_view name) const {
        return prefix_ + std::string(name);
    }
    void take(std::string_view name, const TensorShape& shape);
    void expect_shape(std::string_view name, const TensorShape& shape) const;
    [[nodiscard]] const StoredTensor& find(std::string_view name, const std::string& meaning) const;

    std::shared_ptr<State> state_;
    std::string prefix_;
};

}  // namespace headlight
