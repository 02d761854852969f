#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analysis/number_table.h"
#include "heads/view.h"
#include "state/patching.h"

// What patching by tokens and by layers share, and both.
namespace headlight::screens {

// Of the result before, until the new one's maps are there, nothing is asked anew.
auto ask_in(const Frame& frame, const HeadsView& view, const auto& study,
            const StreamPatchQuestion& question) {
    Studies& studies = studies_of(frame);
    return view.stale ? studies.keep(study) : studies.ask(study, question);
}
// What is there of another question speaks of other results.
template <class Said>
std::shared_ptr<const Said> of_question(std::shared_ptr<const Said> said,
                                        const StreamPatchQuestion& question) {
    return said && said->question == question ? said : nullptr;
}

// "98.21 %"
std::string percent(double probability);
// "98.21 → 45.10 %, logit −3.210" and "55 % of the logit's way to before"
std::string effect_words(const HeadEffect& effect, const PatchedAnswers& answers);

void dim_line(Frame& frame, const ui::Rect& row, const std::string& words);
// What the model says now and before of the class that it answers now.
void answers_line(Frame& frame, const ui::Rect& row, const StreamPatchQuestion& question,
                  const PatchedAnswers& answers);

// A bar and a button at the right end of the row; true: it was told to stop.
bool progress_row(Frame& frame, ui::Rect& row, float progress);
// The same while it is being found.
void progress_row(Frame& frame, ui::Rect& row, const auto& study) {
    const Studies& studies = studies_of(frame);
    if (studies.busy(study) && progress_row(frame, row, studies.progress(study)))
        frame.set("heads_order", "layer");
}

// A picture for every layer, each patch in the color of what it does.
void patched_tokens(Frame& frame, ui::Rect rect, const HeadsView& view,
                    const StreamPatchQuestion& question);
std::optional<NumberTable> patched_tokens_table(Frame& frame, const StreamPatchQuestion& question);

// Bars for every layer.
void patched_layers(Frame& frame, ui::Rect rect, const HeadsView& view,
                    const StreamPatchQuestion& question);
std::optional<NumberTable> patched_layers_table(Frame& frame, const StreamPatchQuestion& question);

}  // namespace headlight::screens
