#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "families/families.h"
#include "families/foreign.h"
#include "model/builder.h"

namespace headlight {

namespace {

// Attention of one or several layers, [.., heads, N, N] with axes of one sample left out.
struct MapTensor {
    std::string name;
    TensorShape shape;
    Index layers = 1, heads = 1, tokens = 0;
};

bool fits(const TensorShape& shape) {
    constexpr std::int64_t kMost = 1 << 20;
    return std::all_of(shape.begin(), shape.end(),
                       [](std::int64_t n) { return n >= 1 && n <= kMost; });
}

// [heads, N, N] and [1, heads, N, N] are one layer; [layers, heads, N, N] and
// [layers, 1, heads, N, N] are several.
std::optional<MapTensor> as_map(const std::string& name, const TensorShape& shape) {
    const std::size_t rank = shape.size();
    if (rank < 3 || rank > 5 || !fits(shape) || shape[rank - 1] != shape[rank - 2]) return {};
    if (rank == 5 && shape[1] != 1) return {};
    MapTensor map{name, shape, 1, shape[rank - 3], shape[rank - 1]};
    if (rank >= 4) map.layers = shape[0];
    return map;
}

// "layer.10" after "layer.9": runs of digits compare as numbers.
bool comes_before(const std::string& a, const std::string& b) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (!is_digit(a[i]) || !is_digit(b[j])) {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i, ++j;
            continue;
        }
        const auto number = [&](const std::string& text, std::size_t& at) {
            while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
            const std::size_t first = at;
            while (at < text.size() && is_digit(text[at])) ++at;
            return text.substr(first, at - first);
        };
        const std::string left = number(a, i), right = number(b, j);
        if (left.size() != right.size()) return left.size() < right.size();
        if (left != right) return left < right;
    }
    return a.size() - i < b.size() - j;
}

// "layer.3.attention": what `headlight trace` writes, beside much else of such shapes.
bool is_traced(const std::string& name) {
    return name.starts_with("layer.") && name.ends_with(".attention");
}

std::vector<MapTensor> find_maps(const TensorReader& file) {
    std::vector<std::string> names = file.names();
    if (std::ranges::any_of(names, is_traced))
        std::erase_if(names, [](const std::string& name) { return !is_traced(name); });
    else if (names_weights(file))
        return {};
    std::vector<MapTensor> maps;
    for (const std::string& name : names) {
        const auto map = as_map(name, file.shape(name));
        if (!map || !is_floating_point(file.type(name))) continue;
        if (is_traced(name) && map->layers != 1)
            file.refuse(name, "one sample", std::to_string(map->layers));
        maps.push_back(*map);
    }
    std::sort(maps.begin(), maps.end(),
              [](const MapTensor& a, const MapTensor& b) { return comes_before(a.name, b.name); });
    return maps;
}

// All layers must show the same tokens.
void expect_equal_tokens(const TensorReader& file, const std::vector<MapTensor>& maps) {
    for (const MapTensor& map : maps)
        if (map.tokens != maps[0].tokens)
            file.refuse(map.name,
                        "maps of " + std::to_string(maps[0].tokens) + " tokens, as in \"" +
                            maps[0].name + "\"",
                        shape_text(map.shape));
}

// How far a row may be from a sum of 1. BF16 keeps 8 bits of a number: each may be off by 2^-9 of
// itself, and all to the same side. F16 keeps 11.
float tolerance(const std::string& type) { return type == "BF16" ? 4e-3F : 1e-3F; }

// Each row shares out 1, or is blocked throughout and all zeros.
void expect_shares(const TensorReader& file, const std::string& name, const MatrixView& rows) {
    const float most = tolerance(file.type(name));
    for (Index r = 0; r < rows.rows; ++r) {
        const auto row = rows.eigen().row(r).array();
        if (const float least = row.minCoeff(); least < 0)
            file.refuse(name, "attention, which is never negative", text_of(least));
        const float sum = row.sum();
        if (sum != 0 && !(std::abs(sum - 1) <= most))
            file.refuse(name, "attention, whose rows add up to 1", "one of " + text_of(sum));
    }
}

// The layers of one tensor share its memory.
void add_layers(TensorReader& file, const MapTensor& map, Model& model) {
    const Index rows = map.heads * map.tokens;
    const SharedResult all = file.matrix(map.name, map.shape, map.layers * rows, map.tokens);
    expect_shares(file, map.name, all->view());
    for (Index i = 0; i < map.layers; ++i) {
        model.maps.push_back(
            map.layers == 1 ? all
                            : make_result(all->view().block(i * rows, 0, rows, map.tokens), all));
        Layer layer;
        name_layer(layer, static_cast<int>(model.layers.size()));
        layer.attention.heads = static_cast<int>(map.heads);
        layer.attention.skip = Skip::none;
        model.layers.push_back(std::move(layer));
    }
}

// Tokens before the patches: none, a class token, also a distillation token or four registers, as
// the rest is a square grid.
void guess_grid(Model& model, Index tokens) {
    for (const int before : {0, 1, 2, 5}) {
        const auto side = side_of(tokens - before, 1);
        if (!side) continue;
        model.positions.grid_rows = model.positions.grid_cols = *side;
        model.map_prefix = before;
        return;
    }
}

void add_facts(Model& model, Index tokens) {
    const std::string shapes = "tensor shapes";
    const auto layers = std::to_string(model.layers.size());
    model.facts = {{"family", "maps (attention without a model)", shapes},
                   {"layers", layers, "tensor names and shapes"},
                   {"heads", std::to_string(model.layers[0].attention.heads), shapes},
                   {"tokens", std::to_string(tokens), shapes}};
    const int side = model.positions.grid_rows;
    model.facts.push_back({"patches",
                           side == 0
                               ? "no square grid"
                               : std::to_string(side) + " × " + std::to_string(side) + " after " +
                                     std::to_string(model.map_prefix) + " other tokens",
                           "the number of tokens"});
}

}  // namespace

std::optional<Model> read_maps(const TensorReader& reader, const Decisions&) {
    TensorReader file = reader;
    const std::vector<MapTensor> maps = find_maps(file);
    if (maps.empty()) return {};
    expect_equal_tokens(file, maps);
    Model model;
    model.file = file.file_name();
    model.family = "maps";
    model.title = "attention maps";
    model.pooling = Pooling::none;
    for (const MapTensor& map : maps) add_layers(file, map, model);
    guess_grid(model, maps[0].tokens);
    add_facts(model, maps[0].tokens);
    set_unused(model, file.unused());
    return model;
}

}  // namespace headlight
