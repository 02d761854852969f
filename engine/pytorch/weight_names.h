#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "files/tensor_file.h"
#include "kernels/matrix.h"

namespace headlight {

// Finds the tensors of a checkpoint that a model's weights were made of, by their numbers: what the
// families did to names and shapes is undone without asking them. Of several with the same numbers
// the one whose name is most like that of the last one.
class WeightNames {
  public:
    explicit WeightNames(TensorFile file) : file_(std::move(file)) {}

    // Python that makes the weight, in this shape, of `model`, the dictionary of the file's
    // tensors: a tensor as it is, in another shape, or transposed; or, where none is, such ones of
    // so many rows each, or zeros, one below the other. Nothing where the file does not have it so.
    std::optional<std::string> find(const MatrixView& weight,
                                    const std::vector<std::int64_t>& shape,
                                    std::span<const Index> parts = {});

  private:
    std::optional<std::string> find_whole(const MatrixView& weight,
                                          const std::vector<std::int64_t>& shape);
    const SharedResult& numbers(const std::string& tensor, Index count);

    TensorFile file_;
    std::map<std::string, SharedResult> read_;  // [1, count]; null: it has numbers that are none
    std::set<std::string> used_;
    std::string last_;
};

}  // namespace headlight
