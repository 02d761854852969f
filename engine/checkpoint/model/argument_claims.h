#pragma once

#include <map>
#include <optional>
#include <string>

namespace headlight {

struct Model;

// Arguments of a timm model, as JSON text by name: `depth` → `12`.
using ModelArguments = std::map<std::string, std::string>;

// All contradictions between timm's model_args and the tensors, separated by semicolons:
// `"img_size" is 384, the tensors have positions for 14 × 14 patches`. Nothing if they agree, or if
// the tensors do not tell. Leaves out what `said` already contains.
std::optional<std::string> contradiction(const ModelArguments& arguments, const Model& model,
                                         const std::string& said = "");

}  // namespace headlight
