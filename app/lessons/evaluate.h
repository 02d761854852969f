#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "analysis/summary.h"
#include "state/state.h"
#include "trace/trace.h"

// Values and conditions over what the program measures: in lessons ({value …}, until: …) and in
// scripts (print-value, expect-that).
//
//     temperature                     a field that `set` knows; step, head, token, col, shape: what
//                                     is chosen, heads counted from 1 and tokens from 0
//     attention[43, 48]               a cell of a matrix of the trace, by its name; of the chosen
//     head attention[head 2, 43, 48]       of another stage.result[43, 48]            of the
//     present step's result max min mean sum deviation largest_at (CELLS)
//                                     CELLS: a name; or with brackets, where * is all of a row or
//                                     column. largest_at: the place of the largest, from 0
//     entropy effective_patches (CELLS)
//                                     of attention: mean over the rows, in bits; 2 to that power.
//                                     (head 2) is all its rows, (head 2, 43) one of them
//     rows cols (NAME)                of a matrix
//     mass(head 2, KIND)              the share of attention that goes to class_token, registers,
//                                     itself; in a scene, from a paired shape's patches, to own,
//                                     twin, other, background. expected(KIND): if all were read
//                                     alike
//     distance(head 2), neighbors(head 2), …
//                                     a measure of every run (analysis/head_measures.h) by its name
//     prediction, probability, probability("cross"), truth, right
//                                     the most probable class; what is true of the scene; both
//                                     alike
//
// with numbers, "words", + - * /, = != < <= > >=, and, or, not, and brackets.
namespace headlight::lessons {

inline constexpr std::size_t kLongestExpression = 400;

struct Present {
    const State& state;
    const Trace& trace;
    const Summary& summary;
    const Recipe& recipe;  // that the trace was made by
};

using Value = std::variant<double, bool, std::string>;

// Throws CommandError with one sentence: what is not understood, or is not there.
Value evaluate(std::string_view expression, const Present& present);
// The same of a condition, which is true or false.
bool holds(std::string_view condition, const Present& present);

// What is compared in a condition, as far as one can tell: "max(scores)" of "max(scores) > 3".
std::string_view measured_side(std::string_view condition);

}  // namespace headlight::lessons
