#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/recipe.h"
#include "trace/trace.h"

// Text about a model: its name, size and other facts.
namespace headlight::screens {

// "vit_small_patch16_224"; "attention layer" for a layer without a file.
std::string model_name_of(const Recipe& recipe);
// "timm · 12 layers × 6 heads"; without the first word if `with_family` is false, to save space.
// Says so if the number of heads is only assumed, or if the classification head is left out.
std::string model_kind(const Trace& trace, const Recipe& recipe, bool with_family = true);
// If the number of heads is not in the files: why it is assumed, and how to set another; otherwise
// empty.
std::string heads_assumed(const Trace& trace, const Recipe& recipe);
// Why the model's classification head is left out, or what is assumed about it; otherwise empty.
std::string head_note(const Model& model);
std::string grouped(std::int64_t number);  // "22,050,664"
std::int64_t parameter_count(const Model& model);

// Facts from the file and its model family, without preprocessing; for a layer without a file, the
// user's settings.
std::vector<ModelFact> model_facts(const Trace& trace, const Recipe& recipe);
// The current preprocessing of pictures, and whether the user or the model chose it.
std::vector<ModelFact> preprocessing_facts(const Trace& trace, const Recipe& recipe);

// The number of tensors that Model::unused summarizes.
std::int64_t unused_count(const Model& model);

}  // namespace headlight::screens
