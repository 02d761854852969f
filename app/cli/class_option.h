#pragma once

#include <optional>

#include "model/model.h"

// --class: a class by its index, from 0.
namespace headlight::cli {

// Throws WorkError where the model has no classes, UsageError where it has none of this index.
void expect_class_of(const Model& model, std::optional<int> of_class);

}  // namespace headlight::cli
