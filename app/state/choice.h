#pragma once

#include <optional>
#include <utility>

#include "state/state.h"
#include "trace/same_place.h"

namespace headlight {

// What the user has selected. A result with fewer heads, other tokens or fewer steps shows as much
// of the selection as it can, but does not change it: the next result may support it again.
// Intermediate results during a drag or an undo never alter the selection.
class Choice {
  public:
    explicit Choice(Selection selection) : selection_(std::move(selection)) {}

    [[nodiscard]] const Selection& selection() const { return selection_; }
    // The part of the selection that `trace` can show.
    [[nodiscard]] Selection in(const Trace& trace) const;

    // The user moved the selection from `before` to `after` while `view` was on the screen (or
    // null). Parts of the selection that did not change stay as chosen.
    void change(const Selection& before, const Selection& after, const Trace* view);
    // The requested result has arrived. Token numbers that were given without their grid refer to
    // it.
    void arrive(const Trace& trace);

    void forget_shape() { selection_.shape.reset(); }

  private:
    void move_tokens(Selection& selection, const TokenPlaces& places) const;

    Selection selection_;  // its token numbers refer to the result in which they were chosen
};

}  // namespace headlight
