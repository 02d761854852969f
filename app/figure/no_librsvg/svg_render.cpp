#include "figure/svg_render.h"

#include <stdexcept>

namespace headlight::figure {

// librsvg and cairo are not available in browsers and on Windows.

std::string pdf_of_svg(const std::string& /*svg*/, const std::string& /*description*/) {
    throw std::runtime_error("This build of Headlight cannot draw PDF figures. Save an .svg.");
}

RenderedSvg pixels_of_svg(const std::string& /*svg*/, int /*width*/, int /*height*/) {
    throw std::runtime_error(
        "This build of Headlight cannot draw this kind of PNG figure. Save an .svg.");
}

}  // namespace headlight::figure
