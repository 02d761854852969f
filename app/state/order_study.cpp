#include "state/order_study.h"

#include <numeric>
#include <utility>

namespace headlight {

namespace {

std::shared_ptr<const PlainRuns> plain_runs(const OrderQuestion& question, Index count,
                                            const StopFlag& stop) {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    const auto in = [&](Positions positions) {
        return run_in_order(*question.trace, question.recipe, positions, order, stop);
    };
    return std::make_shared<const PlainRuns>(PlainRuns{
        question.trace, question.recipe, in(Positions::as_they_are), in(Positions::none)});
}

}  // namespace

std::vector<OrderStudy> study_orders(const OrderQuestion& question,
                                     std::shared_ptr<const PlainRuns>& kept, const StopFlag& stop) {
    const Trace& trace = *question.trace;
    const OrderedTokens tokens = tokens_to_order(trace);
    std::vector<OrderStudy> found;
    for (const PatchOrder& how : question.orders)  // what cannot be is known before the first run
        found.push_back({order_of(how, tokens.rows, tokens.cols), tokens.prefix, {}, {}});
    if (!kept || kept->trace != question.trace || !(kept->recipe == question.recipe))
        kept = plain_runs(question, tokens.count(), stop);
    for (OrderStudy& study : found) {
        const auto against = [&](const OrderedRun& plain, Positions positions) {
            return compare_orders(
                plain, run_in_order(trace, question.recipe, positions, study.order, stop),
                study.prefix, study.order);
        };
        study.with_positions = against(kept->with_positions, Positions::as_they_are);
        study.without_positions = against(kept->without_positions, Positions::none);
    }
    return found;
}

std::unique_ptr<OrderStudent> make_order_student() {
    return std::make_unique<OrderStudent>(
        [kept = std::shared_ptr<const PlainRuns>()](
            const OrderQuestion& question, std::atomic<float>&, const StopFlag& stop) mutable {
            return study_orders(question, kept, stop);
        });
}

}  // namespace headlight
