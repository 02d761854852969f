#include "attention/mask.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

#include "attention/error.h"
#include "attention/painted.h"
#include "kernels/counted.h"
#include "kernels/names.h"

namespace headlight {

namespace {

constexpr int kManyKeys = 10'000;

bool is_far(const MaskRule& rule, const TokenGrid& places, Index query, Index key) {
    if (!places.is_patch(query) || !places.is_patch(key)) return false;
    const Index down = std::abs(places.row(query) - places.row(key)),
                across = std::abs(places.col(query) - places.col(key));
    return std::max(down, across) > rule.numbers.front();
}

std::string numbers_of(const MaskRule& rule) {
    if (rule.kind == MaskKind::blocked) {
        const Index cells = painted_cells(rule);
        return std::to_string(cells) + (cells == 1 ? " cell" : " cells");
    }
    std::string text;
    for (const int number : rule.numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

std::string filled_in(std::string_view text, const MaskRule& rule) {
    const std::size_t at = text.find('#');
    if (at == std::string_view::npos) return std::string(text);
    return std::string(text.substr(0, at)) + numbers_of(rule) + std::string(text.substr(at + 1));
}

std::string extents_of(Index queries, Index keys) {
    return counted(queries, "query") + " and " + counted(keys, "key");
}

void check(const MaskRules& rules, const TokenGrid& places, Index queries, Index keys) {
    for (const MaskRule& rule : rules) {
        const std::string name(info(rule.kind).name);
        const bool fits = places.are_known() && places.count() == queries && queries == keys;
        if (info(rule.kind).needs_grid && !fits)
            throw AttentionError(
                "The mask " + name +
                " needs tokens in a grid of patches, but these tokens have no known grid.");
        if (rule.kind == MaskKind::keys && rule.numbers.back() >= keys)
            throw AttentionError(
                "The mask " + name + " blocks key " + std::to_string(rule.numbers.back()) +
                ", but there are only keys 0 to " + std::to_string(keys - 1) + ".");
        if (rule.kind == MaskKind::blocked &&
            (rule.numbers[0] != queries || rule.numbers[1] != keys))
            throw AttentionError("The painted mask is for " +
                                 extents_of(rule.numbers[0], rule.numbers[1]) + ", but there are " +
                                 extents_of(queries, keys) + ".");
    }
}

}  // namespace

std::span<const MaskInfo> all_masks() {
    static constexpr auto table = std::to_array<MaskInfo>({
        {.id = MaskKind::causal,
         .name = "causal",
         .label = "causal",
         .sentence = "No token may attend to a later one, as when a text is written word by word.",
         .pytorch = "torch.ones(N, M, dtype=bool).triu(1)",
         .blocks = [](const MaskRule&, const TokenGrid&, Index query,
                      Index key) { return key > query; },
         .needs_grid = false,
         .needs_square = true},
        {.id = MaskKind::no_self,
         .name = "no_self",
         .label = "not itself",
         .sentence =
             "No token may attend to itself, so each gets information only from the others.",
         .pytorch = "torch.eye(N, M, dtype=bool)",
         .blocks = [](const MaskRule&, const TokenGrid&, Index query,
                      Index key) { return key == query; },
         .needs_grid = false,
         .needs_square = true},
        {.id = MaskKind::local,
         .name = "local",
         .label = "local, radius",
         .sentence =
             "A patch attends to patches at most # rows and columns away. Tokens that belong "
             "to no patch are not masked.",
         .pytorch =
             "F.pad(torch.cdist(rows_cols, rows_cols, math.inf) > #, (prefix, 0, prefix, 0))",
         .blocks = is_far,
         .fewest = 1,
         .most = 1,
         .numbers = "RADIUS",
         .needs_grid = true,
         .needs_square = true},
        {.id = MaskKind::keys,
         .name = "keys",
         .label = "masked keys",
         .sentence = "No token may attend to the tokens #, counted from 0, such as those that pad "
                     "a sequence.",
         .pytorch = "torch.isin(torch.arange(M), torch.tensor([#]))",
         .blocks = [](const MaskRule& rule, const TokenGrid&, Index,
                      Index key) { return std::ranges::binary_search(rule.numbers, key); },
         .fewest = 1,
         .most = kManyKeys,
         .numbers = "KEY ...",
         .needs_grid = false,
         .needs_square = false},
        {.id = MaskKind::blocked,
         .name = "blocked",
         .label = "painted,",
         .sentence = "Painted by hand: # whose query (row) must not attend to the key (column).",
         .pytorch = "painted",
         .blocks = [](const MaskRule& rule, const TokenGrid&, Index query,
                      Index key) { return is_painted(rule, query, key); },
         .fewest = 4,
         .most = static_cast<int>(kMostPainted),
         .numbers = "NxM ROWS.KEYS ...",
         .needs_grid = false,
         .needs_square = false},
    });
    static_assert(rows_fit(table, &MaskInfo::id, &MaskInfo::name, &MaskInfo::label,
                           &MaskInfo::sentence, &MaskInfo::pytorch, &MaskInfo::blocks));
    return table;
}

const MaskInfo& info(MaskKind kind) { return all_masks()[static_cast<std::size_t>(kind)]; }

std::string label_of(const MaskRules& rules) {
    std::string text;
    for (const MaskRule& rule : rules) {
        text += (text.empty() ? "" : " + ") + std::string(info(rule.kind).label);
        if (!rule.numbers.empty()) text += " " + numbers_of(rule);
    }
    return text;
}

std::string sentences_of(const MaskRules& rules) {
    std::string text;
    for (const MaskRule& rule : rules)
        text += (text.empty() ? "" : " ") + filled_in(info(rule.kind).sentence, rule);
    return text;
}

std::string pytorch_of(const MaskRules& rules) {
    std::string text;
    for (const MaskRule& rule : rules)
        text += (text.empty() ? "" : " | ") + filled_in(info(rule.kind).pytorch, rule);
    return text;
}

bool Mask::blocks(Index sample, Index query, Index key) const {
    const std::uint8_t* cells = row(sample, query);
    return (cells != nullptr && cells[key] != 0) ||
           (windows && windows->blocks && !windows->windows.share(query, key));
}

namespace {

// Adds the relative bias and kApart to the scores in the query's window; if the mask blocks, sets
// all other scores to −∞.
void apply_windows(const WindowMask& mask, Index head, Index query, Index keys, float* scores) {
    std::vector<std::pair<Index, float>> window;
    const MatrixView bias = mask.bias ? mask.bias->view() : MatrixView{};
    mask.windows.for_each_of(query, [&](Index key, Index offset, bool apart) {
        float score = scores[key];
        if (!bias.empty()) score += bias(offset, mask.first_head + head);
        if (mask.blocks && apart) score += Windows::kApart;
        window.emplace_back(key, score);
    });
    if (mask.blocks) std::fill_n(scores, keys, -std::numeric_limits<float>::infinity());
    for (const auto& [key, score] : window) scores[key] = score;
}

}  // namespace

void Mask::apply(Index sample, Index head, Index query, float* scores) const {
    if (windows) apply_windows(*windows, head, query, keys, scores);
    if (const float* numbers = added_row(sample, head, query))
        for (Index m = 0; m < keys; ++m) scores[m] += numbers[m];
    if (const std::uint8_t* cells = row(sample, query))
        for (Index m = 0; m < keys; ++m)
            if (cells[m] != 0) scores[m] = -std::numeric_limits<float>::infinity();
}

void Mask::apply_to_key(Index sample, Index head, Index key, float* scores) const {
    for (Index n = 0; n < queries; ++n) {
        if (const float* numbers = added_row(sample, head, n)) scores[n] += numbers[key];
        if (const std::uint8_t* cells = row(sample, n); cells != nullptr && cells[key] != 0)
            scores[n] = -std::numeric_limits<float>::infinity();
    }
}

Mask Mask::of(Index sample, Index head) const {
    const Index cells = queries * keys;
    Mask one{1, queries, keys, {}};
    if (const std::uint8_t* first = row(sample, 0)) one.blocked.assign(first, first + cells);
    if (const float* number = added_row(sample, head, 0)) one.added.assign(number, number + cells);
    one.windows = windows;
    if (one.windows) one.windows->first_head += head;
    return one;
}

std::shared_ptr<const Mask> with_windows(const std::shared_ptr<const Mask>& mask,
                                         WindowMask windows, Index tokens) {
    Mask both = mask ? *mask : Mask{1, tokens, tokens, {}};
    both.windows = std::move(windows);
    return std::make_shared<const Mask>(std::move(both));
}

std::shared_ptr<const Mask> with_added(const std::shared_ptr<const Mask>& mask,
                                       const MatrixView& added, Index heads) {
    Mask sum = mask ? *mask : Mask{1, added.rows / heads, added.cols, {}};
    const auto cells = static_cast<std::size_t>(sum.queries * sum.keys);
    std::vector<float> both;
    both.reserve(static_cast<std::size_t>(sum.samples * heads) * cells);
    for (Index sample = 0; sample < sum.samples; ++sample)
        for (Index row = 0; row < added.rows; ++row) {
            const float* before = sum.added_row(sample, row / sum.queries, row % sum.queries);
            for (Index key = 0; key < sum.keys; ++key)
                both.push_back(added(row, key) + (before == nullptr ? 0 : before[key]));
        }
    sum.heads = heads;
    sum.added = std::move(both);
    return std::make_shared<const Mask>(std::move(sum));
}

bool blocks(const MaskRules& rules, const TokenGrid& places, Index query, Index key) {
    return std::ranges::any_of(rules, [&](const MaskRule& rule) {
        return info(rule.kind).blocks(rule, places, query, key);
    });
}

std::shared_ptr<const Mask> make_mask(const MaskRules& rules, std::shared_ptr<const Mask> given,
                                      const TokenGrid& places, Index queries, Index keys) {
    if (rules.empty()) return given;
    check(rules, places, queries, keys);
    const auto cells = static_cast<std::size_t>(queries * keys);
    Mask mask = given ? *given : Mask{1, queries, keys, std::vector<std::uint8_t>(cells)};
    for (Index row = 0; row < mask.samples * queries; ++row)
        for (Index key = 0; key < keys; ++key)
            if (blocks(rules, places, row % queries, key))
                mask.blocked[static_cast<std::size_t>(row * keys + key)] = 1;
    return std::make_shared<const Mask>(std::move(mask));
}

}  // namespace headlight
