#pragma once

#include <string>

namespace headlight {

// The path of a file or folder in this checkout. As a function, it compiles the checkout's location
// into one object only, so that a compiler cache can share all others between checkouts.
std::string source_path(const std::string& relative);

}  // namespace headlight
