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

// The node that computes it.
const Node* node_of(const Trace& trace, Tensor tensor) {
    const auto writes = [&](const Node& node) {
        return std::ranges::find(node.results, tensor) != node.results.end();
    };
    const auto found = std::ranges::find_if(trace.nodes, writes);
    return found == trace.nodes.end() ? nullptr : &*found;
}

// The part of the reference's numbers for the trace's sample; nothing if the shapes do not match.
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

// A hint about what a file's shape probably means.
std::string hint(const ShapedResult& found, const std::vector<std::int64_t>& expected,
                 Tensor tensor) {
    std::vector<std::int64_t> mean = found.shape;
    if (tensor != Tensor::attention || mean.size() < 2) return "";
    mean.erase(mean.begin() + 1);
    return same_extents(mean, expected)
               ? " In PyTorch's MultiheadAttention, average_attn_weights=False returns every head."
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

// A result of the walk and the node that computes it.
struct ComputedResult {
    Tensor tensor;
    Step step;
    std::string name;
};
std::vector<ComputedResult> computed_results(const Trace& trace) {
    std::vector<ComputedResult> all;
    for (NamedResult& result : results_of(trace))
        if (const Node* node = node_of(trace, result.tensor))
            all.push_back({result.tensor, node->id, std::move(result.name)});
    return all;
}

// The reference's tensor, and its file.
struct Expected {
    const std::string& file;
    const StoredTensors::value_type& entry;
};

HeldResult held(const Expected& expected, const Trace& trace, const TraceOrigin& origin,
                const ComputedResult& result, const StopFlag& stop) {
    const auto& [name, numbers] = expected.entry;
    HeldResult answer{result.tensor, result.step, result.name, name, {}, {}};
    if (trace.on_demand(result.tensor)) {
        answer.why_not = result.name + ": not compared, because it is too large to keep in memory.";
        return answer;
    }
    const ShapedResult found = result.tensor == Tensor::positions
                                   ? shaped_positions(trace, origin.positions)
                                   : shaped_for_file(trace, result.tensor);
    if (const auto part = part_of(found, numbers, origin))
        answer.deviation = deviation_of(found, numbers, *part, stop);
    else
        answer.why_not = expected.file + ": tensor " + in_quotes(name) + ": expected " +
                         shape_text(found.shape) + " for " + result.name + ", found " +
                         shape_text(numbers.shape) + "." +
                         hint(found, numbers.shape, result.tensor);
    return answer;
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
    return name.starts_with(kOnlyLayer) ? entry(name.substr(kOnlyLayer.size())) : nullptr;
}

const StoredTensors::value_type* only_tensor(const StoredTensors& reference, bool layer_alone) {
    return layer_alone && reference.size() == 1 ? &*reference.begin() : nullptr;
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
    const StoredTensors& tensors = reference.tensors();
    const bool alone = trace.model->is_bare_layer() && trace.model->layers.size() == 1;
    const std::vector<ComputedResult> results = computed_results(trace);
    std::vector<HeldResult> all;
    for (const ComputedResult& result : results)
        if (const auto* expected = counterpart(tensors, result.name, alone))
            all.push_back(held({reference.name(), *expected}, trace, origin, result, stop));
    if (const auto* expected = only_tensor(tensors, alone); expected && all.empty())
        for (const ComputedResult& result : results)
            if (result.name == kOutputAlone)
                all.push_back(held({reference.name(), *expected}, trace, origin, result, stop));
    if (all.empty())
        throw ReferenceError(reference.name() +
                             ": expected tensors with the names of a trace, such as " +
                             (results.empty() ? std::string(kOutputAlone) : results.back().name) +
                             ", found " + listed(tensors) + ".");
    if (std::ranges::none_of(all, is_comparable)) throw ReferenceError(all.front().why_not);
    return all;
}

}  // namespace headlight
