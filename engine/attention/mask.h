#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/matrix.h"

// Who may not read whom: what becomes of the scores before softmax.
namespace headlight {

// Numbers are added to the scores, then those of keys that a query may not read become −inf. For
// one sample, which stands for all, or for B of them.
struct Mask {
    Index samples = 0, queries = 0, keys = 0;
    std::vector<std::uint8_t> blocked;  // [samples, N, M], true blocks
    Index heads = 1;                    // of `added`: one for all heads, or H
    std::vector<float> added{};  // [samples·heads, N, M], or empty: nothing; −inf blocks as well

    [[nodiscard]] const std::uint8_t* row(Index sample, Index query) const {
        return blocked.data() + ((samples == 1 ? 0 : sample) * queries + query) * keys;
    }
    // Null where nothing is added.
    [[nodiscard]] const float* added_row(Index sample, Index head, Index query) const {
        if (added.empty()) return nullptr;
        const Index above = (samples == 1 ? 0 : sample) * heads + (heads == 1 ? 0 : head);
        return added.data() + (above * queries + query) * keys;
    }
    [[nodiscard]] Mask of(Index sample, Index head) const;  // what concerns this head alone
};

// Masks that a rule makes for any number of tokens.
enum class MaskKind { none, causal, no_self };

// One row of the table in mask.cpp, in the order of the enumerators. A new kind is an enumerator
// and a row: field, `--attention`, sessions, the step and its words read them.
struct MaskInfo {
    MaskKind id;
    std::string_view name;      // stable: "causal"
    std::string_view label;     // for people: "causal"
    std::string_view sentence;  // who may not read whom
    std::string_view pytorch;   // the boolean mask, true blocks
    bool (*blocks)(Index query, Index key);
};
const std::vector<MaskInfo>& all_masks();
const MaskInfo& info(MaskKind kind);

// The mask of a rule; with `given` both together. Null where neither blocks or adds anything.
std::shared_ptr<const Mask> make_mask(MaskKind kind, std::shared_ptr<const Mask> given,
                                      Index queries, Index keys);

}  // namespace headlight
