#pragma once

#include <span>
#include <string>

#include "analysis/prediction.h"
#include "encoder/run_scene.h"

// Probabilities as text and bars, the same everywhere.
namespace headlight::screens {

// "97.31 %"; "< 0.01 %" or "> 99.99 %" if rounding would give 0 or 100.
std::string percent_text(double probability);

// The probability of a full-length bar, so that the most probable class of a list is visible: 1, or
// 0.1, 0.01, …
double bar_reach(std::span<const Prediction> list);
std::string bar_reach_text(double reach);  // "bars to 1 %"; "" if it is 1

}  // namespace headlight::screens
