#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attention/window.h"
#include "kernels/matrix.h"
#include "kernels/result.h"
#include "patches/token_grid.h"

// Who may not read whom: what becomes of the scores before softmax.
namespace headlight {

// What windows do to scores, by a rule: as large as the attention, it is not kept. First the bias
// of the offset is added, then kApart to what is apart, and what lies in another window is blocked.
struct WindowMask {
    Windows windows;
    bool blocks = true;    // false: the bias alone
    SharedResult bias{};   // [offsets, H]; null: none
    Index first_head = 0;  // a column of the bias
};

// Numbers are added to the scores, then those of keys that a query may not read become −inf. For
// one sample, which stands for all, or for B of them.
struct Mask {
    Index samples = 0, queries = 0, keys = 0;
    std::vector<std::uint8_t> blocked;  // [samples, N, M], true blocks; or empty: nothing
    Index heads = 1;                    // of `added`: one for all heads, or H
    std::vector<float> added{};  // [samples·heads, N, M], or empty: nothing; −inf blocks as well
    std::optional<WindowMask> windows{};  // beside both

    // Null where nothing is blocked but by windows.
    [[nodiscard]] const std::uint8_t* row(Index sample, Index query) const {
        if (blocked.empty()) return nullptr;
        return blocked.data() + ((samples == 1 ? 0 : sample) * queries + query) * keys;
    }
    [[nodiscard]] bool blocks(Index sample, Index query, Index key) const;
    // What becomes of one query's scores, [M].
    void apply(Index sample, Index head, Index query, float* scores) const;
    // What becomes of one key's scores, [N]; of a mask without windows.
    void apply_to_key(Index sample, Index head, Index key, float* scores) const;
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

// The mask with windows beside what it is; `mask` may be null.
std::shared_ptr<const Mask> with_windows(const std::shared_ptr<const Mask>& mask,
                                         WindowMask windows, Index tokens);

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
    // How many numbers the rule takes, what they are, and the least that one of them can be.
    int fewest = 0, most = 0;
    std::string_view numbers = "";
    int least = 0;
    bool needs_grid;
    bool needs_square;  // it compares a token's place with another's of the same tokens
};
std::span<const MaskInfo> all_masks();
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
