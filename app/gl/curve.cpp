#include "gl/curve.h"

#include <algorithm>
#include <cmath>

namespace headlight::gl {

float place_on(Curve curve, float value, float low, float high) {
    switch (curve) {
        case Curve::square_root:
            return (std::sqrt(std::max(value, 0.0F)) - std::sqrt(low)) /
                   (std::sqrt(high) - std::sqrt(low));
        case Curve::logarithm:
            return std::log2(std::max(value, low) / low) / std::log2(high / low);
        case Curve::linear:
            break;
    }
    return (value - low) / (high - low);
}

}  // namespace headlight::gl
