#include "families/swin_parts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "families/swin_buffers.h"

namespace headlight {

namespace {

constexpr std::size_t kMostStages = 8;  // published models have 4

std::string by(int rows, int cols) { return std::to_string(rows) + " × " + std::to_string(cols); }

// The bias table of a layer: a row per offset of two tokens of a window, a column per head.
struct Table {
    Index rows = 0, heads = 0;
    int window = 0;
};
Table table_of(const TensorReader& layer, const std::string& name) {
    const TensorShape shape = layer.shape(name, 2, "[offsets, heads]");
    const std::optional<int> across = side_of(shape[0], 1);
    if (!across || *across % 2 == 0)
        layer.refuse(name, "(2w − 1)² rows, for windows of w × w tokens", std::to_string(shape[0]));
    return {shape[0], shape[1], (*across + 1) / 2};
}

Window window_of_layer(int size, std::size_t layer_of_stage, const SwinNames& names) {
    return {size, layer_of_stage % 2 == 0 ? 0 : size / 2, names.shifts_together};
}

// The map sizes from the masks of all layers, each of which shows the map of its stage.
class MaskMaps {
  public:
    void add(TensorReader& layer, const std::string& name, const Window& window,
             std::size_t stage) {
        if (!layer.has(name)) return;
        if (window.shift == 0)
            layer.refuse(name, "none, because the windows of this layer are not shifted", "one");
        const MapSize map = map_of_mask(layer, name, window);
        const MapSize first{map.rows << stage, map.cols << stage};
        if (first_ && *first_ != first)
            layer.refuse(name,
                         "a mask of " + by(first_->rows >> stage, first_->cols >> stage) +
                             " tokens, as in another layer",
                         "one of " + by(map.rows, map.cols));
        first_ = first;
    }
    [[nodiscard]] const std::optional<MapSize>& first() const { return first_; }

