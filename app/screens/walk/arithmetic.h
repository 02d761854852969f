#pragma once

#include <optional>
#include <string>

#include "frame/frame.h"
#include "ops/arithmetic.h"

// The parts of the strip that explains one cell (arithmetic_strip.cpp).
namespace headlight::screens {

// For attention-only import, nothing in the file explains its numbers.
bool is_imported(const Frame& frame);

// What the row and the column of a cell stand for.
std::string place_in_words(const Frame& frame, const Arithmetic& a);
// How a cell's value is computed.
struct Outcome {
    std::string words;            // up to the result, e.g. "Σ = −0.188  + b 0.02 = "
    std::optional<double> value;  // computed from the displayed numbers; empty: no calculation
};
Outcome outcome(const Frame& frame, const Arithmetic& a, int digits);
// With `digits` decimals, or more for small numbers, to keep two significant digits.
std::string number_in_line(double number, int digits);
// `numbers`: whether the factors are written under the terms' bars.
std::string footnote(const Frame& frame, const Arithmetic& a, bool numbers);

// A bar for each term of the sum. True if the factors are written under the bars.
bool arithmetic_bars(Frame& frame, const ui::Rect& rect, const Arithmetic& a);

}  // namespace headlight::screens
