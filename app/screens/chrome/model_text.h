#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/recipe.h"
#include "trace/trace.h"

// A model in words: its name, its size, and what is known about it.
namespace headlight::screens {

// "vit_small_patch16_224"; of a layer without a file "attention layer".
std::string model_name_of(const Recipe& recipe);
// "timm · 12 layers × 6 heads"; `with_family` false: without the first word, where there is little
// room. A count of heads that is only assumed says so, and so does a head that is left out.
std::string model_kind(const Trace& trace, const Recipe& recipe, bool with_family = true);
// Where nobody says how many heads there are: why this many, and how another number is said. Else
// empty.
std::string heads_assumed(const Trace& trace, const Recipe& recipe);
// Why the model's classification head is left out, or what is assumed of it. Else empty.
std::string head_note(const Model& model);
std::string grouped(std::int64_t number);  // "22,050,664"
std::int64_t parameter_count(const Model& model);

// What the file and its family say, without the picture's preparation; of a layer without a file,
// what the person chose.
std::vector<ModelFact> model_facts(const Trace& trace, const Recipe& recipe);
// How pictures are prepared now, and who says so: the person or the model.
std::vector<ModelFact> preprocessing_facts(const Trace& trace, const Recipe& recipe);

// Of the tensors that stand behind the lines of Model::unused.
std::int64_t unused_count(const Model& model);

}  // namespace headlight::screens
