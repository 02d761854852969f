#pragma once

#include <vector>

#include "attention/window.h"

namespace headlight {

// The tokens of a grid window by window, row by row of the shifted map, and row by row in each.
std::vector<Index> tokens_by_window(const Windows& windows, Index tokens);

}  // namespace headlight
