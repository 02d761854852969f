#pragma once

#include <optional>

#include "model/model.h"

// --class: a class by its index, from 0.
namespace headlight::cli {

// Throws WorkError if the model has no classes, UsageError if the index is out of range.
void expect_class_of(const Model& model, std::optional<int> of_class);

}  // namespace headlight::cli
