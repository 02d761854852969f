#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/head_place.h"

// Numbers that are written counted from 1 and stored as indices from 0. All functions throw
// ValueError as parse_integer() does.
namespace headlight {

struct Model;

// One of `count` things ("heads"), as an index from 0.
int parse_ordinal(std::string_view what, std::string_view text, int count, std::string_view things);

// A layer's number on screen and on the command line: "1" is the first. T2T's token transformers,
// which come before it, are "T1" and "T2".
std::string layer_number(const Model& model, int layer);
int parse_layer(std::string_view what, std::string_view text, const Model& model);

// "4.3 4.4": layer and head of each; "none" for an empty list. Without a model, or if its layers
// are not known yet, token transformers count as layers and there is no upper limit.
std::string heads_text(const std::vector<HeadPlace>& heads, const Model* model = nullptr);
std::vector<HeadPlace> parse_heads(std::string_view what, const std::string& text,
                                   const Model* model = nullptr);

}  // namespace headlight
