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
std::vector<HeadPlace> heads_in(const TokenReader::Said& said);
// A head's map of a query, laid out as the patches; empty where there is none.
MatrixView patches_in(const TokenReader::Said& said, const HeadPlace& place, std::size_t query);

struct PairQuestion {
    std::shared_ptr<const TokenReader::Said> now, before;

    friend bool operator==(const PairQuestion&, const PairQuestion&) = default;
};

// Over the patches, laid out as these.
struct MapPair {
    SharedResult difference;  // now − before
    double correlation = 0;   // NaN where one of the two is the same everywhere
    double variation = 0;     // total variation

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

using PairFinder = Newest<PairQuestion, PairedMaps>;
std::unique_ptr<PairFinder> make_pair_finder();

}  // namespace headlight
