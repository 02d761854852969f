#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/canvas.h"

namespace headlight::ui {

// A piece of an equation on one script level.
struct Glyphs {
    enum class Kind { text, fraction, root, limits };
    std::string text;  // with limits, the sign that they belong to
    std::string name;  // of the matrix that it denotes; empty for operators
    int level = 0;     // -1 below, 0 on, +1 above the line
    Kind kind = Kind::text;
    std::vector<Glyphs>
        inside{};                 // a root's radicand, a fraction's numerator, a sign's upper limit
    std::vector<Glyphs> below{};  // a fraction's denominator, a sign's lower limit
};

// Parses the notation of the step table: "{query:Q}_{h} {key:K}_{h}^{T}". A script directly after
// a named symbol belongs to that symbol. "\frac{…}{…}" and "\sqrt{…}" contain equations. Scripts
// after "\limits{∑}" are limits, drawn below and above the sign.
std::vector<Glyphs> parse_equation(std::string_view text);

// In pixels. The line is as high as the size's letters; y runs downwards from the line's upper
// edge.
struct EquationExtent {
    float width = 0;
    float top = 0;     // negative if a fraction or a limit rises above the line
    float bottom = 0;  // at least the height of the line
};
EquationExtent equation_extent(Context& ui, const std::vector<Glyphs>& equation, Size size);
float equation_width(Context& ui, const std::vector<Glyphs>& equation, Size size);

// The size of a symbol in a line of small text above a matrix, small enough in lecture view not to
// cover what is below the line.
Size symbol_size(const Context& ui);

// Draws the equation with the middle of its line at the rectangle's middle, shrunk if it does not
// fit. `color` gives the color of a named symbol; all else has `ink`, usually the color of text.
// Returns the name under the pointer, or "".
std::string equation(Context& ui, const Rect& rect, const std::vector<Glyphs>& equation, Size size,
                     Align align, const std::function<ImU32(const std::string&)>& color,
                     std::optional<ImU32> ink = std::nullopt);

}  // namespace headlight::ui
