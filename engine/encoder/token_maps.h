#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "encoder/runner.h"
#include "trace/same_place.h"

namespace headlight {

// One token's attention in every head of every layer, on the grid of patches: what it attends to,
// or what attends to it. Attention to prefix tokens is left out, so a map need not sum to 1.
struct TokenMaps {
    std::shared_ptr<const Image> image;  // the preprocessed picture that the patches are cut from
    PatchGrid grid;
    TokenLayout layout;
    Index token = 0;
    Index heads = 0;                  // per layer
    std::vector<std::string> names;   // of the heads: "head 1"
    std::vector<std::string> layers;  // names of the layers
    std::vector<float> numbers;       // [layers, heads, grid.rows, grid.cols]

    [[nodiscard]] TokenPlaces places() const { return {layout, grid}; }
    [[nodiscard]] MatrixView map(std::size_t layer, Index head) const;
};

// The maps of at most this many tokens can be told apart by hue.
inline constexpr std::size_t kMostAsked = 6;

struct TokenMapsQuestion {
    // Chooses the tokens, at least one; throws if there is none.
    std::function<std::vector<Index>(const TokenPlaces&)> tokens;
    bool read_by = false;                                // true: columns of the attention (what
                                                         // attends to the token) instead of rows
    std::function<void(const std::string&)> progress{};  // called after each layer, with its name
};

// The maps of these layers and heads alone, in this order. Each index is below their number.
TokenMaps chosen_maps(const TokenMaps& maps, const std::vector<int>& layers,
                      const std::vector<int>& heads);

// Throws AnalysisError if the layers differ in their number of heads or tokens, so that their maps
// do not form one array.
void expect_alike_layers(const Model& model);

// The maps of each requested token, in that order, from a run of the whole model starting at its
// patches (Runner::run()). Skips T2T's token transformers, which have other tokens. The numbers
// equal the attention weights bit for bit. Throws AnalysisError if layers differ in heads or
// patches, and as Runner::run() does.
std::vector<TokenMaps> token_maps(Trace front, const Counterfactual& change,
                                  const TokenMapsQuestion& question, const StopFlag& stop = {});

// Maps of two runs, for tokens in the same places, whose difference is shown.
struct MapsOfBoth {
    std::vector<TokenMaps> now, before;  // before: as many as now, or none if nothing is subtracted
};

// After − before, cell by cell; everything else is taken from `now`. Throws AnalysisError, in one
// sentence, if the two differ in layers, heads or patches.
TokenMaps difference(const TokenMaps& now, const TokenMaps& before);
// For grids that differ: "There is no difference: now there are 14 × 14 patches, …"
std::string why_no_difference(const PatchGrid& now, const PatchGrid& before);

// How the maps of several heads are combined, cell by cell.
enum class Combine { mean, max, min };
template <>
inline constexpr auto kNames<Combine> = std::to_array<std::string_view>({"mean", "max", "min"});

// One map per layer, combined over these heads: "mean of heads 1, 3". heads: at least one, each
// below maps.heads.
TokenMaps combined(const TokenMaps& maps, const std::vector<int>& heads, Combine how);

}  // namespace headlight
