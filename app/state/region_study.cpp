#include "state/region_study.h"

#include "analysis/region_share.h"

namespace headlight {

namespace {

RegionShares find_shares(const RegionQuestion& question, const RegionFinder::Run& run) {
    const KeptLayers& kept = question.summary->kept;
    RegionShares shares(kept.size());
    const auto first = static_cast<std::size_t>(question.trace->model->token_transformers());
    for (std::size_t b = first; b < kept.size(); ++b) {
        throw_if_stopped(run.stop);
        if (kept[b]) {
            const PatchGrid& grid = kept[b]->grid();
            shares[b] = shares_within_region(
                *kept[b], region_on(question.region, grid.rows, grid.cols), run.stop);
        }
        run.progress = static_cast<float>(b + 1) / static_cast<float>(kept.size());
    }
    return shares;
}

}  // namespace

const RegionFinder kWithinRegion{.compute = find_shares, .takes_long = true};

}  // namespace headlight
