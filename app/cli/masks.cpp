#include "cli/masks.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cli/input.h"

namespace headlight::cli {

namespace {

using Shape = std::vector<std::int64_t>;

bool blocks(const NamedTensor* mask) {
    return mask != nullptr && (mask->type == "BOOL" || mask->type == "U8");
}

bool adds(const NamedTensor* mask) { return mask != nullptr && is_floating_point(mask->type); }

// −inf is the usual value for a blocked key; NaN or +inf would make the whole row NaN.
void expect_addable(const InputTensor& mask) {
    for (const float number : mask.tensor.values)
        if (std::isnan(number) || number == std::numeric_limits<float>::infinity())
            mask.refuse("finite numbers or -inf, which are added to the scores",
                        std::isnan(number) ? "NaN" : "+inf");
}

// One of the two masks, checked; null if it is missing.
const NamedTensor* find_mask(const Source& source, const std::string& name, const Shape& alike,
                             const Shape& blocking, const Shape& adding) {
    const NamedTensor* found = find(source.input, name);
    if (found == nullptr) return nullptr;
    const InputTensor mask{*found, source.input_path, name};
    if (!blocks(found) && !adds(found))
        mask.refuse("BOOL or U8, which blocks, or floating point numbers, which are added",
                    found->type);
    const Shape& other = blocks(found) ? blocking : adding;
    if (found->shape != alike && found->shape != other)
        mask.refuse(shape_text(alike) + (alike == other ? "" : " or " + shape_text(other)));
    if (adds(found)) expect_addable(mask);
    return found;
}

}  // namespace

std::shared_ptr<const Mask> joined_mask(const Source& source, const AttentionShape& shape) {
    const std::int64_t b = shape.batch, n = shape.queries, m = shape.keys;
    const NamedTensor* mask = find_mask(source, "mask", {n, m}, {b, n, m}, {b * shape.heads, n, m});
    const NamedTensor* padding = find_mask(source, "key_padding_mask", {b, m}, {b, m}, {b, m});
    if (!mask && !padding) return nullptr;

    const bool one_for_all = !padding && (!mask || mask->shape.size() == 2);
    Mask joined{one_for_all ? 1 : b, n, m, {}};
    joined.blocked.resize(static_cast<std::size_t>(joined.samples * n * m));
    // A mask shared by several samples or heads repeats.
    const auto of = [](const NamedTensor& repeated, std::size_t at) {
        return repeated.values[at % repeated.values.size()];
    };
    const auto of_key = [&](std::size_t sample, std::size_t at) {
        const auto keys = static_cast<std::size_t>(m);
        return padding->values[sample * keys + at % keys];
    };
    const auto square = static_cast<std::size_t>(n * m);
    for (std::size_t at = 0; at < joined.blocked.size(); ++at)
        joined.blocked[at] = (blocks(mask) && of(*mask, at) != 0) ||
                             (blocks(padding) && of_key(at / square, at) != 0);
    if (!adds(mask) && !adds(padding)) return std::make_shared<const Mask>(std::move(joined));

    if (adds(mask) && mask->shape.size() == 3) joined.heads = shape.heads;
    const std::size_t sample = square * static_cast<std::size_t>(joined.heads);
    joined.added.resize(sample * static_cast<std::size_t>(joined.samples));
    for (std::size_t at = 0; at < joined.added.size(); ++at)
        joined.added[at] =
            (adds(mask) ? of(*mask, at) : 0.0F) + (adds(padding) ? of_key(at / sample, at) : 0.0F);
    return std::make_shared<const Mask>(std::move(joined));
}

}  // namespace headlight::cli
