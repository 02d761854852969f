#include "checkpoint/layer_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

namespace headlight {

namespace {

// A naming is known by one tensor that every layer of it has.
struct Naming {
    std::string_view sign;
    std::string_view family;
};
constexpr std::array kNamings{
    Naming{"qkv.weight", "t2t"},
    Naming{"in_proj_weight", "mha"},
    Naming{"q_proj_weight", "mha"},
};

// Tensors with which a layer of these names computes something else than we do. Ignoring them would
// show wrong numbers, so they are refused.
constexpr std::array<std::string_view, 7> kUnsupported{"bias_k",
                                                       "bias_v",
                                                       "q_bias",
                                                       "v_bias",
                                                       "q_norm.weight",
                                                       "k_norm.weight",
                                                       "relative_position_bias_table"};

// The part of a name before `ending`; nothing where the name does not end so. "xqkv.weight" is
// another name, "x.qkv.weight" the same with a prefix.
std::optional<std::string> prefix_of(const std::string& name, std::string_view ending) {
    if (!name.ends_with(ending)) return {};
    const std::string prefix = name.substr(0, name.size() - ending.size());
    if (!prefix.empty() && prefix.back() != '.') return {};
    return prefix;
}

struct Found {
    Naming naming;
    std::string prefix;
};

// Gives out the tensors of one layer, checks their shapes and remembers which were used.
class LayerReader {
  public:
    LayerReader(const TensorMap& tensors, const std::string& file)
        : tensors_(tensors), file_(file), found_(find()) {}

    [[nodiscard]] const Naming& naming() const { return found_.naming; }

    [[nodiscard]] bool has(std::string_view name) const { return tensors_.contains(full(name)); }

    // The rows and columns of a matrix, both at least 1 and not more than fits.
    std::pair<int, int> extents(std::string_view name) const {
        const NamedTensor& tensor = get(name, "a matrix");
        const auto& shape = tensor.shape;
        const auto fits = [](std::int64_t n) {
            return n >= 1 && n <= std::numeric_limits<int>::max();
        };
        if (shape.size() != 2 || !fits(shape[0]) || !fits(shape[1]))
            refuse(name, "a matrix", shape_text(shape));
        return {static_cast<int>(shape[0]), static_cast<int>(shape[1])};
    }

    Matrix matrix(std::string_view name, Index rows, Index cols) {
        const NamedTensor& tensor = take(name, {rows, cols});
        return Eigen::Map<const Matrix>(tensor.values.data(), rows, cols);
    }

    // Empty where the file has none.
    Vector bias(std::string_view name, Index size) {
        if (!has(name)) return {};
        const NamedTensor& tensor = take(name, {size});
        return Eigen::Map<const Vector>(tensor.values.data(), size);
    }

    [[nodiscard]] std::vector<std::string> unused() const {
        std::vector<std::string> names;
        for (const auto& [name, tensor] : tensors_)
            if (!used_.contains(name)) names.push_back(name);
        return names;
    }

    void expect_supported() const {
        for (const std::string_view name : kUnsupported)
            if (has(name)) refuse(name, "a layer without it", "a layer that computes with it");
    }

    [[noreturn]] void refuse(std::string_view name, const std::string& expected,
                             const std::string& found) const {
        throw CheckpointError(file_ + ": tensor \"" + full(name) + "\": expected " + expected +
                              ", found " + found + ".");
    }

  private:
    [[nodiscard]] std::string full(std::string_view name) const {
        return found_.prefix + std::string(name);
    }

    [[nodiscard]] const NamedTensor& get(std::string_view name, const std::string& expected) const {
        const auto tensor = tensors_.find(full(name));
        if (tensor == tensors_.end()) refuse(name, expected, "none");
        return tensor->second;
    }

    const NamedTensor& take(std::string_view name, const std::vector<std::int64_t>& shape) {
        const NamedTensor& tensor = get(name, shape_text(shape));
        if (tensor.shape != shape) refuse(name, shape_text(shape), shape_text(tensor.shape));
        const auto bad = std::find_if_not(tensor.values.begin(), tensor.values.end(),
                                          [](float value) { return std::isfinite(value); });
        if (bad != tensor.values.end())
            refuse(name, "finite numbers",
                   std::to_string(*bad) + " at position " +
                       std::to_string(bad - tensor.values.begin()));
        used_.insert(full(name));
        return tensor;
    }

