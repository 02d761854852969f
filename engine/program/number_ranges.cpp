#include "program/number_ranges.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

#include "program/values.h"

namespace headlight {

namespace {

constexpr int kMost = 100'000;  // more than any model has

// Removes a number from the front of the text; -1: there is none.
int take_number(std::string_view& text) {
    int number = 0;
    const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0 || number > kMost) return -1;
    text.remove_prefix(static_cast<std::size_t>(next - text.data()));
    return number;
}

bool take(std::string_view& text, char sign) {
    if (!text.starts_with(sign)) return false;
    text.remove_prefix(1);
    return true;
}

using Ranges = std::vector<std::pair<int, int>>;  // both ends included

// Parses a list of numbers from 0 on; nothing if the text is no such list.
std::optional<Ranges> parse_ranges(std::string_view text) {
    Ranges ranges;
    bool more = true;
    while (more) {
        const int first = take_number(text), last = take(text, '-') ? take_number(text) : first;
        if (first < 0 || last < first) return std::nullopt;
        ranges.emplace_back(first, last);
        more = take(text, ',');
    }
    return text.empty() ? std::optional(ranges) : std::nullopt;
}

// The same list, counted from 1.
std::string counted_from_one(const Ranges& ranges) {
    std::string text;
    for (const auto& [first, last] : ranges) {
        text += (text.empty() ? "" : ",") + std::to_string(first + 1);
        if (last > first) text += '-' + std::to_string(last + 1);
    }
    return text;
}

}  // namespace

NumberRanges::NumberRanges(std::string option, const std::string& text)
    : option_(std::move(option)) {
    if (text == "all") return;
    const std::optional<Ranges> ranges = parse_ranges(text);
    if (!ranges)
        throw ValueError(option_ + ": expected all, or numbers from 1 such as 1,4-6, found \"" +
                         text + "\".");
    if (std::ranges::any_of(*ranges, [](const auto& range) { return range.first == 0; }))
        throw ValueError(option_ + ": expected numbers that count from 1, found \"" + text +
                         "\". Write " + option_ + ' ' + counted_from_one(*ranges) +
                         " if you counted from 0.");
    ranges_ = *ranges;
    expect_each_once();
}

void NumberRanges::expect_each_once() const {
    std::vector<std::pair<int, int>> ordered = ranges_;
    std::ranges::sort(ordered);
    for (std::size_t i = 1; i < ordered.size(); ++i)
        if (ordered[i].first <= ordered[i - 1].second)
            throw ValueError(option_ + ": expected each number once, found " +
                             std::to_string(ordered[i].first) + " twice.");
}

std::vector<int> NumberRanges::of(int count, const std::string& what) const {
    std::vector<int> numbers;
    if (ranges_.empty()) {
        numbers.resize(static_cast<std::size_t>(count));
        std::iota(numbers.begin(), numbers.end(), 0);
    }
    for (const auto& [first, last] : ranges_) {
        if (last > count)
            throw ValueError(option_ + ": expected " + what + " from 1 to " +
                             std::to_string(count) + ", found " + std::to_string(last) + ".");
        for (int n = first; n <= last; ++n) numbers.push_back(n - 1);
    }
    return numbers;
}

}  // namespace headlight
