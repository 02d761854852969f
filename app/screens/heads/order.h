#pragma once

#include <optional>
#include <string>

#include "heads/view.h"

// Ordering and filtering the maps by a measure of every head.
namespace headlight::screens {

// Patching needs a baseline to take activations from. Importance and contribution need a model with
// an output.
bool is_possible(const Frame& frame, HeadMeasure measure);
bool is_possible(const Frame& frame, HeadOrder order);
// The chosen order, or by layer if that is not possible. The drop-down list, the maps and the bars
// use this, never the field.
HeadOrder order_of(const Frame& frame);
inline std::string order_name(HeadOrder order) {
    return std::string(kNames<HeadOrder>.at(static_cast<std::size_t>(order)));
}
// Whether maps are ordered or filtered by it, so that it must be measured.
bool is_wanted(const Frame& frame, HeadMeasure measure);
// Whether importance is the turn of the output vector, for lack of classes.
bool turns_output(const Frame& frame);

// In the unit shown: a fraction, bits, pixels, or for a probability its change in percent. Empty if
// it is not known (yet).
std::optional<double> number_of(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                                HeadMeasure by);
// Correlation of two heads' maps; NaN if their tokens differ, or a map is constant.
double alike(const Frame& frame, const HeadsView& view, const HeadPlace& a, const HeadPlace& b);
// The measure that the bars show. In the orders by layer and by groups: entropy, or for differences
// the amount of change.
HeadMeasure number_shown(const HeadsView& view);
// The sort key: for changes the absolute value.
double sorted_by(HeadMeasure measure, double number);
// The class for importance, contributions and patching (state/all_heads.h); empty for a model
// without classes.
std::optional<Index> class_asked(const Frame& frame);
// Whether the user chose a class other than the predicted one.
bool is_class_chosen(const Frame& frame);
// "the answer's logit", or for a chosen class "the logit of espresso".
std::string of_class(const Frame& frame, const std::string& what);
// With its sign, or "NaN": "+0.31 %".
std::string change_text(double probability);

// The words before "at least": "entropy", "share on the class token".
std::string noun_of(const Frame& frame, HeadMeasure by);
// "entropy 6.18 bit"
std::string number_words(const Frame& frame, HeadMeasure by, double number);
std::string_view unit_of(const Frame& frame, HeadMeasure by);  // "bits"; "" if dimensionless

// Marks the heads that the filter hides.
void leave_out(const Frame& frame, HeadsView& view);
// "12 of 144 heads: entropy at least 5.2 bit"; "" if all are shown.
std::string filter_words(const Frame& frame, const HeadsView& view);
// What the bars mean, how many groups there are, and what is hidden.
// `brief`: without what the bars measure.
std::string key_words(const Frame& frame, const HeadsView& view, bool brief = false);

}  // namespace headlight::screens
