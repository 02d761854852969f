#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "state/state.h"

namespace headlight {

// Undo and redo store whole states, which are small. Consecutive changes with the same non-empty
// label count as one (dragging a slider, walking from step to step).
class History {
  public:
    // Call before a change; `label` names it, e.g. "set temperature".
    void record(const State& before, const std::string& label);
    void break_chain() { last_label_.clear(); }  // the mouse button was released

    [[nodiscard]] bool can_undo() const { return !past_.empty(); }
    [[nodiscard]] bool can_redo() const { return !future_.empty(); }
    State undo(const State& present);  // returns `present` if there is nothing to undo
    State redo(const State& present);

    // A choice turned out to be impossible (a file that is no image) and was reverted. Applies the
    // same change to every stored state, then drops states that no longer differ from their
    // neighbor.
    void amend(const std::function<void(State&)>& change, const State& present);

  private:
    static constexpr std::size_t kMaxDepth = 500;
    std::vector<State> past_, future_;
    std::string last_label_;
};

}  // namespace headlight
