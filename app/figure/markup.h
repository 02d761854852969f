#pragma once

#include <string>
#include <string_view>

#include "ui/drawn.h"

// What SVG and HTML have in common.
namespace headlight::figure {

// Escapes text for use between tags and in attributes. Invalid UTF-8, as in file names, is replaced
// byte by byte.
std::string escaped(std::string_view text);

// "#102030"; ignores the alpha channel.
std::string hex_color(ImU32 color);

}  // namespace headlight::figure
