#include "reference/mismatch.h"

#include <cmath>

namespace headlight {

std::optional<Mismatch> first_mismatch(std::span<const float> found,
                                       std::span<const float> expected) {
    std::optional<Mismatch> first;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const float a = found[i], b = expected[i];
        if ((std::isfinite(a) && std::isfinite(b)) || a == b || (std::isnan(a) && std::isnan(b)))
            continue;
        if (!first) first = Mismatch{i, a, b, 0};
        ++first->count;
    }
    return first;
}

}  // namespace headlight
