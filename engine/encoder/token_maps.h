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

// One token's attention in every head of every layer, laid out as the patches: whom it reads, or
// who reads it. What goes to tokens that are no patches is left out, so a map need not sum to 1.
struct TokenMaps {
    std::shared_ptr<const Image> image;  // the framed pixels that the patches are cut from
    PatchGrid grid;
    TokenLayout layout;
    Index token = 0;
    Index heads = 0;                  // of each layer
    std::vector<std::string> names;   // of the heads: "head 1"
    std::vector<std::string> layers;  // their names
    std::vector<float> numbers;       // [layers, heads, grid.rows, grid.cols]

    [[nodiscard]] TokenPlaces places() const { return {layout, grid}; }
    [[nodiscard]] MatrixView map(std::size_t layer, Index head) const;
};

// So many tokens are told apart by the hues of their maps.
inline constexpr std::size_t kMostAsked = 6;

struct TokenMapsQuestion {
    // Which ones they are, one at least; throws where there is none.
    std::function<std::vector<Index>(const TokenPlaces&)> tokens;
    bool read_by = false;                                // their columns instead of their rows
    std::function<void(const std::string&)> progress{};  // hears of each layer
};

// Throws AnalysisError where the layers have not all one number of heads and of tokens: then their
// maps are no one array.
void expect_alike_layers(const Model& model);

// Of a whole model from its patches on, see Runner::run(); T2T's token transformers, which have
// other tokens, are passed over. Of each token asked for, in that order. The numbers are those of
// the attention, bit for bit. Throws AnalysisError where layers differ in heads or patches, and as
// Runner::run() does.
std::vector<TokenMaps> token_maps(Trace front, const Counterfactual& change,
                                  const TokenMapsQuestion& question, const StopFlag& stop = {});

// The same of two runs, of tokens in the same places: the one is looked at, less the other.
struct MapsOfBoth {
    std::vector<TokenMaps> now, before;  // before: as many; or none, where nothing is subtracted
};

// Now − before, cell by cell; all but the numbers is as now. Throws AnalysisError, in one sentence,
// where the two have not the same layers, heads and patches: there is no difference.
TokenMaps difference(const TokenMaps& now, const TokenMaps& before);
// Of grids that differ: "There is no difference: now there are 14 × 14 patches, …"
std::string why_no_difference(const PatchGrid& now, const PatchGrid& before);

// What becomes of several heads' maps, cell by cell.
enum class Combine { mean, max, min };
template <>
inline constexpr auto kNames<Combine> = std::to_array<std::string_view>({"mean", "max", "min"});

// One map for each layer, of these heads: "mean of heads 1, 3". heads: one at least, each below
// maps.heads.
TokenMaps combined(const TokenMaps& maps, const std::vector<int>& heads, Combine how);

}  // namespace headlight
