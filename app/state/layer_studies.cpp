#include "state/layer_studies.h"

namespace headlight {

bool operator==(const BranchQuestion& a, const BranchQuestion& b) {
    if (!(a.change == b.change)) return false;
    if (a.trace == b.trace) return true;
    if (!a.trace || !b.trace || a.trace->model != b.trace->model) return false;
    const auto first = static_cast<std::size_t>(a.trace->model->token_transformers());
    const auto begins = [&](const Trace& trace) {
        return trace.stream.size() > first && trace.stream[first] ? trace.stream[first]->version()
                                                                  : 0;
    };
    return begins(*a.trace) != 0 && begins(*a.trace) == begins(*b.trace);
}

const BranchFinder kBranches{.compute =
                                 [](const BranchQuestion& q, const BranchFinder::Run& run) {
                                     return branch_sizes(*q.trace, q.change, run.watch(), run.stop);
                                 },
                             .takes_long = true};

std::vector<RingProfile> rings_of(const KeptAttention& layer, const StopFlag& stop) {
    RingSums sums(layer.layout(), layer.grid(), layer.heads());
    layer.for_queries([&](Index first, const MatrixView& rows) { sums.add(first, rows); }, stop);
    return sums.means();
}

const RingFinder kRings{.compute = [](const RingQuestion& q, const RingFinder::Run& run) {
    return rings_of(*q.layer, run.stop);
}};

}  // namespace headlight
