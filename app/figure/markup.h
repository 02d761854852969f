#pragma once

#include <string>
#include <string_view>

#include "ui/drawn.h"

// What SVG and HTML have in common.
namespace headlight::figure {

// Text that may stand between tags and in attributes; names of files may be no text, and then a
// sign stands for each byte of them that is none.
std::string escaped(std::string_view text);

// "#102030", whatever its opacity.
std::string hex_color(ImU32 color);

}  // namespace headlight::figure
