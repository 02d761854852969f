#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "state/all_heads.h"

// The maps of all heads of two results, the current one and the baseline, paired by head.
namespace headlight {

// The head at the same place in the other result's model: the same layer, not counting T2T's token
// transformers, and the same head. Empty if that model has none.
std::optional<HeadPlace> same_head(const Trace& from, const Trace& to, const HeadPlace& place);

// One sentence: why `other`, called "after" or "before", has no maps for the first result's tokens.
// Empty if it has. `other` is null if there is no result yet.
std::string why_apart(const Trace* other, const std::string& when);

// The question that asks for another result's maps at the same positions as the first one's.
TokenQuestion asked_of(const std::shared_ptr<const Trace>& trace,
                       const std::shared_ptr<const Summary>& summary, const TokenQuestion& like);

// All heads that have a map.
std::vector<HeadPlace> heads_in(const TokenFinder::Said& said);
// A head's row or column for a query, over all tokens: [1, N]; empty if there is none.
MatrixView tokens_in(const TokenFinder::Said& said, const HeadPlace& place, std::size_t query);
// The patches of that row or column, as a map in the layout of the grid.
MatrixView patches_in(const TokenFinder::Said& said, const HeadPlace& place, std::size_t query);
// The part of that row or column that the map shows: the sum over the patches divided by the sum
// over all tokens, 0..1. Empty where there is no map, or where the sum is 0.
std::optional<double> patch_share(const TokenFinder::Said& said, const HeadPlace& place,
                                  std::size_t query);
// The same for the mean of several heads' rows or columns.
std::optional<double> patch_share(const TokenFinder::Said& said,
                                  const std::vector<HeadPlace>& places, std::size_t query);

struct PairQuestion {
    std::shared_ptr<const TokenFinder::Said> now, before;

    friend bool operator==(const PairQuestion&, const PairQuestion&) = default;
};

struct MapPair {
    SharedResult difference;  // after − before, over the patches, in the layout of the grid
    double correlation = 0;   // over the patches; NaN if one of the two maps is constant
    // Total variation distance over all tokens, with class token and registers. Over the patches
    // alone where the two results have different prefix tokens, and for combined maps of several
    // heads. NaN for class maps, whose cells are no fractions.
    double variation = 0;

    [[nodiscard]] bool of_attention() const { return !std::isnan(variation); }
    friend bool operator==(const MapPair&, const MapPair&) = default;
};

struct PairedMaps {
    // One sentence if the maps cannot be subtracted; there are no pairs then.
    std::string why_not;
    // One sentence: which heads have no partner. Empty if all have one.
    std::string unpaired;
    // For each query, by the current result's heads.
    std::vector<std::map<HeadPlace, MapPair>> pairs;
    std::vector<float> reach;  // for each query: the largest absolute difference
};

MapPair pair_maps(const MatrixView& now, const MatrixView& before);
PairedMaps pair_all(const PairQuestion& question, const StopFlag& stop = {});

using PairFinder = Study<PairQuestion, PairedMaps>;
extern const PairFinder kPairedMaps;

}  // namespace headlight
