#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "families/families.h"
#include "families/foreign.h"
#include "files/error.h"
#include "kernels/counted.h"
#include "model/builder.h"
#include "patches/patches.h"

namespace headlight {

namespace {

// Attention in one tensor: [layers, samples, heads, N, N], where axes of size 1 may be missing, or
// the first two swapped.
struct MapTensor {
    std::string name;
    TensorShape shape;
    Index layers = 1, samples = 1, heads = 1, tokens = 0;
};

constexpr const char* kShapes =
    "attention maps in one array [N, N], [heads, N, N] or [layers, heads, N, N], or in one array "
    "[samples, heads, N, N] per layer";

bool is_square(const TensorShape& shape) {
    constexpr std::int64_t kMost = 1 << 20;
    const std::size_t rank = shape.size();
    return rank >= 2 && rank <= 5 && shape[rank - 1] == shape[rank - 2] &&
           std::ranges::all_of(shape, [](std::int64_t n) { return n >= 1 && n <= kMost; });
}

// `alone`: no other array holds maps, so the array may contain several layers.
MapTensor as_map(const TensorReader& file, const std::string& name, bool alone) {
    const TensorShape& shape = file.shape(name);
    const std::size_t rank = shape.size();
    MapTensor map{name, shape};
    map.tokens = shape[rank - 1];
    if (rank >= 3) map.heads = shape[rank - 3];
    if (rank == 4) (alone ? map.layers : map.samples) = shape[0];
    if (rank < 5) return map;
    if (shape[0] > 1 && shape[1] > 1)
        file.refuse(name, kShapes,
                    shape_text(shape) +
                        ". Either of the first two axes could be the layers. Save one sample: "
                        "array[:, 0] if layers come first, array[0] if samples come first");
    if (!alone && shape[0] * shape[1] > 1) file.refuse(name, kShapes, shape_text(shape));
    map.layers = shape[0] * shape[1];
    return map;
}

// Puts "layer.10" after "layer.9": runs of digits compare as numbers.
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

// "layer.3.attention", as written by `headlight trace`, among other tensors of such shapes.
bool is_traced(const std::string& name) {
    return name.starts_with("layer.") && name.ends_with(".attention");
}

// True if rows sum to 1, or are maps of one token, which sum to a part of 1. Then the array is
// meant as attention.
bool shares_out(const TensorReader& file, const std::string& name) {
    TensorReader reader = file;
    const TensorShape& shape = file.shape(name);
    const std::vector<float> numbers = reader.values(name, shape);
    const auto cols = static_cast<std::size_t>(shape.back());
    const auto all_sums = [&](std::size_t count, float least, float most) {
        for (std::size_t at = 0; at + count <= numbers.size(); at += count) {
            float sum = 0;
            for (std::size_t i = at; i < at + count; ++i) sum += numbers[i];
            if (!(sum >= least && sum <= most)) return false;
        }
        return true;
    };
    if (numbers.empty() || *std::ranges::min_element(numbers) < 0) return false;
    const std::size_t map = cols * static_cast<std::size_t>(shape[shape.size() - 2]);
    return all_sums(cols, 0.99F, 1.01F) || (shape.size() == 3 && all_sums(map, 0.1F, 1.01F));
}

// For arrays that are not square: true if an error should mention attention maps.
bool looks_like_maps(const TensorReader& file, const std::vector<std::string>& names) {
    const std::size_t rank = file.shape(names.front()).size();
    if (rank < 2 || rank > 5) return false;
    const bool called_so = std::ranges::any_of(names, [](const std::string& name) {
        return name.starts_with("arr_") || name.find("att") != std::string::npos;
    });
    return called_so || (names.size() == 1 && shares_out(file, names.front()));
}

std::vector<std::string> names_of_maps(const TensorReader& file) {
    std::vector<std::string> names = file.names();
    const bool traced = holds_trace(file);
    if (!traced && names_weights(file)) return {};
    if (traced) std::erase_if(names, [](const std::string& name) { return !is_traced(name); });
    std::erase_if(names,
                  [&](const std::string& name) { return !is_floating_point(file.type(name)); });
    const std::vector<std::string> numbers = names;
    std::erase_if(names, [&](const std::string& name) { return !is_square(file.shape(name)); });
    // [N, N] next to maps of several heads is something else, such as their rollout.
    const auto has_heads = [&](const std::string& name) { return file.shape(name).size() > 2; };
    if (std::ranges::any_of(names, has_heads))
        std::erase_if(names, [&](const std::string& name) { return !has_heads(name); });
    if (names.empty() && !numbers.empty() && looks_like_maps(file, numbers))
        file.refuse(numbers.front(), kShapes,
                    shape_text(file.shape(numbers.front())) +
                        (file.shape(numbers.front()).size() == 3
                             ? ". The rows of one token alone are not enough"
                             : ""));
    std::ranges::sort(names, comes_before);
    return names;
}

std::vector<MapTensor> find_maps(const TensorReader& file) {
    const std::vector<std::string> names = names_of_maps(file);
    std::vector<MapTensor> maps;
    for (const std::string& name : names) {
        maps.push_back(as_map(file, name, names.size() == 1 && !is_traced(name)));
        // In a model with windows, samples would be windows.
        if (is_traced(name) && maps.back().samples != 1)
            file.refuse(name, "one sample", std::to_string(maps.back().samples));
    }
    return maps;
}

// All layers must have the same tokens and samples.
void expect_alike(const TensorReader& file, const std::vector<MapTensor>& maps) {
    const auto expect = [&](const MapTensor& map, Index MapTensor::*count, const char* what) {
        if (map.*count != maps[0].*count)
            file.refuse(map.name,
                        "maps of " + std::to_string(maps[0].*count) + what + ", as in \"" +
                            maps[0].name + "\"",
                        shape_text(map.shape));
    };
    for (const MapTensor& map : maps) {
        expect(map, &MapTensor::tokens, " tokens");
        expect(map, &MapTensor::samples, maps[0].samples == 1 ? " sample" : " samples");
    }
}

// Allowed difference of a row sum from 1. BF16 keeps 8 bits of a number, so each may be off by 2^-9
// of itself, all in the same direction. F16 keeps 11.
float tolerance(const std::string& type) { return type == "BF16" ? 4e-3F : 1e-3F; }

// [heads, rows, columns] of one token, as in DINO's code, or of several layers: each map sums to
// less than 1.
bool is_one_token(const MapTensor& map, const MatrixView& rows) {
    for (Index first = 0; first < rows.rows; first += map.tokens)
        if (rows.block(first, 0, map.tokens, map.tokens).eigen().sum() > 1.01F) return false;
    return map.tokens > 1;
}

// Each row sums to 1, or is masked completely and all zeros.
void expect_shares(const TensorReader& file, const MapTensor& map, const MatrixView& rows) {
    const float most = tolerance(file.type(map.name));
    for (Index r = 0; r < rows.rows; ++r) {
        const auto row = rows.eigen().row(r).array();
        if (const float least = row.minCoeff(); least < 0)
            file.refuse(map.name, "attention, which is never negative", text_of(least));
        const float sum = row.sum();
        if (sum == 0 || std::abs(sum - 1) <= most) continue;
        if (is_one_token(map, rows))
            file.refuse(map.name, kShapes,
                        shape_text(map.shape) +
                            " of one token, whose maps add up to less than 1. The rows of one "
                            "token alone are not enough");
        file.refuse(map.name, "attention, whose rows add up to 1",
                    "a row that adds up to " + text_of(sum));
    }
}

// The layers of one tensor share its memory. An array with several samples is one layer.
void add_layers(TensorReader& file, const MapTensor& map, Model& model) {
    const Index rows = map.heads * map.tokens;
    const SharedResult all =
        file.matrix(map.name, map.shape, map.layers * map.samples * rows, map.tokens);
    expect_shares(file, map, all->view());
    const bool whole = map.layers * map.samples == 1;
    for (Index i = 0; i < map.layers; ++i) {
        const Index first = (i + model.map_sample) * rows;
        model.maps.push_back(
            whole ? all : make_result(all->view().block(first, 0, rows, map.tokens), all));
        Layer layer;
        name_layer(layer, static_cast<int>(model.layers.size()));
        layer.attention.heads = static_cast<int>(map.heads);
        layer.attention.skip = Skip::none;
        model.layers.push_back(std::move(layer));
    }
}

void choose_sample(const TensorReader& file, const Decisions& decisions, Index samples,
                   Model& model) {
    const auto said = decisions.find(&ModelConfig::sample);
    model.map_samples = static_cast<int>(samples);
    if (!said && samples > 1)
        model.warnings.push_back(file.file_name() + ": it has maps of " + std::to_string(samples) +
                                 " samples, and Headlight opened the first. To choose another, use "
                                 "--sample or, in the window, the command sample.");
    if (!said) return;
    if (said->value > model.map_samples)
        Source(file.file_name())
            .refuse(
                samples == 1 ? "sample 1, the only one" : "sample 1 to " + std::to_string(samples),
                std::to_string(said->value) + " (" + said->origin + ")");
    model.map_sample = said->value - 1;
}

void take_layout(const Decisions& decisions, Index tokens, Model& model) {
    const auto grid = decisions.find(&ModelConfig::grid);
    const auto before = decisions.find(&ModelConfig::tokens_before);
    if (grid) model.map_layout.grid = grid->value;
    if (before) model.map_layout.before = before->value;
    if (grid || before) model.map_layout_origin = grid ? grid->origin : before->origin;
    try {
        expect_possible(tokens, model.map_layout);
    } catch (const PatchError& error) {
        throw CheckpointError(model.file + ": " + error.what());
    }
}

// A head whose map is all zeros does not attend: it was left out or never filled in.
void expect_attention(Model& model) {
    std::string heads;
    std::size_t empty = 0, all = 0;
    for (std::size_t b = 0; b < model.maps.size(); ++b) {
        const MatrixView map = model.maps[b]->view();
        for (Index h = 0; h * map.cols < map.rows; ++h, ++all) {
            if (!map.block(h * map.cols, 0, map.cols, map.cols).eigen().isZero(0)) continue;
            if (++empty <= 4)
                heads += (heads.empty() ? "layer " : "; layer ") + std::to_string(b + 1) +
                         ", head " + std::to_string(h + 1);
        }
    }
    if (empty == 0) return;
    if (empty == all)
        throw CheckpointError(model.file +
                              ": expected attention, whose rows add up to 1, found only zeros. "
                              "Save the maps after they are computed.");
    model.warnings.push_back(model.file + ": " + counted(empty, "map") +
                             (empty == 1 ? " contains" : " contain") +
                             " only zeros instead of attention (" + heads +
                             (empty > 4 ? "; …" : "") + "). Check how the maps were saved.");
}

void add_facts(Model& model, Index tokens) {
    const std::string shapes = "tensor shapes";
    const auto layers = std::to_string(model.layers.size());
    model.facts = {{"family", "maps (attention without a model)", shapes},
                   {"layers", layers, "tensor names and shapes"},
                   {"heads", std::to_string(model.layers[0].attention.heads), shapes},
                   {"tokens", std::to_string(tokens), shapes}};
    if (model.map_samples > 1)
        model.facts.push_back(
            {"sample",
             std::to_string(model.map_sample + 1) + " of " + std::to_string(model.map_samples),
             "set sample to change it"});
}

}  // namespace

bool holds_trace(const TensorReader& file) { return std::ranges::any_of(file.names(), is_traced); }

std::optional<Model> read_maps(const TensorReader& reader, const Decisions& decisions) {
    TensorReader file = reader;
    const std::vector<MapTensor> maps = find_maps(file);
    if (maps.empty()) return {};
    expect_alike(file, maps);
    Model model;
    model.file = file.file_name();
    model.family = "maps";
    model.title = "attention maps";
    model.pooling = Pooling::none;
    choose_sample(file, decisions, maps[0].samples, model);
    for (const MapTensor& map : maps) add_layers(file, map, model);
    expect_attention(model);
    take_layout(decisions, maps[0].tokens, model);
    add_facts(model, maps[0].tokens);
    set_unused(model, file.unused());
    return model;
}

}  // namespace headlight
