#include "model/builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "kernels/counted.h"
#include "model/buffers.h"

namespace headlight {

namespace {

// A token's side in pixels in T2T: its three splits have strides 4, 2 and 2.
int side_of_splits(const std::vector<SoftSplit>& splits) {
    int side = 1;
    for (const SoftSplit& split : splits) side *= split.stride;
    return side;
}

// The exceptions to head width 64 among published vision transformers. Except in tests, none of
// them is narrower than 192.
Decided<int> usual_heads(Index width) {
    static const std::map<Index, int> others{{1152, 16}, {1280, 16}, {1408, 16},
                                             {1664, 16}, {1792, 16}, {1536, 24}};
    if (const auto other = others.find(width); other != others.end())
        return {other->second, "usual for this width"};
    constexpr Index kNarrowest = 192;
    if (width % 64 == 0)
        return {static_cast<int>(width / 64),
                width < kNarrowest ? "a guess, because no published model is this narrow"
                                   : "heads are usually 64 wide"};
    int heads = static_cast<int>(std::max<Index>(1, width / 64));
    while (width % heads != 0) --heads;
    return {heads, "a guess, because no published model is this wide"};
}

struct Grid {
    int rows = 0, cols = 0;
};

std::optional<Grid> square_grid(Index patches) {
    const auto side = side_of(patches, 1);
    return side ? std::optional(Grid{*side, *side}) : std::nullopt;
}

// A number at the start of a name, before `end`, and its length.
struct Number {
    int value = 0;
    std::size_t length = 0;
};
std::optional<Number> leading_number(std::string_view name, char end) {
    constexpr std::size_t kMostDigits = 4;
    std::size_t length = 0;
    int value = 0;
    while (length < name.size() && length < kMostDigits && name[length] >= '0' &&
           name[length] <= '9')
        value = 10 * value + (name[length++] - '0');
    if (length == 0 || length == name.size() || name[length] != end) return {};
    return Number{value, length + 1};
}

}  // namespace

ModelBuilder::ModelBuilder(TensorReader reader, const Decisions& above, ModelConfig convention,
                           std::string title, FamilyChoice family)
    : at(std::move(reader)), decisions_(above), convention_("convention of " + title) {
    convention.name = convention_;
    if (auto pixels = pixel_statistics(at)) decisions_ = decisions_.above(std::move(*pixels));
    decisions_ = decisions_.above(std::move(convention));
    model.file = at.file_name();
    model.family = std::move(family.family);
    model.title = std::move(title);
    model.families = std::move(family.known);
    say("family", model.family + " (" + model.title + ")", family.origin);
    if (!at.prefix().empty()) say("prefix of the names", at.prefix(), "tensor names");
}

void ModelBuilder::say(const std::string& what, const std::string& value,
                       const std::string& origin) {
    model.facts.push_back({what, value, origin});
}

int ModelBuilder::patch_pixels() const {
    return model.splits.empty() ? model.patch_size : side_of_splits(model.splits);
}

std::string ModelBuilder::origin_of(const std::string& origin, const char* key) const {
    return origin == convention_ ? origin + "; set " + key + " to change it" : origin;
}

float ModelBuilder::eps() const { return decisions_.find(&ModelConfig::layer_norm_eps)->value; }

Activation ModelBuilder::activation() const {
    const auto curve = decisions_.find(&ModelConfig::activation);
    if (is_gated(curve->value))
        throw CheckpointError(
            at.file_name() + ": activation: expected a curve without a gate for " + model.title +
            ", found " + std::string(name_of(curve->value)) + " (" + curve->origin + ").");
    return curve->value;
}

Decided<Activation> ModelBuilder::gate(bool follows_activation) const {
    auto curve = decisions_.find(&ModelConfig::gate);
    if (!curve && follows_activation) {
        curve = decisions_.find(&ModelConfig::activation);
        if (curve->origin == convention_) curve.reset();
    }
    if (curve) return {gated_by(curve->value), curve->origin};
    return {Activation::swiglu, "tensor shapes, and SiLU as usual; set activation to change it"};
}

Norm ModelBuilder::norm(TensorReader& reader, const std::string& name, Index width) const {
    if (reader.has(name + ".weight") && !reader.has(name + ".bias"))
        reader.refuse(name + ".bias", shape_text({width}),
                      "none. Headlight does not compute such norms (RMSNorm)");
    return {reader.row(name + ".weight", width), reader.row(name + ".bias", width), eps()};
}

Linear ModelBuilder::linear(TensorReader& reader, const std::string& name, Index outputs,
                            Index inputs) const {
    return {reader.matrix(name + ".weight", outputs, inputs),
            reader.optional_row(name + ".bias", outputs)};
}

Linear ModelBuilder::linear(TensorReader& reader, const std::string& name, Index inputs) const {
    const TensorShape shape = reader.shape(name + ".weight", 2, "a matrix");
    return linear(reader, name, shape[0], inputs);
}

Linear ModelBuilder::transposed(TensorReader& reader, const std::string& name, Index inputs) const {
    const TensorShape shape = reader.shape(name, 2, "a matrix");
    const SharedResult stored = reader.matrix(name, inputs, shape[1]);
    return {make_result(Matrix(stored->view().eigen().transpose())), nullptr};
}

Index ModelBuilder::patch_embedding(const std::string& name) {
    const std::string weight = name + ".weight";
    const std::string meaning = "[width, 1 or 3 channels, patch, patch]";
    const TensorShape shape = at.shape(weight, 4, meaning);
    const bool known = (shape[1] == 1 || shape[1] == 3) && shape[2] == shape[3];
    if (!known) at.refuse(weight, meaning, shape_text(shape));
    const Index width = shape[0], pixels = shape[1] * shape[2] * shape[3];
    model.image_channels = static_cast<int>(shape[1]);
    model.patch_size = static_cast<int>(shape[2]);
    model.embedding = {at.matrix(weight, shape, width, pixels),
                       at.optional_row(name + ".bias", width)};
    return width;
}

SharedResult ModelBuilder::token(const std::string& name, Index width) {
    for (const TensorShape& shape : {TensorShape{width}, TensorShape{1, width}})
        if (at.has_shape(name, shape)) return at.matrix(name, shape, 1, width);
    return at.matrix(name, {1, 1, width}, 1, width);
}

SharedResult ModelBuilder::registers(const std::string& name, Index width) {
    if (at.has_shape(name, {1, 0, width})) {
        at.values(name, {1, 0, width});  // zeros, as Hugging Face's DINOv3 writes them
        return nullptr;
    }
    const TensorShape shape = at.shape(name, 3, "[1, registers, width]");
    return at.matrix(name, {1, shape[1], width}, shape[1], width);
}

// The number of rows shows which tokens have one and the grid of the patches' rows: for each
// possible number of prefix rows, the rest must form a grid. The largest number of prefix rows
// takes precedence.
void ModelBuilder::positions(const std::string& name, Index width) {
    const std::string meaning = "[1, tokens, width]";
    const std::size_t rank = at.has(name) && at.shape(name).size() == 2 ? 2 : 3;
    const TensorShape shape = at.shape(name, rank, meaning);
    const Index rows = shape[rank - 2];
    TensorShape expected{rows, width};
    if (rank == 3) expected.insert(expected.begin(), 1);
    PositionTable& table = model.positions;
    table.table = at.matrix(name, expected, rows, width);
    table.resampling = decisions_.find(&ModelConfig::resampling)->value;

    const Index prefix = model.prefix.count();
    const Index registers = model.prefix.registers ? model.prefix.registers->view().rows : 0;
    const std::array candidates{std::pair{PositionCover::all, prefix},
                                std::pair{PositionCover::without_registers, prefix - registers},
                                std::pair{PositionCover::patches, Index{0}}};
    const auto settle = [&](const auto& grid_of) {
        for (const auto& [cover, before] : candidates)
            if (const std::optional<Grid> grid = grid_of(rows - before)) {
                table.cover = cover;
                table.grid_rows = grid->rows;
                table.grid_cols = grid->cols;
                return true;
            }
        return false;
    };
    const auto tokens_along = [&](int pixels) {
        if (model.splits.empty()) return pixels / patch_pixels();
        for (const SoftSplit& split : model.splits)
            pixels = (pixels + 2 * split.padding - split.kernel) / split.stride + 1;
        return pixels;
    };
    const auto told = [&](Index patches) -> std::optional<Grid> {
        if (patch_pixels() == 0 || patches < 1) return {};
        for (const auto& size : decisions_.all(&ModelConfig::native_size)) {
            const Grid grid{tokens_along(size.value.height), tokens_along(size.value.width)};
            if (Index{grid.rows} * grid.cols == patches) return grid;
        }
        return {};
    };
    if (!settle(told) && !settle(square_grid))
        at.refuse(
            name,
            "one row per patch of a square grid (set image_size for another grid), plus at most " +
                counted(prefix, "row") + " for the tokens before them",
            shape_text(shape));
}

std::vector<TensorReader> ModelBuilder::readers(const std::string& name, char end) {
    std::vector<TensorReader> readers = numbered(at, name, end);
    layer_readers_.insert(layer_readers_.end(), readers.begin(), readers.end());
    return readers;
}

std::vector<TensorReader> numbered(const TensorReader& at, const std::string& name, char end) {
    std::map<int, std::string> prefixes;
    for (const std::string& below : at.at(name).names()) {
        auto number = leading_number(below, end);
        if (!number) continue;
        // DINOv2's chunks: the second number counts through all blocks.
        if (const auto inner = leading_number(below.substr(number->length), end))
            number = Number{inner->value, number->length + inner->length};
        prefixes[number->value] = name + below.substr(0, number->length);
    }
    std::vector<TensorReader> readers;
    for (const auto& [number, prefix] : prefixes) {
        const auto expected = static_cast<int>(readers.size());
        if (number != expected)
            at.refuse(name + std::to_string(expected), "a block of this number",
                      "none, but \"" + prefix + "\"");
        readers.push_back(at.at(prefix));
    }
    if (readers.empty()) at.refuse(name + "0", "a block", "none");
    return readers;
}

void ModelBuilder::heads_are(Index width, Index heads) {
    heads_ = static_cast<int>(heads);
    heads_origin_ = "tensor shapes";
    expect_divisible(width);
}

void ModelBuilder::decide_heads(Index width, std::optional<Index> head_dim) {
    const auto number = decisions_.find(&ModelConfig::num_heads);
    const auto head_width = decisions_.find(&ModelConfig::head_width);
    if (number) {
        heads_ = number->value;
        heads_origin_ = number->origin;
    } else if (head_dim) {
        return heads_are(width, width / *head_dim);
    } else if (head_width) {
        heads_ = static_cast<int>(width / head_width->value);
        heads_origin_ = head_width->origin;
    } else {
        const Decided<int> usual = usual_heads(width);
        heads_ = usual.value;
        heads_origin_ = usual.origin + "; set num_heads to change it";
    }
    expect_divisible(width);
}

void ModelBuilder::expect_divisible(Index width) const {
    if (heads_ >= 1 && width % heads_ == 0) return;
    throw CheckpointError(at.file_name() + ": num_heads: expected a divisor of the width " +
                          std::to_string(width) + ", found " + std::to_string(heads_) + " (" +
                          heads_origin_ + ").");
}

void ModelBuilder::rotary(Rotary rotary, const std::string& origin) {
    const auto [least, most] = std::ranges::minmax(rotary.periods);
    const bool centered = rotary.places == Rotary::Places::centered;
    say("rotary positions",
        "periods " + text_of(static_cast<float>(least)) + " to " +
            text_of(static_cast<float>(most)) +
            (centered ? ", of the picture from −1 to 1"
                      : " patches, of " + std::to_string(rotary.reference_rows) + " × " +
                            std::to_string(rotary.reference_cols)),
        origin);
    model.rotary = std::move(rotary);
}

Decided<float> ModelBuilder::rotary_base(float usual) const {
    return decisions_.find(&ModelConfig::rotary_base).value_or(Decided<float>{usual, convention_});
}

namespace {

Linear stacked(std::span<const Linear* const> parts) {
    const Index cols = parts[0]->weight->view().cols;
    Index rows = 0;
    for (const Linear* part : parts) rows += part->weight->view().rows;
    Matrix weight(rows, cols);
    Matrix bias = Matrix::Zero(1, rows);
    bool any_bias = false;
    Index next = 0;
    for (const Linear* part : parts) {
        const MatrixView own = part->weight->view();
        weight.middleRows(next, own.rows) = own.eigen();
        if (part->bias) bias.middleCols(next, own.rows) = part->bias->view().eigen();
        any_bias = any_bias || part->bias;
        next += own.rows;
    }
    return {make_result(std::move(weight)), any_bias ? make_result(std::move(bias)) : nullptr};
}

}  // namespace

Linear stacked(const Linear& query, const Linear& key, const Linear& value) {
    return stacked(std::array{&query, &key, &value});
}

Linear stacked(const Linear& above, const Linear& below) {
    return stacked(std::array{&above, &below});
}

Linear averaged(const Linear& first, const Linear& second) {
    const MatrixView left = first.weight->view(), right = second.weight->view();
    Matrix weight(left.rows, left.cols + right.cols);
    weight << 0.5F * left.eigen(), 0.5F * right.eigen();
    Matrix bias = Matrix::Zero(1, left.rows);
    for (const Linear* head : {&first, &second})
        if (head->bias) bias += 0.5F * head->bias->view().eigen();
    return {make_result(std::move(weight)), make_result(std::move(bias))};
}

// From one linear layer for all three.
SharedResult ModelBuilder::packed_bias(TensorReader& reader, const LayerNames& names,
                                       Index channels) const {
    if (!names.query_bias.empty() && reader.has(names.query_bias)) {
        Matrix bias = Matrix::Zero(1, 3 * channels);
        bias.leftCols(channels) = reader.row(names.query_bias, channels)->view().eigen();
        bias.rightCols(channels) = reader.row(names.value_bias, channels)->view().eigen();
        return make_result(std::move(bias));
    }
    SharedResult bias = reader.optional_row(names.qkv_bias, 3 * channels);
    if (!bias || names.qkv_bias_mask.empty() || !reader.has(names.qkv_bias_mask)) return bias;
    const SharedResult mask = reader.row(names.qkv_bias_mask, 3 * channels);
    return make_result(Matrix(bias->view().eigen().cwiseProduct(mask->view().eigen())));
}

Linear ModelBuilder::qkv(TensorReader& reader, const LayerNames& names, Index dim,
                         Index channels) const {
    if (names.query.empty())
        return {reader.matrix(names.qkv_weight, 3 * channels, dim),
                packed_bias(reader, names, channels)};
    Linear all = stacked(linear(reader, names.query, channels, dim),
                         linear(reader, names.key, channels, dim),
                         linear(reader, names.value, channels, dim));
    if (!all.bias) all.bias = packed_bias(reader, names, channels);
    return all;
}

void ModelBuilder::mlp(TensorReader& reader, const LayerNames& names, Index width,
                       Layer& layer) const {
    layer.mlp_in = linear(reader, names.mlp_in, width);
    if (!names.mlp_gate.empty() && reader.has(names.mlp_gate + ".weight"))
        layer.mlp_in = stacked(
            linear(reader, names.mlp_gate, layer.mlp_in.weight->view().rows, width), layer.mlp_in);
    const Index hidden = layer.mlp_in.weight->view().rows;
    const std::string second = names.mlp_out + ".weight";
    const bool gated = 2 * reader.shape(second, 2, "a matrix")[1] == hidden;
    layer.mlp_out = linear(reader, names.mlp_out, width, gated ? hidden / 2 : hidden);
    if (reader.has(names.mlp_norm + ".weight"))
        layer.mlp_norm = norm(reader, names.mlp_norm, gated ? hidden / 2 : hidden);
    if (!gated && is_gated(decisions_.find(&ModelConfig::activation)->value))
        reader.refuse(second,
                      "half as many columns as the first MLP weight has rows, as in " +
                          std::string(name_of(decisions_.find(&ModelConfig::activation)->value)),
                      std::to_string(hidden));
    layer.activation = gated ? gate(names.gate_follows_activation).value : activation();
}

Layer ModelBuilder::layer(TensorReader& reader, const LayerNames& names, Index dim, Index channels,
                          int heads) const {
    Layer layer;
    layer.norm1 = norm(reader, names.norm1, dim);
    layer.qkv = qkv(reader, names, dim, channels);
    layer.attention.dim = static_cast<int>(dim);
    layer.attention.channels = static_cast<int>(channels);
    layer.attention.heads = heads;
    layer.attention.qkv_bias = layer.qkv.bias != nullptr;
    layer.attention.skip = Skip::input;
    const Index head_dim = channels / heads;
    if (reader.has(names.query_norm + ".weight"))
        layer.query_norm = norm(reader, names.query_norm, head_dim);
    if (reader.has(names.key_norm + ".weight"))
        layer.key_norm = norm(reader, names.key_norm, head_dim);
    if (reader.has(names.concat_norm + ".weight"))
        layer.concat_norm = norm(reader, names.concat_norm, channels);
    layer.projection = linear(reader, names.projection, channels, channels);
    layer.ls1 = reader.optional_row(names.ls1, channels);
    layer.norm2 = norm(reader, names.norm2, channels);
    mlp(reader, names, channels, layer);
    layer.ls2 = reader.optional_row(names.ls2, channels);
    return layer;
}

void ModelBuilder::layers(std::vector<TensorReader> readers, const LayerNames& names, Index width,
                          std::optional<Index> head_dim) {
    const std::string query_norm = names.query_norm + ".weight";
    if (readers[0].has(query_norm))
        head_dim = readers[0].shape(query_norm, 1, "a norm over a head's channels")[0];
    decide_heads(width, head_dim);
    unneeded_of_layers_ = names.unneeded;
    gate_follows_activation_ = names.gate_follows_activation;
    for (TensorReader& reader : readers) add_layer(layer(reader, names, width, width, heads_));
}

void ModelBuilder::layers_may_have(std::vector<std::string> unneeded) {
    unneeded_of_layers_ = std::move(unneeded);
}

void ModelBuilder::leave_aside(const std::vector<std::string>& names) {
    left_aside_.insert(names.begin(), names.end());
}

void ModelBuilder::leave_head_out(const std::string& head, const std::string& reason) {
    model.head_left_out = head + ": " + reason;
    model.facts.front().value += ", classifier not used";  // at the model's name
    say("head not used", head, reason);
}

void ModelBuilder::add_layer(Layer layer) {
    name_layer(layer, static_cast<int>(model.layers.size()) - model.token_transformers());
    if (const auto scale = decisions_.find(&ModelConfig::qk_scale))
        layer.attention.scale = scale->value;
    model.layers.push_back(std::move(layer));
}

void take_layer_scale_names(LayerNames& names, const TensorReader& layer) {
    for (const auto& [first, second] :
         {std::pair{"ls1.gamma", "ls2.gamma"}, std::pair{"ls1.weight", "ls2.weight"},
          std::pair{"gamma_1", "gamma_2"}, std::pair{"weight_1", "weight_2"},
          std::pair{"ls_1.gamma", "ls_2.gamma"}, std::pair{"ls_1.weight", "ls_2.weight"}})
        if (layer.has(first)) {
            names.ls1 = first;
            names.ls2 = second;
            return;
        }
}

std::optional<int> side_of(Index numbers, Index channels) {
    if (numbers < 1) return {};
    const auto side = static_cast<int>(
        std::lround(std::sqrt(static_cast<double>(numbers) / static_cast<double>(channels))));
    return Index{side} * side * channels == numbers ? std::optional(side) : std::nullopt;
}

void LayerNames::take_gate(const TensorReader& layer, const std::string& gate,
                           const std::string& up, const std::string& down) {
    if (!layer.has(gate + ".weight")) return;
    mlp_gate = gate;
    mlp_in = up;
    mlp_out = down;
}

FamilyChoice choose_family(const TensorReader& reader, const Decisions& decisions,
                           const std::vector<std::string>& known, FamilyChoice guess) {
    const auto asked = decisions.find(&ModelConfig::family);
    guess.known = known;
    if (!asked) return guess;
    if (std::find(known.begin(), known.end(), asked->value) != known.end())
        return {asked->value, asked->origin, known};
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : " or ") + name;
    throw CheckpointError(reader.file_name() + ": family: expected " + names +
                          ", whose tensor names these are, found " + asked->value.substr(0, 40) +
                          " (" + asked->origin + ").");
}

FamilyChoice choose_family(const TensorReader& reader, const Decisions& decisions,
                           const std::string& only) {
    return choose_family(reader, decisions, {only}, {only, "tensor names"});
}

std::string present_name(const TensorReader& reader, const std::vector<std::string>& names,
                         std::string_view ending) {
    for (const std::string& name : names)
        if (reader.has(name + std::string(ending))) return name;
    return names.front();
}

}  // namespace headlight
