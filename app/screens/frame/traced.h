#pragma once

#include "analysis/contours.h"
#include "ui/contours.h"

namespace headlight::screens {

// The contour lines of a map at the scale's levels.
ui::Contours traced(const MatrixView& map, const ui::ColorScale& scale);

}  // namespace headlight::screens
