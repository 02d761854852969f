#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "state/state.h"

namespace headlight {

// Undo and redo by keeping whole states: they are small. Changes with the same non-empty label that
// follow each other without a break (a slider being dragged, a walk from step to step) count as
// one.
class History {
  public:
    // Call before a change; `label` says what changes, e.g. "set temperature".
    void record(const State& before, const std::string& label);
    void break_chain() { last_label_.clear(); }  // the mouse button went up

    [[nodiscard]] bool can_undo() const { return !past_.empty(); }
    [[nodiscard]] bool can_redo() const { return !future_.empty(); }
    State undo(const State& present);  // present when there is nothing to undo
    State redo(const State& present);

    // A choice turned out impossible (a file that is no image) and was taken back: does the same to
    // every kept state, then forgets those that differ from their neighbor in nothing any more.
    void amend(const std::function<void(State&)>& change, const State& present);

  private:
    static constexpr std::size_t kMaxDepth = 500;
    std::vector<State> past_, future_;
    std::string last_label_;
};

}  // namespace headlight
