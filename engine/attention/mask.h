#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/matrix.h"
#include "patches/token_grid.h"

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

// The mask with these numbers added to the scores as well, [heads·N, M] for every sample; `mask`
// may be null.
std::shared_ptr<const Mask> with_added(const std::shared_ptr<const Mask>& mask,
                                       const MatrixView& added, Index heads);

// Masks that a rule makes for any number of tokens.
enum class MaskKind { causal, no_self, local, keys, blocked };

struct MaskRule {
    MaskKind kind = MaskKind::causal;
    // That its kind asks for: of local the radius, of keys the keys, of blocked what is painted
    // (painted.h).
    std::vector<int> numbers{};

    friend bool operator==(const MaskRule&, const MaskRule&) = default;
};
// All of them apply, each kind once, in the order of the kinds; none: every token may read every
// token.
using MaskRules = std::vector<MaskRule>;

// One row of the table in mask.cpp, in the order of the enumerators. A new kind is an enumerator
// and a row: field, `--attention`, sessions, the step and its words read them.
struct MaskInfo {
    MaskKind id;
    std::string_view name;   // stable: "causal"
    std::string_view label;  // for people: "causal"
    // Who may not read whom, and the boolean mask, true blocks. "#" stands for the rule's numbers.
    std::string_view sentence, pytorch;
    bool (*blocks)(const MaskRule&, const TokenGrid&, Index query, Index key);
    // How many numbers the rule takes, what they are, and what can be asked for without knowing the
    // tokens: none is less than 0.
    int fewest = 0, most = 0;
    std::string_view numbers = "";
    bool needs_grid = false;
    bool needs_square = false;  // it compares a token's place with another's of the same tokens
};
const std::vector<MaskInfo>& all_masks();
const MaskInfo& info(MaskKind kind);

// The rules in words, and as PyTorch has them joined; "#" is filled in.
std::string label_of(const MaskRules& rules);
std::string sentences_of(const MaskRules& rules);
std::string pytorch_of(const MaskRules& rules);

// Whether any of the rules keeps the query from reading the key.
bool blocks(const MaskRules& rules, const TokenGrid& places, Index query, Index key);

// The mask of the rules; with `given` both together. Null where neither blocks or adds anything.
// Throws AttentionError for a rule that needs the tokens in a grid where they are in none, for a
// key that there is not, and for a painting of other numbers of queries and keys.
std::shared_ptr<const Mask> make_mask(const MaskRules& rules, std::shared_ptr<const Mask> given,
                                      const TokenGrid& places, Index queries, Index keys);

}  // namespace headlight
