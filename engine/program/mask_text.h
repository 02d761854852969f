#pragma once

#include <string>
#include <string_view>

#include "attention/mask.h"

// Text form of mask rules in fields, commands and sessions: "none", "causal", "causal + local 2 +
// keys 3 7 + blocked 49x49 0-6.40-48".
namespace headlight {

std::string mask_text(const MaskRules& rules);

// Returns the rules in the order of their kinds, with keys ascending and unique. Throws ValueError
// for a text that is no rule, a repeated rule, and too many, too few or negative numbers.
MaskRules parse_mask(std::string_view what, const std::string& text);

}  // namespace headlight
