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

// Finds the checkpoint tensors that a model's weights came from, by comparing their numbers. This
// reverses what the families did to names and shapes without asking them. Among tensors with equal
// numbers it prefers the name most similar to the last one found.
class WeightNames {
  public:
    explicit WeightNames(TensorFile file) : file_(std::move(file)) {}

    // A Python expression that builds the weight in this shape from `model`, the dictionary of the
    // file's tensors. It is a tensor as it is, reshaped, or transposed. If there is none, it stacks
    // such tensors or zeros, with `parts` rows each. Nothing if the file does not contain the
    // weight this way.
    std::optional<std::string> find(const MatrixView& weight,
                                    const std::vector<std::int64_t>& shape,
                                    std::span<const Index> parts = {});

  private:
    std::optional<std::string> find_whole(const MatrixView& weight,
                                          const std::vector<std::int64_t>& shape);
    const SharedResult& numbers(const std::string& tensor, Index count);

    TensorFile file_;
    std::map<std::string, SharedResult> read_;  // [1, count]; null: cannot be read
    std::set<std::string> used_;
    std::string last_;
};

}  // namespace headlight
