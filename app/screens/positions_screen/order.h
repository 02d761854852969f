#pragma once

#include <optional>
#include <string>
#include <vector>

#include "positions_screen/view.h"
#include "state/order_study.h"

// Shared by the parts of the page about the order of patches.
namespace headlight::screens {

// What is shown for one order.
struct OrderView {
    const PositionsView& view;
    const PatchOrder& how;
    std::vector<Index> order;           // empty: invalid, and `why_not` says why
    std::string why_not;                // one sentence
    const OrderStudy* found = nullptr;  // of exactly this question; null: not yet
    bool adds = false;                  // the model currently gets position information

    // The place of the focused patch.
    [[nodiscard]] int place_of_focus() const;
};

// "mirrored, shifted by 1 to the right, 12 shuffled"; "in order".
std::string order_in_words(const PatchOrder& order);
std::string order_in_brief(const PatchOrder& order);  // "mirrored →1 ↓2 12 drawn"
// Buttons for shuffle, a few, shift, mirror and reset. At the right end, the rest of the row is for
// the caption; at the left end, nothing is.
void order_tools(Frame& frame, ui::Layout& row, const PositionsView& view,
                 ui::Align align = ui::Align::right);

// Swaps two places: drag one onto the other, or click one and then the other. `place`: under the
// pointer. `now`: the order to change.
void exchange_by_hand(Frame& frame, OrderHand& hand, const ui::Interaction& mouse,
                      std::optional<int> place, const PatchOrder& now);

// The original picture, and the one with patches in that order, where each can be dragged.
void order_pictures(Frame& frame, const ui::Rect& plain, const ui::Rect& ordered,
                    const OrderView& shown, PositionsMemory& memory);

// The name of an output in widget names: "positions.order.with.plain".
struct OutputName {
    std::string name, words;
};
// A whole output [N, D] or a difference of two, with its rows linked to the patches. `homes`: for
// each row after `prefix` the patch that it belongs to; null: in order.
void output_matrix(Frame& frame, const ui::Rect& rect, const OutputName& name,
                   const SharedResult& output, float reach, Index prefix,
                   const std::vector<Index>* homes, const PositionsView& view);
// For an output that differs even without positions: ", because a mask tells the order".
std::string why_other(const OrderStudy& study);
// Both outputs and their difference, without and with positions.
void order_outputs(Frame& frame, ui::Layout rect, const OrderView& shown);

}  // namespace headlight::screens
