#include "analysis/spread.h"

#include <cmath>

#include "analysis/statistics.h"

namespace headlight {

double effective_tokens(const MatrixView& attention) { return std::exp2(mean_entropy(attention)); }

}  // namespace headlight
