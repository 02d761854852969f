#pragma once

#include <optional>
#include <string>
#include <vector>

#include "positions_screen/view.h"
#include "state/order_study.h"

// What the parts of the order's part share.
namespace headlight::screens {

// What is shown of one order.
struct OrderView {
    const PositionsView& view;
    const PatchOrder& how;
    std::vector<Index> order;           // empty: there is none, and `why_not` says why
    std::string why_not;                // one sentence
    const OrderStudy* found = nullptr;  // of exactly this question; null: not yet
    bool adds = false;                  // something tells the model positions now

    // Where the patch in focus lies.
    [[nodiscard]] int place_of_focus() const;
};

// "mirrored, shifted by 1 to the right, 12 shuffled"; "in order".
std::string order_in_words(const PatchOrder& order);
std::string order_in_brief(const PatchOrder& order);  // "mirrored →1 ↓2 12 drawn"
// Shuffle, a few, shift, mirror and back, from the right end; what is left of the row is the
// caption's.
void order_tools(Frame& frame, ui::Rect& row, const PositionsView& view);

// One place is dragged onto another, or one is clicked and then the other: they are exchanged.
// `place`: under the pointer. `now`: the order that they are exchanged in.
void exchange_by_hand(Frame& frame, OrderHand& hand, const ui::Interaction& mouse,
                      std::optional<int> place, const PatchOrder& now);

// The picture as it is, and with its patches in that order, where each can be dragged.
void order_pictures(Frame& frame, const ui::Rect& plain, const ui::Rect& ordered,
                    const OrderView& shown, PositionsMemory& memory);

// Which output it is, in names of widgets: "positions.order.with.plain".
struct OutputName {
    std::string name, words;
};
// A whole output [N, D] or a difference of two, its rows linked to the patches. `homes`: of each
// row behind `prefix` the patch that it stands for; null: in order.
void output_matrix(Frame& frame, const ui::Rect& rect, const OutputName& name,
                   const SharedResult& output, float reach, Index prefix,
                   const std::vector<Index>* homes, const PositionsView& view);
// Of an output that is another one without positions: ", because a mask tells the order".
std::string why_other(const OrderStudy& study);
// Both outputs and their difference without positions and with them.
void order_outputs(Frame& frame, ui::Rect rect, const OrderView& shown);

}  // namespace headlight::screens
