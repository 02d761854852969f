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

std::unique_ptr<BranchFinder> make_branch_finder() {
    return std::make_unique<BranchFinder>(
        [](const BranchQuestion& q, std::atomic<float>& progress, const StopFlag& stop) {
            return branch_sizes(
                *q.trace, q.change, [&](float part) { progress = part; }, stop);
        });
}

std::vector<RingProfile> rings_of(const KeptAttention& layer, const StopFlag& stop) {
    RingSums sums(layer.layout(), layer.grid(), layer.heads());
    layer.for_queries([&](Index first, const MatrixView& rows) { sums.add(first, rows); }, stop);
    return sums.means();
}

std::unique_ptr<RingFinder> make_ring_finder() {
    return std::make_unique<RingFinder>(
        [](const RingQuestion& q, std::atomic<float>&, const StopFlag& stop) {
            return rings_of(*q.layer, stop);
        });
}

}  // namespace headlight
