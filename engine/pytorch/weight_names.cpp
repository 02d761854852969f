#include "pytorch/weight_names.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "pytorch/python.h"

namespace headlight {

namespace {

bool is_alike(const MatrixView& weight, const float* numbers, bool transposed) {
    for (Index row = 0; row < weight.rows; ++row)
        for (Index col = 0; col < weight.cols; ++col)
            if (weight(row, col) !=
                numbers[transposed ? col * weight.rows + row : row * weight.cols + col])
                return false;
    return true;
}

std::string reshaped(std::string text, const std::vector<std::int64_t>& from,
                     const std::vector<std::int64_t>& to) {
    if (from == to) return text;
    return text + ".reshape" + python::tuple({to.begin(), to.end()});
}

std::size_t common_length(const std::string& a, const std::string& b) {
    const auto [end, other] = std::ranges::mismatch(a, b);
    return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

const SharedResult& WeightNames::numbers(const std::string& tensor, Index count) {
    const auto known = read_.find(tensor);
    if (known != read_.end()) return known->second;
    SharedResult result;
    try {
        result = file_.matrix(tensor, 1, count);
    } catch (const CheckpointError&) {  // then the model does not use it
    }
    return read_[tensor] = result;
}

std::optional<std::string> WeightNames::find_whole(const MatrixView& weight,
                                                   const std::vector<std::int64_t>& shape) {
    const Index count = weight.rows * weight.cols;
    struct Found {
        std::string name;
        bool transposed;
        std::tuple<bool, std::size_t> likelihood;
    };
    std::optional<Found> best;
    for (const auto& [name, tensor] : file_.tensors()) {
        if (tensor.is_alias) continue;  // the script uses the file's own names
        if (!is_floating_point(tensor.type) || std::cmp_not_equal(tensor.count(), count)) continue;
        const SharedResult& read = numbers(name, count);
        if (!read) continue;
        const float* first = read->view().data;
        const bool direct = is_alike(weight, first, false);
        if (!direct && !is_alike(weight, first, true)) continue;
        const std::tuple likelihood{!used_.contains(name), common_length(name, last_)};
        if (!best || likelihood > best->likelihood) best = {name, !direct, likelihood};
    }
    if (!best) return std::nullopt;
    used_.insert(best->name);
    last_ = best->name;
    const std::vector<std::int64_t>& own = file_.find(best->name)->shape;
    const std::string text = "model[" + python::quoted(best->name) + "]";
    if (!best->transposed) return reshaped(text, own, shape);
    return reshaped(reshaped(text, own, {weight.cols, weight.rows}) + ".T",
                    {weight.rows, weight.cols}, shape);
}

std::optional<std::string> WeightNames::find(const MatrixView& weight,
                                             const std::vector<std::int64_t>& shape,
                                             std::span<const Index> parts) {
    if (auto whole = find_whole(weight, shape)) return whole;
    if (parts.size() < 2) return std::nullopt;
    // A bias is a row, so its parts are side by side.
    const bool is_row = weight.rows == 1;
    std::string text;
    Index next = 0;
    for (const Index size : parts) {
        const MatrixView part =
            is_row ? weight.block(0, next, 1, size) : weight.block(next, 0, size, weight.cols);
        next += size;
        std::vector<std::int64_t> own{size};
        if (!is_row) own.push_back(weight.cols);
        auto found = find_whole(part, own);
        if (part.eigen().isZero(0)) found = "torch.zeros" + python::tuple({own.begin(), own.end()});
        if (!found) return std::nullopt;
        text += (text.empty() ? "torch.cat([" : ", ") + *found;
    }
    return text + "])";
}

}  // namespace headlight
