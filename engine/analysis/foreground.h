#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/matrix.h"

// The foreground of pictures, by the first principal component of all their patches (Oquab et al.,
// "DINOv2", 2023, figure 1).
namespace headlight {

struct Foreground {
    bool above = true;  // its patches are above the bound; else below
    float bound = 0.5;  // of the first component, scaled to 0..1 over all patches

    [[nodiscard]] bool has(float place) const { return above ? place > bound : place < bound; }

    friend bool operator==(const Foreground&, const Foreground&) = default;
};

// "above:0.6" or "below:0.4"; nothing for any other text, or a number outside 0..1.
std::optional<Foreground> foreground_from_text(std::string_view text);

// The rows of each part [n, C] in the foreground, ascending. None if all patches are equal. Throws
// AnalysisError as principal_components() does.
std::vector<std::vector<Index>> foreground_rows(const Foreground& foreground,
                                                std::span<const Matrix> parts);

}  // namespace headlight
