#pragma once

#include "analysis/number_table.h"
#include "frame/leaving.h"
#include "heads/view.h"

// What leaves the program of this screen: numbers by name, and what made them.
namespace headlight::screens {

// Remembers what is shown, for who writes a part of it, and answers what is asked for of this frame
// (frame/leaving.h). `view`: null where there are no maps.
void leave(Frame& frame, const HeadsView* view, HeadsMemory& memory);

// Of a map of which a part alone is drawn: whoever takes its numbers takes all of them. `part`:
// null where it is drawn whole.
void leave_whole(Frame& frame, const SharedResult& part, const MatrixView& whole);

// What is found beside the interface, for who writes it: null until it is there, or where it was
// refused, and then the reason is left.
template <class Said>
auto awaited(Frame& frame, const std::shared_ptr<const Said>& said) {
    auto& leaving = frame.memory.own<Leaving>();
    leaving.computing = !said;
    if (said) leaving.refusal = said->error;
    return answer_of(said);
}

// What becomes of the answer by parts that are taken from the result kept as before; nothing where
// that was not asked for, or is not known yet.
std::optional<NumberTable> patched_table(Frame& frame, const HeadsView& view);

}  // namespace headlight::screens
