#include "state/history.h"

#include <algorithm>
#include <utility>

namespace headlight {

namespace {

State pop(std::vector<State>& states) {
    State last = std::move(states.back());
    states.pop_back();
    return last;
}

}  // namespace

void History::record(const State& before, const std::string& label) {
    future_.clear();
    if (!label.empty() && label == last_label_) return;
    last_label_ = label;
    past_.push_back(before);
    if (past_.size() > kMaxDepth) past_.erase(past_.begin());
}

State History::undo(const State& present) {
    if (past_.empty()) return present;
    break_chain();
    future_.push_back(present);
    return pop(past_);
}

State History::redo(const State& present) {
    if (future_.empty()) return present;
    break_chain();
    past_.push_back(present);
    return pop(future_);
}

void History::amend(const std::function<void(State&)>& change, const State& present) {
    break_chain();
    for (std::vector<State>* states : {&past_, &future_}) {
        for (State& state : *states) change(state);
        states->erase(std::unique(states->begin(), states->end(), same_choices), states->end());
        // The last state of both lists is the present's neighbor.
        if (!states->empty() && same_choices(states->back(), present)) states->pop_back();
    }
}

}  // namespace headlight
