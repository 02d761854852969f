#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/canvas.h"

namespace headlight::ui {

// A piece of an equation on one script level.
struct Glyphs {
    enum class Kind { text, fraction, root };
    std::string text;
    std::string name;  // of the matrix that it denotes; empty for operators
    int level = 0;     // -1 subscript, 0 base line, +1 superscript
    Kind kind = Kind::text;
    std::vector<Glyphs> inside{};  // of a root, or the numerator of a fraction
    std::vector<Glyphs> below{};   // the denominator of a fraction
};

// Parses the notation of the step table: "{query:Q}_{h} {key:K}_{h}^{T}". A script after a named
// symbol belongs to that symbol. "\frac{…}{…}" and "\sqrt{…}" contain equations.
std::vector<Glyphs> parse_equation(std::string_view text);

// Width in pixels at that size.
float equation_width(Context& ui, const std::vector<Glyphs>& equation, Size size);

// The size of a symbol in a line of small text above a matrix, small enough in lecture view not to
// cover what is below the line.
Size symbol_size(const Context& ui);

// Draws the equation centered in the rectangle, shrunk if it does not fit. `color` gives the color
// of a named symbol. Returns the name under the pointer, or "".
std::string equation(Context& ui, const Rect& rect, const std::vector<Glyphs>& equation, Size size,
                     Align align, const std::function<ImU32(const std::string&)>& color);

}  // namespace headlight::ui