  private:
    std::optional<MapSize> first_;  // of the first stage, in tokens
};

void read_patches(ModelBuilder& builder, const SwinNames& names, Index width) {
    const bool has_norm = builder.at.has(names.patch_norm + ".weight");
    if (has_norm) builder.model.pre_norm = builder.norm(builder.at, names.patch_norm, width);
    const std::string positions = "absolute_pos_embed";
    if (!builder.at.has(positions)) return;
    if (has_norm)
        builder.at.refuse(positions, "none if the patches have a norm",
                          "added positions, which Headlight does not compute in that case");
    builder.positions(positions, width);
}

Merge read_merge(const ModelBuilder& builder, TensorReader reader, Index width) {
    return {builder.norm(reader, "norm", 2 * width),
            builder.linear(reader, "reduction", width, 2 * width)};
}

Layer read_layer(ModelBuilder& builder, TensorReader& reader, const SwinNames& names, Index width,
                 const Table& table, const Window& window) {
    builder.heads_are(width, table.heads);
    Layer layer = builder.layer(reader, names.layer, width, width, builder.heads());
    layer.window = window;
    layer.relative_bias = {reader.matrix(names.table, table.rows, table.heads), window.size,
                           window.size};
    if (reader.has(names.index)) expect_offsets(reader, names.index, window.size);
    return layer;
}

[[noreturn]] void refuse_config(const Model& model, const std::string& key,
                                const std::string& expected, const std::string& found,
                                const std::string& origin) {
    throw CheckpointError(model.file + ": " + key + ": expected " + expected +
                          ", as in the tensors, found " + found + " (" + origin + ").");
}

std::string listed(const std::vector<int>& numbers) {
    std::string list;
    for (const int number : numbers) list += (list.empty() ? "" : ", ") + std::to_string(number);
    return list;
}

// One number per stage, or a single one for all.
void expect_same(const Model& model, const std::string& key, const std::vector<int>& expected,
                 std::vector<int> found, const std::string& origin) {
    const std::string said = listed(found);
    if (found.size() == 1) found.resize(expected.size(), found[0]);
    if (found != expected) refuse_config(model, key, listed(expected), said, origin);
}

// timm reduces windows to the size of a smaller map, and may give two sides of one size.
void expect_windows(const Model& model, const Decided<std::vector<int>>& said) {
    std::vector<int> expected, found = said.value;
    for (const auto& [first, end] : model.stages())
        expected.push_back(model.layers[static_cast<std::size_t>(first)].window.size);
    if (found.size() == 2 && found[0] == found[1]) found.resize(1);
    if (found.size() == 1) found.resize(expected.size(), found[0]);
    const int side = std::min(model.preprocessing.height, model.preprocessing.width);
    for (std::size_t s = 0; s < std::min(expected.size(), found.size()); ++s) {
        const int map = side / model.patch_size >> s;
        if (found[s] > map && expected[s] == map) found[s] = map;
    }
    if (found != expected)
        refuse_config(model, "window_size", listed(expected), listed(said.value), said.origin);
}

void expect_config(const Model& model, const Decisions& decisions) {
    std::vector<int> depths, heads;
    for (const auto& [first, end] : model.stages()) {
        depths.push_back(end - first);
        heads.push_back(model.layers[static_cast<std::size_t>(first)].attention.heads);
    }
    if (const auto said = decisions.find(&ModelConfig::depths))
        expect_same(model, "depths", depths, said->value, said->origin);
    if (const auto said = decisions.find(&ModelConfig::stage_heads))
        expect_same(model, "num_heads", heads, said->value, said->origin);
    if (const auto said = decisions.find(&ModelConfig::num_heads))
        expect_same(model, "num_heads", heads, {said->value}, said->origin);
    if (const auto said = decisions.find(&ModelConfig::window_sizes)) expect_windows(model, *said);
}

// In every stage, its own picture size must give whole windows. For other sizes its code would pad
// with zeros, which act as tokens.
void expect_fit(const Model& model) {
    const int unit = picture_unit(model);
    const Preprocessing& image = model.preprocessing;
    if (image.height % unit == 0 && image.width % unit == 0) return;
    throw CheckpointError(model.file + ": image_size: expected multiples of " +
                          std::to_string(unit) + ", for whole windows in every stage, found " +
                          by(image.height, image.width) + ".");
}

}  // namespace

PixelSize swin_picture(const TensorReader& at, const SwinNames& names,
                       const std::vector<SwinStage>& stages) {
    if (stages.size() > kMostStages)
        at.refuse(stages[kMostStages].blocks + "0",
                  "at most " + std::to_string(kMostStages) + " stages", "more");
    const TensorShape patches =
        at.shape(names.patches + ".weight", 4, "[width, 1 or 3 channels, patch, patch]");
    constexpr Index kMostPixels = 65'536;
    const auto pixels = [&](Index tokens, std::size_t stage) {
        return static_cast<int>(std::min<Index>(patches[2] * (tokens << stage), kMostPixels));
    };
    for (std::size_t s = 0; s < stages.size(); ++s) {
        TensorReader second = at.at(stages[s].blocks + "1.");
        if (!second.has(names.mask)) continue;
        const int size = table_of(second, names.table).window;
        const MapSize map = map_of_mask(second, names.mask, window_of_layer(size, 1, names));
        return {pixels(map.rows, s), pixels(map.cols, s)};
    }
    const Table last = table_of(at.at(stages.back().blocks + "0."), names.table);
    const int side = pixels(last.window, stages.size() - 1);
    return {side, side};
}

Index read_swin(ModelBuilder& builder, const SwinNames& names,
                const std::vector<SwinStage>& stages) {
    Index width = builder.patch_embedding(names.patches);
    read_patches(builder, names, width);
    builder.layers_may_have({names.index, names.mask});
    MaskMaps masks;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        if (s > 0) width *= 2;
        std::vector<TensorReader> readers = builder.readers(stages[s].blocks);
        const Table table = table_of(readers[0], names.table);
        for (std::size_t b = 0; b < readers.size(); ++b) {
            const Window window = window_of_layer(table.window, b, names);
            Layer layer = read_layer(builder, readers[b], names, width, table, window);
            if (s > 0 && b == 0)
                layer.merge = read_merge(builder, builder.at.at(stages[s].merge), width);
            masks.add(readers[b], names.mask, window, s);
            builder.add_layer(std::move(layer));
        }
    }
    return width;
}

Model finish_swin(ModelBuilder& builder, const std::vector<std::string_view>& unneeded) {
    const Decisions decisions = builder.decisions();
    Model model = builder.finish(unneeded);
    expect_fit(model);
    expect_config(model, decisions);
    return model;
}

}  // namespace headlight
