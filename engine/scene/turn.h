#pragma once

#include <cmath>

namespace headlight {

struct SineAndCosine {
    double cos = 1;
    double sin = 0;
};

// Cosine and sine of an angle in degrees. The standard library's may differ in the last bit between
// machines. These use only sums and products, so that a scene has the same pixels everywhere.
inline SineAndCosine turn(double degrees) {
    const double quarters = std::floor(degrees / 90 + 0.5);
    const double x = (degrees - 90 * quarters) * 0.017453292519943295, xx = x * x;  // |x| ≤ π/4
    // Taylor series to double precision.
    double sin = 0, cos = 0;
    for (int n = 17; n >= 3; n -= 2) sin = (1 + sin) * -xx / (n * (n - 1));
    for (int n = 16; n >= 2; n -= 2) cos = (1 + cos) * -xx / (n * (n - 1));
    sin = x * (1 + sin);
    cos = 1 + cos;
    switch (static_cast<int>(quarters - 4 * std::floor(quarters / 4))) {
        case 0:
            return {cos, sin};
        case 1:
            return {-sin, cos};
        case 2:
            return {-cos, -sin};
        default:
            return {sin, -cos};
    }
}

}  // namespace headlight
