#pragma once

#include <optional>
#include <string>

#include "model/builder.h"

namespace headlight {

// Rotary positions, whoever names them.

// The width of a head as the file's periods have it; nothing where there are none of that name.
std::optional<Index> head_dim_of_periods(const TensorReader& at, const std::string& name);

// A tensor that the rotation's formula gives as well: refused where it says other numbers, beyond
// what the file's type rounds off. That it is read is noted.
void expect_of_formula(TensorReader& at, const std::string& name, const MatrixView& formula);

// After the heads are decided: by the file's periods where it has them, or else by the formula and
// the base that a config says. Throws CheckpointError where they are not those of such heads.
void read_dinov3_rotary(ModelBuilder& builder, const std::string& name, Index width);

}  // namespace headlight
