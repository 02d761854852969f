#pragma once

#include "analysis/number_table.h"
#include "frame/export.h"
#include "heads/view.h"

// The numbers of this screen by name, and their provenance.
namespace headlight::screens {

// Stores what is shown, so that heads_facts() can describe an exported part.
void remember_facts(Frame& frame, const HeadsView& view);

// Registers the whole of a map of which only a part is drawn, so that exports get all of it.
// `part`: null if it is drawn whole.
void note_whole(Frame& frame, const SharedResult& part, const MatrixView& whole);

// Whether the pointer is over the widget of that name, if it was drawn.
bool is_under_pointer(const Frame& frame, const char* name);

// A study's result for export: null until it is there, or if it was refused; the export then has
// the reason.
template <class Said>
auto awaited(Frame& frame, const std::shared_ptr<const Said>& said) {
    auto& exported = frame.memory.own<Export>();
    exported.computing = !said;
    if (said) exported.refusal = said->error;
    return answer_of(said);
}

// The effect of activation patching from the baseline; empty if it was not requested or is not
// known yet.
std::optional<NumberTable> patched_table(Frame& frame, const HeadsView& view);

}  // namespace headlight::screens
