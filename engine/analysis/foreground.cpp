#include "analysis/foreground.h"

#include <algorithm>
#include <limits>

#include "analysis/principal.h"
#include "kernels/read_number.h"

namespace headlight {

std::optional<Foreground> foreground_from_text(std::string_view text) {
    Foreground foreground{text.starts_with("above:")};
    if (!foreground.above && !text.starts_with("below:")) return {};
    const char* const last = text.data() + text.size();
    const auto [end, error] = read_number(text.data() + 6, last, foreground.bound);
    const bool is_valid =
        error == std::errc() && end == last && foreground.bound >= 0 && foreground.bound <= 1;
    return is_valid ? std::optional(foreground) : std::nullopt;
}

std::vector<std::vector<Index>> foreground_rows(const Foreground& foreground,
                                                std::span<const Matrix> parts) {
    const PrincipalComponents first = principal_components(parts, 1);
    std::vector<Matrix> places;
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (const Matrix& part : parts) {
        places.push_back(first.project(MatrixView(part)));
        low = std::min(low, places.back().minCoeff());
        high = std::max(high, places.back().maxCoeff());
    }
    std::vector<std::vector<Index>> rows(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        for (Index r = 0; r < places[i].rows(); ++r)
            if (foreground.has((places[i](r, 0) - low) / (high - low))) rows[i].push_back(r);
    return rows;
}

}  // namespace headlight
