#pragma once

#include "analysis/number_table.h"
#include "frame/export.h"
#include "heads/view.h"

// Numbers of this screen by their names, and what made them.
namespace headlight::screens {

// Remembers what is shown: heads_facts() says it of a part that is written to a file.
void remember_facts(Frame& frame, const HeadsView& view);

// Of a map of which a part alone is drawn: whoever takes its numbers takes all of them. `part`:
// null where it is drawn whole.
void note_whole(Frame& frame, const SharedResult& part, const MatrixView& whole);

// What is found beside the interface, for who writes it: null until it is there, or where it was
// refused, and then the reason is left.
template <class Said>
auto awaited(Frame& frame, const std::shared_ptr<const Said>& said) {
    auto& exported = frame.memory.own<Export>();
    exported.computing = !said;
    if (said) exported.refusal = said->error;
    return answer_of(said);
}

// What becomes of the answer by parts that are taken from the result kept as before; nothing where
// that was not asked for, or is not known yet.
std::optional<NumberTable> patched_table(Frame& frame, const HeadsView& view);

}  // namespace headlight::screens
