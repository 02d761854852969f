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
#include "kernels/names.h"
#include "kernels/result.h"
#include "patches/token_grid.h"

// Masks: which keys each query may attend to, and what is added to the scores before softmax.
namespace headlight {

// The effect of windows on the scores, stored as a rule because a matrix would be as large as the
// attention. It first adds the relative bias of the offset, then adds kApart for pairs of different
// regions, and blocks keys of other windows.
struct WindowMask {
    Windows windows;
    bool blocks = true;    // false: only the bias
    SharedResult bias{};   // [offsets, H]; null: none
    Index first_head = 0;  // column of `bias` for head 0
};

// Adds numbers to the scores, then sets the scores of blocked keys to −inf. For one sample, which
// stands for all, or for B samples.
struct Mask {
    Index samples = 0, queries = 0, keys = 0;
    std::vector<std::uint8_t> blocked;  // [samples, N, M], true blocks; empty: blocks nothing
    Index heads = 1;                    // of `added`: 1 for all heads, or H
    std::vector<float> added{};  // [samples·heads, N, M]; empty: adds nothing; −inf blocks as well
    std::optional<WindowMask> windows{};  // apply in addition to both

    // Row of `blocked`; null if only windows block.
    [[nodiscard]] const std::uint8_t* row(Index sample, Index query) const {
        if (blocked.empty()) return nullptr;
        return blocked.data() + ((samples == 1 ? 0 : sample) * queries + query) * keys;
    }
    [[nodiscard]] bool blocks(Index sample, Index query, Index key) const;
    // Applies the mask to the scores of one query, [M].
    void apply(Index sample, Index head, Index query, float* scores) const;
    // Applies the mask to the scores of one key, [N]; only for masks without windows.
    void apply_to_key(Index sample, Index head, Index key, float* scores) const;
    // Null if nothing is added.
    [[nodiscard]] const float* added_row(Index sample, Index head, Index query) const {
        if (added.empty()) return nullptr;
        const Index above = (samples == 1 ? 0 : sample) * heads + (heads == 1 ? 0 : head);
        return added.data() + (above * queries + query) * keys;
    }
    [[nodiscard]] Mask of(Index sample, Index head) const;  // the part that concerns one head
};

// A copy of the mask that also adds these numbers, [heads·N, M], to the scores of every sample.
// `mask` may be null.
std::shared_ptr<const Mask> with_added(const std::shared_ptr<const Mask>& mask,
                                       const MatrixView& added, Index heads);

// A copy of the mask that also applies the windows; `mask` may be null.
std::shared_ptr<const Mask> with_windows(const std::shared_ptr<const Mask>& mask,
                                         WindowMask windows, Index tokens);

// Kinds of rules that define a mask for any number of tokens.
enum class MaskKind { causal, no_self, local, keys, blocked };

struct MaskRule {
    MaskKind kind = MaskKind::causal;
    // Arguments of the rule. local: the radius; keys: the hidden keys; blocked: a painting
    // (painted.h).
    std::vector<int> numbers{};

    friend bool operator==(const MaskRule&, const MaskRule&) = default;
};
// All rules apply. Each kind occurs at most once, in the order of the kinds. Empty: every token may
// attend to every token.
using MaskRules = std::vector<MaskRule>;

// One row of the table in mask.cpp, in the order of the enumerators. To add a kind, add an
// enumerator and a row; the field, `--attention`, sessions, the step and its texts read them.
struct MaskInfo {
    MaskKind id;
    std::string_view name;   // stable: "causal"
    std::string_view label;  // for people: "causal"
    // The rule as a sentence, and the PyTorch expression of its boolean mask (true blocks). "#"
    // stands for the rule's numbers.
    std::string_view sentence, pytorch;
    bool (*blocks)(const MaskRule&, const TokenGrid&, Index query, Index key);
    // How many numbers the rule takes, what they mean, and the smallest allowed value.
    int fewest = 0, most = 0;
    std::string_view numbers = "";
    int least = 0;
    Required<bool> needs_grid;
    Required<bool> needs_square;  // needs N = M: it compares positions of the same tokens
};
std::span<const MaskInfo> all_masks();
const MaskInfo& info(MaskKind kind);

// The rules as texts, and the PyTorch expression of the combined mask; "#" is filled in.
std::string label_of(const MaskRules& rules);
std::string sentences_of(const MaskRules& rules);
std::string pytorch_of(const MaskRules& rules);

// True if any rule blocks the key for this query.
bool blocks(const MaskRules& rules, const TokenGrid& places, Index query, Index key);

// The combined mask of the rules and of `given`. Null if it neither blocks nor adds anything.
// Throws AttentionError for a rule that needs a grid if the tokens have none, for a key that does
// not exist, and for a painting for other numbers of queries and keys.
std::shared_ptr<const Mask> make_mask(const MaskRules& rules, std::shared_ptr<const Mask> given,
                                      const TokenGrid& places, Index queries, Index keys);

}  // namespace headlight
