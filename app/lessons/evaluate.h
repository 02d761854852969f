#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/summary.h"
#include "state/state.h"
#include "trace/trace.h"

// Evaluates expressions and conditions on the program's values, for lessons ({value …}, until: …)
// and scripts (print-value, expect-that). They contain numbers, "words", + - * /, = != < <= > >=,
// and, or, not, parentheses, and:
//
// - temperature: a field that `set` knows, or a part of the selection: step, head, token, col,
//   shape. Heads count from 1, tokens from 0.
// - attention[43, 48]: a cell of a matrix of the trace, by its name, for the selected head.
// - attention[head 2, 43, 48]: the same for another head.
// - stage.result[43, 48]: a cell of the current step's result.
// - max, min, mean, sum, deviation (standard deviation), largest_at (CELLS): of a matrix, or of a
//   part of it, where * stands for a whole row or column: max(attention[43, *]). largest_at gives
//   the position of the largest value, from 0.
// - entropy, effective_patches (CELLS): of attention, the mean over the rows in bits, and 2 to that
//   power. (head 2) stands for all rows of that head, (head 2, 43) for one of them.
// - rows, cols (NAME): of a matrix.
// - mass(head 2, KIND): the fraction of attention on class_token, registers or itself. In a scene
//   also the fraction that the patches of a pair give to own, twin, other or background.
//   expected(KIND): the same for uniform attention.
// - distance(head 2), neighbors(head 2), …: a measure of every run (analysis/head_measures.h) by
//   its name. attribution(head 2), …: a measure on request that one run is enough for
//   (measures/computed_measures.h), for the class in question.
// - prediction, probability, probability("cross"), truth, right: the most probable class, its
//   probability or that of another class, the scene's correct answer, and whether the prediction is
//   correct.
namespace headlight::lessons {

inline constexpr std::size_t kLongestExpression = 400;

struct Present {
    const State& state;
    const Trace& trace;
    const Summary& summary;
    const Recipe& recipe;  // that the trace was computed with
};

using Value = std::variant<double, bool, std::string>;

// Throws CommandError with one sentence: what is invalid or not available.
Value evaluate(std::string_view expression, const Present& present);
// The same for a condition, which is true or false.
bool holds(std::string_view condition, const Present& present);

// The measured side of a condition, if it can be determined: "max(scores)" of "max(scores) > 3".
std::string_view measured_side(std::string_view condition);

// A comparison in a condition: "attention[0,2] > 0.4" has the sides "attention[0,2]" and "0.4".
struct Comparison {
    std::string whole, side, sign, other;
};
// The comparisons that must all hold, in order; empty if the condition contains "or" or no
// comparison.
std::vector<Comparison> comparisons_in(std::string_view condition);

}  // namespace headlight::lessons
