#pragma once

#include <memory>
#include <string>
#include <vector>

#include "encoder/reorder.h"
#include "patches/patch_order.h"
#include "program/recipe.h"
#include "tasks/studies.h"
#include "trace/trace.h"

// How the walk's output changes if its tokens are reordered, computed in a background task.
namespace headlight {

struct OrderQuestion {
    std::shared_ptr<const Trace> trace;
    Recipe recipe;  // that the trace was computed with
    std::vector<PatchOrder> orders;

    friend bool operator==(const OrderQuestion&, const OrderQuestion&) = default;
};
// The result for one order.
struct OrderStudy {
    std::vector<Index> order;  // order_of()
    Index prefix = 0;          // output rows that belong to no patch
    OrderEffect with_positions, without_positions;
    // What tells the order apart from positions, "a mask" or "dropout"; empty if nothing does.
    std::string told_by;
};

// Whether the output is the same up to its order and rounding error. If only positions tell the
// order, the difference without positions is pure rounding error, and a few times that is the
// tolerance with them. Otherwise the tolerance is a millionth of the output's largest absolute
// value.
bool is_same(const OrderStudy& study, Positions positions);

// The runs in the original order, which all other orders are compared with.
struct PlainRuns {
    std::shared_ptr<const Trace> trace;
    Recipe recipe;
    OrderedRun with_positions, without_positions;
};
// `kept`: from the previous question; recomputed if they belong to another one. Throws RecipeError
// as run_in_order does, OrderError as order_of does, and Stopped.
std::vector<OrderStudy> study_orders(const OrderQuestion& question,
                                     std::shared_ptr<const PlainRuns>& kept,
                                     const StopFlag& stop = {});

using OrderFinder = Study<OrderQuestion, std::vector<OrderStudy>>;
extern const OrderFinder kOrderEffects;

}  // namespace headlight
