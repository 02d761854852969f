#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Renders an SVG picture as PDF or pixels with librsvg and cairo, without a display. Both libraries
// are loaded when needed; the program also runs without them.
namespace headlight::figure {

// The bytes of a one-page PDF of the picture's size. description: the document's subject, UTF-8.
// Throws std::runtime_error with one sentence: which library to install, or that the picture cannot
// be drawn.
std::string pdf_of_svg(const std::string& svg, const std::string& description);

// RGBA pixels, row by row from the top left; the picture is stretched to this size.
struct RenderedSvg {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
};
// Throws as pdf_of_svg does.
RenderedSvg pixels_of_svg(const std::string& svg, int width, int height);

}  // namespace headlight::figure
