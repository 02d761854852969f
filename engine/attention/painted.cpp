#include "attention/painted.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace headlight {

namespace {

constexpr std::size_t kExtents = 2;  // numbers before the runs: N, M

using Cells = std::vector<std::uint8_t>;

Cells cells_of(const MaskRule& rule) {
    Cells cells(static_cast<std::size_t>(rule.numbers[0]) * rule.numbers[1]);
    for (std::size_t i = kExtents; i + 1 < rule.numbers.size(); i += 2)
        std::fill(cells.begin() + rule.numbers[i], cells.begin() + rule.numbers[i + 1],
                  std::uint8_t{1});
    return cells;
}

MaskRule rule_of(const Cells& cells, Index queries, Index keys) {
    MaskRule rule{MaskKind::blocked, {static_cast<int>(queries), static_cast<int>(keys)}};
    std::uint8_t before = 0;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (std::exchange(before, cells[i]) != cells[i])
            rule.numbers.push_back(static_cast<int>(i));
    if (before != 0) rule.numbers.push_back(static_cast<int>(cells.size()));
    return rule;
}

void fill(Cells& cells, Index keys, const CellBlock& block, bool blocked) {
    for (Index row = block.first_row; row <= block.last_row; ++row)
        std::fill(cells.begin() + row * keys + block.first_col,
                  cells.begin() + row * keys + block.last_col + 1,
                  static_cast<std::uint8_t>(blocked));
}

// ---- text form

std::string range_text(Index first, Index last) {
    return std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
}

// The blocked keys of a row as ranges: "0-12", "20".
std::vector<std::string> ranges_of(const Cells& cells, Index row, Index keys) {
    std::vector<std::string> ranges;
    const std::uint8_t* cell = cells.data() + row * keys;
    for (Index key = 0; key < keys; ++key) {
        if (cell[key] == 0) continue;
        Index last = key;
        while (last + 1 < keys && cell[last + 1] != 0) ++last;
        ranges.push_back(range_text(key, last));
        key = last;
    }
    return ranges;
}

bool cut_number(std::string_view& text, Index& number) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    number = value;
    return true;
}

bool cut_sign(std::string_view& text, char sign) {
    if (!text.starts_with(sign)) return false;
    text.remove_prefix(1);
    return true;
}

// Parses "4" or "4-7" off the front of `text`; values must be below `end`.
bool cut_range(std::string_view& text, Index end, Index& first, Index& last) {
    if (!cut_number(text, first)) return false;
    last = first;
    if (cut_sign(text, '-') && !cut_number(text, last)) return false;
    return first <= last && last < end;
}

bool parse_block(std::string_view text, Index queries, Index keys, CellBlock& block) {
    return cut_range(text, queries, block.first_row, block.last_row) && cut_sign(text, '.') &&
           cut_range(text, keys, block.first_col, block.last_col) && text.empty();
}

bool parse_extents(std::string_view text, Index& queries, Index& keys) {
    return cut_number(text, queries) && cut_sign(text, 'x') && cut_number(text, keys) &&
           text.empty() && queries > 0 && keys > 0 && queries <= kMostPainted / keys;
}

}  // namespace

MaskRules painted(MaskRules rules, Index queries, Index keys, const CellBlock& block,
                  bool blocked) {
    const auto before = std::ranges::find(rules, MaskKind::blocked, &MaskRule::kind);
    Cells cells(static_cast<std::size_t>(queries * keys));
    if (before != rules.end() && before->numbers[0] == queries && before->numbers[1] == keys)
        cells = cells_of(*before);
    std::erase_if(rules, [](const MaskRule& rule) { return rule.kind == MaskKind::blocked; });
    fill(cells, keys, block, blocked);
    MaskRule rule = rule_of(cells, queries, keys);
    if (rule.numbers.size() > kExtents) rules.push_back(std::move(rule));
    std::ranges::sort(rules, {}, &MaskRule::kind);
    return rules;
}

// A cell is blocked if an odd number of run boundaries are at or before it.
bool is_painted(const MaskRule& rule, Index query, Index key) {
    const auto runs = rule.numbers.begin() + kExtents;
    const auto ends = std::upper_bound(runs, rule.numbers.end(), query * rule.numbers[1] + key);
    return (ends - runs) % 2 == 1;
}

Index painted_cells(const MaskRule& rule) {
    Index count = 0;
    for (std::size_t i = kExtents; i + 1 < rule.numbers.size(); i += 2)
        count += rule.numbers[i + 1] - rule.numbers[i];
    return count;
}

// Consecutive rows with the same keys share one entry.
std::string painting_text(const MaskRule& rule) {
    const Index queries = rule.numbers[0], keys = rule.numbers[1];
    std::string text = std::to_string(queries) + "x" + std::to_string(keys);
    const Cells cells = cells_of(rule);
    for (Index row = 0, last = 0; row < queries; row = last + 1) {
        const std::vector<std::string> ranges = ranges_of(cells, row, keys);
        last = row;
        while (last + 1 < queries && ranges_of(cells, last + 1, keys) == ranges) ++last;
        for (const std::string& range : ranges) text += " " + range_text(row, last) + "." + range;
    }
    return text;
}

std::optional<MaskRule> parse_painting(const std::string& text) {
    std::istringstream words(text);
    std::string word;
    Index queries = 0, keys = 0;
    if (!(words >> word) || !parse_extents(word, queries, keys)) return {};
    Cells cells(static_cast<std::size_t>(queries * keys));
    while (words >> word) {
        CellBlock block;
        if (!parse_block(word, queries, keys, block)) return {};
        fill(cells, keys, block, true);
    }
    MaskRule rule = rule_of(cells, queries, keys);
    if (rule.numbers.size() == kExtents) return {};
    return rule;
}

}  // namespace headlight
