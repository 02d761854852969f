#pragma once

#include <optional>
#include <string>

#include "model/builder.h"

namespace headlight {

// Rotary positions, in any naming.

// The width of a head, from the file's periods; nothing if there are none of that name.
std::optional<Index> head_dim_of_periods(const TensorReader& at, const std::string& name);

// Checks a tensor that the rotation's formula also gives: refused if it differs by more than the
// rounding of the file's type. Marks it as read.
void expect_of_formula(TensorReader& at, const std::string& name, const MatrixView& formula);

// Call after the heads are decided. Uses the file's periods, or else the formula with the base from
// a config. Throws CheckpointError if they do not fit the heads.
void read_dinov3_rotary(ModelBuilder& builder, const std::string& name, Index width);

}  // namespace headlight
