#pragma once

#include <optional>
#include <string>

#include "heads/view.h"

// What the maps are ordered by, and which of them are left out: a number for every head.
namespace headlight::screens {

// By patching only where there is a result to take parts from; by importance and contribution only
// of models that answer with something.
bool is_possible(const Frame& frame, HeadMeasure measure);
bool is_possible(const Frame& frame, HeadOrder order);
// The chosen order; by layer where that cannot be. The drop-down list, the maps and the bars read
// this, never the field.
HeadOrder order_of(const Frame& frame);
inline std::string order_name(HeadOrder order) {
    return std::string(kNames<HeadOrder>.at(static_cast<std::size_t>(order)));
}
// Whether the maps are ordered, or left out, by it: then it has to be measured.
bool is_wanted(const Frame& frame, HeadMeasure measure);
// Without classes the importance is how far the output turns.
bool turns_output(const Frame& frame);

// As it is shown: a share, bits, pixels, and of a probability its change in per cent. Nothing
// where it is not known (yet).
std::optional<double> number_of(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                                HeadMeasure by);
// Correlation of two heads' maps; NaN where they are over other tokens, or a map is even.
double alike(const Frame& frame, const HeadsView& view, const HeadPlace& a, const HeadPlace& b);
// Whose number the bars show: by layer, or in groups, the entropy, or of a difference how much has
// changed.
HeadMeasure number_shown(const HeadsView& view);
// What the order goes from: the size of a change, whatever its sign.
double sorted_by(HeadMeasure measure, double number);
// Of which class importance, contributions and patching are (state/all_heads.h); nothing of a model
// without classes.
std::optional<Index> class_asked(const Frame& frame);
// Not the model's answer, but a class that was chosen.
bool is_class_chosen(const Frame& frame);
// "the answer's logit", or of a chosen class "the logit of espresso".
std::string of_class(const Frame& frame, const std::string& what);
// With its sign, and "NaN" where it is none: "+0.31 %".
std::string change_text(double probability);

// "entropy 6.18 bit"
std::string number_words(const Frame& frame, HeadMeasure by, double number);
std::string_view unit_of(const Frame& frame, HeadMeasure by);  // "bit"; "" of a share

// Marks those that the filter leaves out.
void leave_out(const Frame& frame, HeadsView& view);
// "12 of 144 heads: entropy at least 5.2 bit"; "" where all are shown.
std::string filter_words(const Frame& frame, const HeadsView& view);
// What the bars mean, how many groups there are, and what is left out.
std::string key_words(const Frame& frame, const HeadsView& view);

}  // namespace headlight::screens
