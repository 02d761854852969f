#pragma once

#include <memory>
#include <string>
#include <vector>

#include "encoder/reorder.h"
#include "patches/patch_order.h"
#include "program/recipe.h"
#include "tasks/studies.h"
#include "trace/trace.h"

// What becomes of the walk's output where its tokens lie in other orders, computed beside the
// interface.
namespace headlight {

struct OrderQuestion {
    std::shared_ptr<const Trace> trace;
    Recipe recipe;  // that it was made by
    std::vector<PatchOrder> orders;

    friend bool operator==(const OrderQuestion&, const OrderQuestion&) = default;
};
// Of one order.
struct OrderStudy {
    std::vector<Index> order;  // order_of()
    Index prefix = 0;          // rows of the outputs that belong to no patch
    OrderEffect with_positions, without_positions;
    // What besides positions tells the order, "a mask" or "dropout"; empty: nothing does.
    std::string told_by;
};

// Whether the output is the same one in another order, but for what is left by rounding where sums
// are made in another order. Where nothing but positions tells the order, all that is left without
// them is rounding: a few times as much, and no more, is rounding with them too. Where something
// does, a millionth of the output's largest number.
bool is_same(const OrderStudy& study, Positions positions);

// The runs in their own order, which all other orders are held against.
struct PlainRuns {
    std::shared_ptr<const Trace> trace;
    Recipe recipe;
    OrderedRun with_positions, without_positions;
};
// `kept`: of the question before; made anew where they are another's. Throws RecipeError as
// run_in_order does, OrderError as order_of; Stopped.
std::vector<OrderStudy> study_orders(const OrderQuestion& question,
                                     std::shared_ptr<const PlainRuns>& kept,
                                     const StopFlag& stop = {});

using OrderFinder = Study<OrderQuestion, std::vector<OrderStudy>>;
extern const OrderFinder kOrderEffects;

}  // namespace headlight
