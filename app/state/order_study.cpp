#include "state/order_study.h"

#include <algorithm>
#include <numeric>

namespace headlight {

namespace {

// Without a mask, and with only the token itself masked, every query attends to the same set of
// keys in any order. Dropout is drawn by position, not by token.
std::string told_by(const Recipe& recipe) {
    const auto orders = [](const MaskRule& rule) { return rule.kind != MaskKind::no_self; };
    if (std::ranges::any_of(recipe.mask, orders)) return "a mask";
    const Dropout& dropout = recipe.variant.dropout;
    return dropout.attention > 0 || dropout.output > 0 ? "dropout" : "";
}

// Relative to the output's largest absolute value, which determines the rounding error.
double part_left(const OrderEffect& effect) {
    return effect.most == 0 ? 0 : effect.most / effect.largest;
}

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

bool is_same(const OrderStudy& study, Positions positions) {
    constexpr double kRounding = 1e-6;   // of the sums in a layer
    constexpr double kOfDeepest = 1e-4;  // rounding never gives more, with any number of layers
    constexpr double kFew = 4, kOfFloat = 1.2e-7;
    const double without = part_left(study.without_positions),
                 with = part_left(study.with_positions);
    if (!study.told_by.empty()) return (positions == Positions::none ? without : with) <= kRounding;
    if (positions == Positions::none) return without <= kOfDeepest;
    return with <= std::max(kFew * without, kOfFloat);
}

std::vector<OrderStudy> study_orders(const OrderQuestion& question,
                                     std::shared_ptr<const PlainRuns>& kept, const StopFlag& stop) {
    const Trace& trace = *question.trace;
    const OrderedTokens tokens = tokens_to_order(trace);
    std::vector<OrderStudy> found;
    for (const PatchOrder& how : question.orders)  // reports invalid orders before the first run
        found.push_back({order_of(how, tokens.rows, tokens.cols),
                         tokens.prefix,
                         {},
                         {},
                         told_by(question.recipe)});
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

const OrderFinder kOrderEffects{
    .compute =
        [kept = std::shared_ptr<const PlainRuns>()](const OrderQuestion& question,
                                                    const OrderFinder::Run& run) mutable {
            return study_orders(question, kept, run.stop);
        },
    .takes_long = true};

}  // namespace headlight
