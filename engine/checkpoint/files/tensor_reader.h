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

// Gives out the tensors of a file, checks their shapes and remembers which were used. A reader
// stands at a prefix ("blocks.3."); readers made from it share the memory. Every function that
// takes a name throws CheckpointError naming the tensor, what was expected and what was found.
class TensorReader {
  public:
    explicit TensorReader(TensorFile file);

    [[nodiscard]] TensorReader at(std::string_view more) const;
    [[nodiscard]] TensorReader from_root() const;  // a reader whose prefix is empty
    [[nodiscard]] const std::string& prefix() const { return prefix_; }
    [[nodiscard]] const std::string& file_name() const { return state_->file.name(); }

    [[nodiscard]] bool has(std::string_view name) const;
    // The part before `ending` of every name in the whole file that ends so, at a "." or "/".
    [[nodiscard]] std::vector<std::string> prefixes_of(std::string_view ending) const;
    // From now on prefixes_of() finds nothing that begins with a prefix of `others`, unless it
    // begins with `shown` and that is longer. For all readers that share this one's file.
    void hide(std::vector<std::string> others, std::string shown);
    [[nodiscard]] bool is_hidden(std::string_view name) const;  // a name of the whole file

    // What follows the prefix in the names of all tensors under it.
    [[nodiscard]] std::vector<std::string> names() const;

    // Of that rank, every extent from 1 to what an int holds. `meaning` is for people.
    [[nodiscard]] TensorShape shape(std::string_view name, std::size_t rank,
                                    const std::string& meaning) const;

    [[nodiscard]] bool has_shape(std::string_view name, const TensorShape& shape) const;
    [[nodiscard]] const TensorShape& shape(std::string_view name) const;  // as the file says
    [[nodiscard]] const std::string& type(std::string_view name) const;   // StoredTensor::type

    // Whether two tensors have one shape, one type and the same numbers, bit by bit.
    [[nodiscard]] bool have_same_numbers(std::string_view name, std::string_view other) const;

    // A tensor of exactly this shape, seen as a matrix of as many numbers; floating point, finite.
    SharedResult matrix(std::string_view name, const TensorShape& shape, Index rows, Index cols);
    SharedResult matrix(std::string_view name, Index rows, Index cols) {
        return matrix(name, {rows, cols}, rows, cols);
    }
    SharedResult row(std::string_view name, Index width) { return matrix(name, {width}, 1, width); }
    // Null where the file has none.
    SharedResult optional_row(std::string_view name, Index width) {
        return has(name) ? row(name, width) : nullptr;
    }

    // Whoever makes such a layer makes these together: where one is missing, the file is damaged.
    void expect_all_or_none(const std::vector<std::string>& names) const;

    // The numbers of a tensor of exactly this shape, row-major, for layouts that must be permuted.
    std::vector<float> values(std::string_view name, const TensorShape& shape);

    // The same of numbers of any type, whole ones too, which are no weights.
    std::vector<float> buffer(std::string_view name, const TensorShape& shape);

    // Names of the whole file that nobody asked for.
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
