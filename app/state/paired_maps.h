#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "state/all_heads.h"

// The maps of all heads of two results, the present one and the one that was kept, head by head.
namespace headlight {

// The head of the other result's model in the same place: of the same layer, T2T's token
// transformers not counted. Nothing where that has none.
std::optional<HeadPlace> same_head(const Trace& from, const Trace& to, const HeadPlace& place);

// One sentence: why a result, of "now" or "before", has no maps of the other one's tokens. Empty
// where it has. Null: there is none yet.
std::string why_apart(const Trace* other, const std::string& when);

// The question for the maps of another result, of what lies where those of the first one ask.
TokenQuestion asked_of(const std::shared_ptr<const Trace>& trace,
                       const std::shared_ptr<const Summary>& summary, const TokenQuestion& like);

// All that have a map.
std::vector<HeadPlace> heads_in(const TokenFinder::Said& said);
// A head's row or column of a query, of all tokens: [1, N]; empty where there is none.
MatrixView tokens_in(const TokenFinder::Said& said, const HeadPlace& place, std::size_t query);
// The same as a map: that of the patches, laid out as these.
MatrixView patches_in(const TokenFinder::Said& said, const HeadPlace& place, std::size_t query);
// How much of that row or column the map shows: the sum over the patches by the sum over all
// tokens, 0..1. Nothing where there is no map, or where nothing is read at all.
std::optional<double> patch_share(const TokenFinder::Said& said, const HeadPlace& place,
                                  std::size_t query);
// The same of several heads' rows or columns together, as of their mean.
std::optional<double> patch_share(const TokenFinder::Said& said,
                                  const std::vector<HeadPlace>& places, std::size_t query);

struct PairQuestion {
    std::shared_ptr<const TokenFinder::Said> now, before;

    friend bool operator==(const PairQuestion&, const PairQuestion&) = default;
};

struct MapPair {
    SharedResult difference;  // now − before, of the patches, laid out as these
    double correlation = 0;   // over the patches; NaN where one of the two is the same everywhere
    // Total variation over all tokens, class token and registers too; where the two have others of
    // these, and of maps that several heads combine to, over the patches.
    double variation = 0;

    friend bool operator==(const MapPair&, const MapPair&) = default;
};

struct PairedMaps {
    // One sentence: the maps cannot be subtracted. Then there are no pairs.
    std::string why_not;
    // One sentence: which heads have no partner. Empty where all have.
    std::string unpaired;
    // Of each query, by the present result's heads.
    std::vector<std::map<HeadPlace, MapPair>> pairs;
    std::vector<float> reach;  // of each query: the largest size of a difference
};

MapPair pair_maps(const MatrixView& now, const MatrixView& before);
PairedMaps pair_all(const PairQuestion& question, const StopFlag& stop = {});

using PairFinder = Study<PairQuestion, PairedMaps>;
extern const PairFinder kPairedMaps;

}  // namespace headlight
