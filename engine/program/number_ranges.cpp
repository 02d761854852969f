#include "program/number_ranges.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "program/values.h"

namespace headlight {

namespace {

constexpr int kMost = 100'000;  // no model has so many of anything

// A number at the front of the text, which is taken off; 0: there is none.
int take_number(std::string_view& text) {
    int number = 0;
    const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 1 || number > kMost) return 0;
    text.remove_prefix(static_cast<std::size_t>(next - text.data()));
    return number;
}

bool take(std::string_view& text, char sign) {
    if (!text.starts_with(sign)) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

NumberRanges::NumberRanges(std::string option, const std::string& text)
    : option_(std::move(option)) {
    if (text == "all") return;
    std::string_view rest = text;
    bool more = true, good = true;
    while (more && good) {
        const int first = take_number(rest), last = take(rest, '-') ? take_number(rest) : first;
        good = first > 0 && last >= first;
        ranges_.emplace_back(first, last);
        more = take(rest, ',');
    }
    if (!good || !rest.empty())
        throw ValueError(option_ + ": expected all, or numbers from 1 on such as 1,4-6, found \"" +
                         text + "\".");
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
