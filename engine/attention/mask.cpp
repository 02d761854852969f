#include "attention/mask.h"

#include <utility>

namespace headlight {

const std::vector<MaskInfo>& all_masks() {
    static const std::vector<MaskInfo> table{
        {MaskKind::none, "none", "none", "Every token may read every token.", "",
         [](Index, Index) { return false; }},
        {MaskKind::causal, "causal", "causal",
         "No token may read one that comes after it, as where a text is written word by word.",
         "torch.ones(N, N, dtype=bool).triu(1)",
         [](Index query, Index key) { return key > query; }},
        {MaskKind::no_self, "no_self", "not itself",
         "No token may read itself: what it is told comes from the others alone.",
         "torch.eye(N, dtype=bool)", [](Index query, Index key) { return key == query; }},
    };
    return table;
}

const MaskInfo& info(MaskKind kind) { return all_masks()[static_cast<std::size_t>(kind)]; }

Mask Mask::of(Index sample, Index head) const {
    const Index cells = queries * keys;
    const std::uint8_t* first = row(sample, 0);
    Mask one{1, queries, keys, {first, first + cells}};
    if (const float* number = added_row(sample, head, 0)) one.added.assign(number, number + cells);
    return one;
}

std::shared_ptr<const Mask> make_mask(MaskKind kind, std::shared_ptr<const Mask> given,
                                      Index queries, Index keys) {
    if (kind == MaskKind::none) return given;
    const auto cells = static_cast<std::size_t>(queries * keys);
    Mask mask = given ? *given : Mask{1, queries, keys, std::vector<std::uint8_t>(cells)};
    const auto blocks = info(kind).blocks;
    for (Index row = 0; row < mask.samples * queries; ++row)
        for (Index key = 0; key < keys; ++key)
            if (blocks(row % queries, key))
                mask.blocked[static_cast<std::size_t>(row * keys + key)] = 1;
    return std::make_shared<const Mask>(std::move(mask));
}

}  // namespace headlight
