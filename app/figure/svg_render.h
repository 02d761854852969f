#pragma once

#include <cstdint>
#include <string>
#include <vector>

// A picture in SVG as a PDF, or as pixels, by librsvg and cairo: without a display. Both are looked
// for when they are needed, and the program runs without them.
namespace headlight::figure {

// The bytes of a PDF of one page, as large as the picture. description: of the document, UTF-8.
// Throws std::runtime_error with one sentence: a library is missing, which says what to install, or
// the picture cannot be drawn.
std::string pdf_of_svg(const std::string& svg, const std::string& description);

// Pixels with alpha, row by row from the top left: the picture stretched to that many.
struct RenderedSvg {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
};
// Throws as pdf_of_svg does.
RenderedSvg pixels_of_svg(const std::string& svg, int width, int height);

}  // namespace headlight::figure
