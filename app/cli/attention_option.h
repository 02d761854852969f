#pragma once

#include <string>

#include "program/fields.h"

// --attention: what a bare layer's file cannot say, and for a whole model what is changed to see
// what follows. Its keys are those fields of a recipe that have one.
namespace headlight::cli {

// What is asked of a model; what is not said is left to it. A bare layer's file has no positions,
// and may have a scale. Throws UsageError: not JSON, a value of another kind, an unknown key, one
// outside the scope or one that a whole model decides itself. Empty: nothing is said.
Recipe parse_attention(const std::string& text, Scope scope, const Model& model);

}  // namespace headlight::cli
