#pragma once

#include <map>
#include <optional>
#include <string>

namespace headlight {

struct Model;

// Arguments that a timm model was made with, as JSON text by their names: `depth` → `12`.
using ModelArguments = std::map<std::string, std::string>;

// Where timm's model_args differ from what the tensors show: `"img_size" is 384, the tensors have
// positions for 14 × 14 patches`, all of them, separated by semicolons. Nothing: they agree, or the
// tensors leave it open. What `said` says already is left out.
std::optional<std::string> contradiction(const ModelArguments& arguments, const Model& model,
                                         const std::string& said = "");

}  // namespace headlight
