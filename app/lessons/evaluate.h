#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/summary.h"
#include "state/state.h"
#include "trace/trace.h"

// Values and conditions over what the program measures: in lessons ({value …}, until: …) and in
// scripts (print-value, expect-that). With numbers, "words", + - * /, = != < <= > >=, and, or, not,
// and brackets:
//
// - temperature: a field that `set` knows, or what is chosen: step, head, token, col, shape. Heads
//   count from 1, tokens from 0.
// - attention[43, 48]: a cell of a matrix of the trace, by its name, of the chosen head.
// - attention[head 2, 43, 48]: the same of another head.
// - stage.result[43, 48]: a cell of the present step's result.
// - max, min, mean, sum, deviation, largest_at (CELLS): of a matrix, or of a part of it, where *
//   stands for a whole row or column: max(attention[43, *]). largest_at gives the place of the
//   largest, from 0.
// - entropy, effective_patches (CELLS): of attention, the mean over the rows in bits, and 2 to that
//   power. (head 2) stands for all rows of that head, (head 2, 43) for one of them.
// - rows, cols (NAME): of a matrix.
// - mass(head 2, KIND): the share of attention that goes to class_token, registers or itself. In a
//   scene also the share that patches of a pair give to own, twin, other or background.
//   expected(KIND): the same if all tokens got equal weights.
// - distance(head 2), neighbors(head 2), …: a measure of every run (analysis/head_measures.h) by
//   its name.
// - prediction, probability, probability("cross"), truth, right: the most probable class and how
//   probable it or another is, what is true of the scene, and whether both agree.
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

// A part of a condition: "attention[0,2] > 0.4" has the sides "attention[0,2]" and "0.4".
struct Comparison {
    std::string whole, side, sign, other;
};
// Those that all have to hold, in their order; empty if the condition contains "or" or compares
// nothing.
std::vector<Comparison> comparisons_in(std::string_view condition);

}  // namespace headlight::lessons
