#pragma once

#include <optional>
#include <string>

#include "frame/frame.h"
#include "ops/arithmetic.h"

// The parts of the strip that explains one cell (arithmetic_strip.cpp).
namespace headlight::screens {

// Attention-only import: the file's numbers come from nothing that it holds.
bool is_imported(const Frame& frame);

// What the row and the column of a cell stand for.
std::string place_in_words(const Frame& frame, const Arithmetic& a);
// How a cell's number comes about.
struct Outcome {
    std::string words;            // up to the result, e.g. "Σ = −0.188  + b 0.02 = "
    std::optional<double> value;  // that the numbers give as they stand there; none: no calculation
};
Outcome outcome(const Frame& frame, const Arithmetic& a, int digits);
// With so many decimals, and as many more as small numbers need to keep two of their digits.
std::string number_in_line(double number, int digits);
// `numbers`: the factors of the terms stand under their bars.
std::string footnote(const Frame& frame, const Arithmetic& a, bool numbers);

// What the number was made of, a bar each. True when the factors stand under their bars.
bool arithmetic_bars(Frame& frame, const ui::Rect& rect, const Arithmetic& a);

}  // namespace headlight::screens
