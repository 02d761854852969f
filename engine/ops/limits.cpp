#include "ops/limits.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace headlight {

namespace {

std::string gigabytes(double bytes) {
    const auto tenths = std::llround(bytes / (1024.0 * 1024 * 1024) * 10);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

}  // namespace

double trace_bytes(const AttentionShape& shape, Index dim, bool squares) {
    const double b = static_cast<double>(shape.batch), n = static_cast<double>(shape.queries),
                 m = static_cast<double>(shape.keys), h = static_cast<double>(shape.heads),
                 c = static_cast<double>(std::max(shape.channels(), shape.values())),
                 d = static_cast<double>(dim);
    const double tokens =
        b * n * (3 * d + 7 * c);  // patches, positions, tokens; qkv and four outputs
    const double square = b * h * n * m;
    return 4 * (tokens + (squares ? 3 : 1) * square + 3 * c * d + c * c);
}

void refuse_beyond_memory(double bytes, const char* what, const char* remedy) {
    if (bytes <= kMaxTraceBytes) return;
    throw RecipeError(std::string(what) + " would need " + gigabytes(bytes) + "; the limit is " +
                      gigabytes(kMaxTraceBytes) + ". Choose " + remedy + ".");
}

}  // namespace headlight
