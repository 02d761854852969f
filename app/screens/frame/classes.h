#pragma once

#include <span>
#include <string>

#include "analysis/prediction.h"
#include "encoder/run_scene.h"

// Probabilities as words and as bars: the same wherever they stand.
namespace headlight::screens {

// "97.31 %"; what two digits would make nothing, or everything, of: "< 0.01 %", "> 99.99 %".
std::string percent_text(double probability);

// What a bar of full length stands for, so that the most probable of a list can be seen: all of it,
// or a tenth, a hundredth, … of it.
double bar_reach(std::span<const Prediction> list);
std::string bar_reach_text(double reach);  // "bars to 1 %"; "" where they are all of it

}  // namespace headlight::screens
