#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/head_place.h"

// What people count from 1, and arrays from 0. All throw ValueError as parse_integer() does.
namespace headlight {

struct Model;

// One of `count` things ("heads"), as an index from 0.
int parse_ordinal(std::string_view what, std::string_view text, int count, std::string_view things);

// A layer as the screen and the command line count them: "1" is the first. T2T's token transformers
// come before it: "T1" and "T2".
std::string layer_number(const Model& model, int layer);
int parse_layer(std::string_view what, std::string_view text, const Model& model);

// "4.3 4.4": layer and head. "none" where there are none. Without a model, or with one whose layers
// are not known yet, token transformers count as layers, and no number is too large.
std::string heads_text(const std::vector<HeadPlace>& heads, const Model* model = nullptr);
std::vector<HeadPlace> parse_heads(std::string_view what, const std::string& text,
                                   const Model* model = nullptr);

}  // namespace headlight
