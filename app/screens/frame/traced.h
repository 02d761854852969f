#pragma once

#include "analysis/contours.h"
#include "ui/contours.h"

namespace headlight::screens {

// The lines of a map at the levels that its scale has lines for.
ui::Contours traced(const MatrixView& map, const ui::ColorScale& scale);

}  // namespace headlight::screens
