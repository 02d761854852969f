#include "reference/reference.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "files/error.h"
#include "reference/named_results.h"

namespace headlight {

namespace {

constexpr std::string_view kOnlyLayer = "layer.0.";

std::vector<NamedResult> results_of(const Trace& trace) {
    std::vector<NamedResult> results = results_of_front(trace);
    for (const auto& more : {results_of_layer(trace), results_of_end(trace)})
        results.insert(results.end(), more.begin(), more.end());
    return results;
}

// The node that writes it.
const Node* node_of(const Trace& trace, Tensor tensor) {
    const auto writes = [&](const Node& node) {
        return std::ranges::find(node.results, tensor) != node.results.end();
    };
    const auto found = std::ranges::find_if(trace.nodes, writes);
    return found == trace.nodes.end() ? nullptr : &*found;
}

// The part of the numbers that the trace's sample is; nothing where the shapes do not go together.
struct Part {
    std::size_t first = 0;
};
std::optional<Part> part_of(const ShapedResult& found, const StoredTensor& expected,
                            const TraceOrigin& origin) {
    if (same_extents(found.shape, expected.shape)) return Part{};
    if (origin.samples <= 1 || expected.shape.empty() || expected.shape[0] != origin.samples)
        return {};
    const std::vector<std::int64_t> one(expected.shape.begin() + 1, expected.shape.end());
    if (!same_extents(found.shape, one)) return {};
    return Part{expected.count() / static_cast<std::size_t>(origin.samples) *
                static_cast<std::size_t>(origin.sample)};
}

Deviation deviation_of(const ShapedResult& found, const StoredTensor& expected, const Part& part,
                       const StopFlag& stop) {
    const std::vector<float> values = floats_of(expected, stop);
    std::span<const float> rest = std::span(values).subspan(part.first);
    DeviationSum sum;
    for (const MatrixView& block : found.blocks)
        for (Index row = 0; row < block.rows; ++row) {
            throw_if_stopped(stop);
            const auto cols = static_cast<std::size_t>(block.cols);
            sum.add({block.row(row), cols}, rest.first(cols));
            rest = rest.subspan(cols);
        }
    return sum.deviation();
}

// What a file's shape may have been meant as.
std::string hint(const ShapedResult& found, const std::vector<std::int64_t>& expected,
                 Tensor tensor) {
    std::vector<std::int64_t> mean = found.shape;
    if (tensor != Tensor::attention || mean.size() < 2) return "";
    mean.erase(mean.begin() + 1);
    return same_extents(mean, expected)
               ? " Of PyTorch's MultiheadAttention, average_attn_weights=False gives every head's."
               : "";
}

std::string listed(const StoredTensors& tensors) {
    constexpr std::size_t kMost = 4;
    std::string text;
    std::size_t count = 0;
    for (const auto& [name, tensor] : tensors) {
        if (++count > kMost) return text + ", …";
        text += (text.empty() ? "" : ", ") + in_quotes(name);
    }
    return text.empty() ? "nothing" : text;
}

bool is_comparable(const HeldResult& held) { return held.why_not.empty(); }

}  // namespace

const StoredTensors::value_type* counterpart(const StoredTensors& reference,
                                             const std::string& name, bool layer_alone) {
    const auto entry = [&](const std::string& of) {
        const auto found = reference.find(of);
        return found == reference.end() ? nullptr : &*found;
    };
    if (const auto* same = entry(name); same || !layer_alone) return same;
    if (!name.starts_with(kOnlyLayer)) return nullptr;
    const std::string alone = name.substr(kOnlyLayer.size());
    if (const auto* of_layer = entry(alone)) return of_layer;
    return alone == "output" && reference.size() == 1 ? &*reference.begin() : nullptr;
}

bool same_extents(std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
    const auto shorten = [](std::vector<std::int64_t>& shape) {
        shape.erase(shape.begin(), std::ranges::find_if(shape, [](auto n) { return n != 1; }));
    };
    shorten(a);
    shorten(b);
    return a == b;
}

std::vector<float> floats_of(const StoredTensor& tensor, const StopFlag& stop) {
    std::vector<float> values(tensor.count());
    to_floats(tensor, values.data(), stop);
    return values;
}

std::vector<HeldResult> held_against(const TensorFile& reference, const Trace& trace,
                                     const TraceOrigin& origin, const StopFlag& stop) {
    const bool alone = trace.model->is_bare_layer() && trace.model->layers.size() == 1;
    std::vector<HeldResult> all;
    std::vector<std::string> names;
    for (const NamedResult& result : results_of(trace)) {
        const Node* node = node_of(trace, result.tensor);
        if (node == nullptr) continue;
        names.push_back(result.name);
        const auto* expected = counterpart(reference.tensors(), result.name, alone);
        if (!expected) continue;
        HeldResult held{result.tensor, node->id, result.name, expected->first, {}, {}};
        if (trace.on_demand(result.tensor)) {
            held.why_not = result.name + ": too large to be kept, and so not compared.";
            all.push_back(std::move(held));
            continue;
        }
        const ShapedResult found = result.tensor == Tensor::positions
                                       ? shaped_positions(trace, origin.positions)
                                       : shaped(trace, result.tensor);
        if (const auto part = part_of(found, expected->second, origin))
            held.deviation = deviation_of(found, expected->second, *part, stop);
        else
            held.why_not = reference.name() + ": tensor " + in_quotes(expected->first) +
                           ": expected " + shape_text(found.shape) + " for " + result.name +
                           ", found " + shape_text(expected->second.shape) + "." +
                           hint(found, expected->second.shape, result.tensor);
        all.push_back(std::move(held));
    }
    if (all.empty())
        throw ReferenceError(reference.name() +
                             ": expected tensors that are named as those of a "
                             "trace, such as " +
                             (names.empty() ? "layer.0.output" : names.back()) + ", found " +
                             listed(reference.tensors()) + ".");
    if (std::ranges::none_of(all, is_comparable)) throw ReferenceError(all.front().why_not);
    return all;
}

}  // namespace headlight
