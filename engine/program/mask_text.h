#pragma once

#include <string>
#include <string_view>

#include "attention/mask.h"

// Rules of a mask as fields, commands and sessions write them: "none", "causal", "causal + local 2
// + keys 3 7 + blocked 49x49 0-6.40-48".
namespace headlight {

std::string mask_text(const MaskRules& rules);

// In the order of their kinds; keys in ascending order, each once. Throws ValueError for what is no
// rule, one that is said twice, and a number too many, too few or below 0.
MaskRules parse_mask(std::string_view what, const std::string& text);

}  // namespace headlight