    [[nodiscard]] Found find() const {
        std::vector<Found> layers;
        for (const auto& [name, tensor] : tensors_)
            for (const Naming& naming : kNamings)
                if (const auto prefix = prefix_of(name, naming.sign))
                    layers.push_back({naming, *prefix});
        if (layers.size() == 1) return layers[0];
        const std::string expected =
            ": expected the tensors of one attention layer (qkv.weight and "
            "proj.weight, or in_proj_weight and out_proj.weight), found ";
        if (layers.empty()) throw CheckpointError(file_ + expected + describe_tensors() + ".");
        throw CheckpointError(file_ + expected + std::to_string(layers.size()) + " layers, \"" +
                              layers[0].prefix + std::string(layers[0].naming.sign) + "\" and \"" +
                              layers[1].prefix + std::string(layers[1].naming.sign) +
                              "\" among them.");
    }

    [[nodiscard]] std::string describe_tensors() const {
        if (tensors_.empty()) return "no tensors";
        constexpr std::size_t kMost = 3;
        std::string text;
        std::size_t listed = 0;
        for (const auto& [name, tensor] : tensors_) {
            if (listed == kMost) return text + ", ...";
            text += (listed++ == 0 ? "\"" : ", \"") + name.substr(0, 80) + '"';
        }
        return text;
    }

    const TensorMap& tensors_;
    const std::string& file_;
    Found found_;
    std::set<std::string> used_;
};

void read_t2t(LayerReader& reader, LayerFile& layer) {
    const auto [rows, cols] = reader.extents("qkv.weight");
    if (rows % 3 != 0)
        reader.refuse("qkv.weight", "3·channels rows", std::to_string(rows) + " rows");
    layer.channels = rows / 3;
    layer.dim = cols;
    layer.skip = Skip::value;
    layer.weights.qkv = reader.matrix("qkv.weight", rows, cols);
    layer.weights.qkv_bias = reader.bias("qkv.bias", rows);
    layer.weights.projection = reader.matrix("proj.weight", layer.channels, layer.channels);
    layer.weights.projection_bias = reader.bias("proj.bias", layer.channels);
}

// torch.nn.MultiheadAttention keeps the three weights apart when keys or values have another width
// than queries. We take equal widths only, where both forms mean the same.
Matrix stacked_qkv(LayerReader& reader, int channels) {
    if (reader.naming().sign == "in_proj_weight")
        return reader.matrix("in_proj_weight", 3 * Index{channels}, channels);
    Matrix stacked(3 * Index{channels}, channels);
    Index row = 0;
    for (const char* name : {"q_proj_weight", "k_proj_weight", "v_proj_weight"}) {
        stacked.middleRows(row, channels) = reader.matrix(name, channels, channels);
        row += channels;
    }
    return stacked;
}

void read_mha(LayerReader& reader, LayerFile& layer) {
    layer.channels = layer.dim = reader.extents(reader.naming().sign).second;
    layer.skip = Skip::none;
    layer.weights.qkv = stacked_qkv(reader, layer.channels);
    layer.weights.qkv_bias = reader.bias("in_proj_bias", 3 * Index{layer.channels});
    layer.weights.projection = reader.matrix("out_proj.weight", layer.channels, layer.channels);
    layer.weights.projection_bias = reader.bias("out_proj.bias", layer.channels);
}

}  // namespace

LayerFile read_layer(const TensorMap& tensors, const std::string& name) {
    LayerReader reader(tensors, name);
    reader.expect_supported();
    LayerFile layer;
    layer.family = reader.naming().family;
    if (layer.family == "t2t")
        read_t2t(reader, layer);
    else
        read_mha(reader, layer);

    const AttentionWeights& w = layer.weights;
    layer.has_bias = w.qkv_bias.size() != 0;
    layer.parameters =
        w.qkv.size() + w.qkv_bias.size() + w.projection.size() + w.projection_bias.size();
    layer.ignored = reader.unused();
    return layer;
}

}  // namespace headlight
