#pragma once

#include <string>

#include "program/fields.h"

// --attention: settings that a bare layer's file lacks or, for a whole model, changes to it. Its
// keys are the recipe fields that have one.
namespace headlight::cli {

// Parses the settings; missing ones keep the model's values. A bare layer's file has no positions,
// and may have a scale. Throws UsageError if it is not JSON, or a key is unknown, outside the scope
// or fixed by a whole model, or has a value of the wrong type. Empty text changes nothing.
Recipe parse_attention(const std::string& text, Scope scope, const Model& model);

}  // namespace headlight::cli
