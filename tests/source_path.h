#pragma once

#include <string>

namespace headlight {

// A file or folder of this checkout. A function, so that where the checkout lies is compiled into one
// object only and a compiler's cache serves all others wherever they are built.
std::string source_path(const std::string& relative);

}  // namespace headlight
