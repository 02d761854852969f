#pragma once

#include <optional>
#include <utility>

#include "state/state.h"
#include "trace/same_place.h"

namespace headlight {

// Where the person chose to look. A result that has fewer heads, other tokens or fewer steps shows
// what it can of that and takes nothing away: the next one may have it again, and what passes by
// while a slider is dragged or an undo is computed is nobody's wish.
class Choice {
  public:
    explicit Choice(Selection selection) : selection_(std::move(selection)) {}

    [[nodiscard]] const Selection& selection() const { return selection_; }
    // What `trace` can show of it.
    [[nodiscard]] Selection in(const Trace& trace) const;

    // The person led the selection from `before` to `after` with `view` on the screen (or null).
    // What that left alone stays chosen as it was.
    void change(const Selection& before, const Selection& after, const Trace* view);
    // The result of what the person asked for is there: tokens whose numbers came without their
    // places are its own.
    void arrive(const Trace& trace);

    void forget_shape() { selection_.shape.reset(); }

  private:
    void move_tokens(Selection& selection, const TokenPlaces& places) const;

    Selection selection_;  // in the numbers of the result in which its tokens were chosen
};

}  // namespace headlight
