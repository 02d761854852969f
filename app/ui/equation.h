#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/canvas.h"

namespace headlight::ui {

// A piece of an equation on one level.
struct Glyphs {
    enum class Kind { text, fraction, root };
    std::string text;
    std::string name;  // of the matrix that it stands for; empty for signs
    int level = 0;     // -1 below, 0 on, +1 above the line
    Kind kind = Kind::text;
    std::vector<Glyphs> inside{};  // of a root, or of a fraction above its bar
    std::vector<Glyphs> below{};   // of a fraction, below its bar
};

// The small notation of the step table: "{query:Q}_{h} {key:K}_{h}^{T}". A script after a named
// symbol belongs to that symbol. "\frac{…}{…}" and "\sqrt{…}" hold equations themselves.
std::vector<Glyphs> parse_equation(std::string_view text);

// Width in pixels at the size.
float equation_width(Context& ui, const std::vector<Glyphs>& equation, Size size);

// Of a symbol in a line of small text above a matrix, which must not cover what stands below the
// symbol's line: in lecture view the small one.
Size symbol_size(const Context& ui);

// Draws with its middle at the rectangle's middle, shrunk where it does not fit; `color` gives the
// color of a named symbol. Returns the name under the pointer, or "".
std::string equation(Context& ui, const Rect& rect, const std::vector<Glyphs>& equation, Size size,
                     Align align, const std::function<ImU32(const std::string&)>& color);

}  // namespace headlight::ui
