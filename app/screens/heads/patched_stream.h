#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analysis/number_table.h"
#include "heads/view.h"
#include "state/patching.h"

// Shared by patching of tokens and of layers.
namespace headlight::screens {

// Asks nothing while the new result's maps are not there yet.
auto ask_in(const Frame& frame, const HeadsView& view, const auto& study,
            const StreamPatchQuestion& question) {
    Studies& studies = studies_of(frame);
    return view.stale ? studies.keep(study) : studies.ask(study, question);
}
// The answer, unless it belongs to another question and other results.
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
// The current and the baseline's probability of the currently predicted class.
void answers_line(Frame& frame, const ui::Rect& row, const StreamPatchQuestion& question,
                  const PatchedAnswers& answers);

// A progress bar with a button at the right end of the row; true if it was stopped.
bool progress_row(Frame& frame, ui::Layout& row, float progress);
// The same for a running study.
void progress_row(Frame& frame, ui::Layout& row, const auto& study) {
    const Studies& studies = studies_of(frame);
    if (studies.busy(study) && progress_row(frame, row, studies.progress(study)))
        frame.set("heads_order", "layer");
}

// A picture for every layer, each patch colored by its effect.
void patched_tokens(Frame& frame, ui::Rect rect, const HeadsView& view,
                    const StreamPatchQuestion& question);
std::optional<NumberTable> patched_tokens_table(Frame& frame, const StreamPatchQuestion& question);

// Bars for every layer.
void patched_layers(Frame& frame, ui::Rect rect, const HeadsView& view,
                    const StreamPatchQuestion& question);
std::optional<NumberTable> patched_layers_table(Frame& frame, const StreamPatchQuestion& question);

}  // namespace headlight::screens
