#include "patches/patch_order.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <random>
#include <sstream>
#include <string_view>

namespace headlight {

namespace {

constexpr std::size_t kMostPairs = 1000;  // in text form

[[noreturn]] void refuse(const std::string& found) {
    throw OrderError("Expected " + std::string(kOrderForm) + ", found \"" + found.substr(0, 80) +
                     "\".");
}

int number_of(std::string_view word, int least, const std::string& all) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    if (!whole || number < least || number > kMostOfOrder) refuse(all);
    return number;
}

std::pair<int, int> pair_of(std::string_view word, const std::string& all) {
    const std::size_t dash = word.find('-');
    if (dash == std::string_view::npos) refuse(all);
    const std::pair places{number_of(word.substr(0, dash), 0, all),
                           number_of(word.substr(dash + 1), 0, all)};
    if (places.first == places.second) refuse(all);
    return places;
}

// In the order in which they are applied.
constexpr auto kDeeds =
    std::to_array<std::string_view>({"mirrored", "shifted", "seed", "exchanged"});

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// Parses one change; `words` is not empty.
void take(PatchOrder& order, const std::vector<std::string>& words, const std::string& all) {
    const auto number = [&](std::size_t i, int least) { return number_of(words[i], least, all); };
    const std::string& what = words[0];
    if (what == "mirrored" && words.size() == 1) {
        order.mirrored = true;
    } else if (what == "shifted" && words.size() == 3) {
        order.down = number(1, 0);
        order.right = number(2, 0);
    } else if (what == "seed" && (words.size() == 2 || (words.size() == 4 && words[2] == "of"))) {
        order.seed = static_cast<std::uint64_t>(number(1, 1));
        order.few = words.size() == 4 ? number(3, 2) : 0;
    } else if (what == "exchanged" && words.size() > 1 && words.size() <= kMostPairs + 1) {
        for (std::size_t i = 1; i < words.size(); ++i)
            order.exchanged.push_back(pair_of(words[i], all));
    } else {
        refuse(all);
    }
}

// Shuffles all patches, or some patches among themselves.
void shuffle(std::vector<Index>& order, const PatchOrder& how) {
    const auto count = static_cast<Index>(order.size());
    std::vector<Index> chosen = drawn_order(count, how.seed);
    if (how.few > 0 && how.few < count) chosen.resize(static_cast<std::size_t>(how.few));
    std::vector<Index> places = chosen;
    std::ranges::sort(places);
    const std::vector<Index> before = order;
    for (std::size_t i = 0; i < places.size(); ++i)
        order[static_cast<std::size_t>(places[i])] = before[static_cast<std::size_t>(chosen[i])];
}

void exchange(std::vector<Index>& order, const std::vector<std::pair<int, int>>& pairs) {
    for (const auto& [a, b] : pairs) {
        const auto most = static_cast<std::size_t>(std::max(a, b));
        if (most >= order.size())
            throw OrderError("The order exchanges place " + std::to_string(most) +
                             ", but there are only " + std::to_string(order.size()) +
                             " patches, counted from 0.");
        std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
    }
}

}  // namespace

std::vector<Index> drawn_order(Index count, std::uint64_t seed) {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    std::mt19937_64 engine(seed);
    // Fisher–Yates; std::shuffle gives different results with other libraries. The modulo bias is
    // one in 2^64 / count.
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
    return order;
}

std::vector<Index> order_of(const PatchOrder& how, int rows, int cols) {
    std::vector<Index> order(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    std::size_t place = 0;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c, ++place) {
            const int row = (r + rows - how.down % rows) % rows,
                      col = (c + cols - how.right % cols) % cols;
            order[place] = Index{row} * cols + (how.mirrored ? cols - 1 - col : col);
        }
    if (how.seed != 0) shuffle(order, how);
    exchange(order, how.exchanged);
    return order;
}

std::string to_text(const PatchOrder& order) {
    std::string text;
    const auto add = [&](const std::string& what) { text += (text.empty() ? "" : " + ") + what; };
    if (order.mirrored) add("mirrored");
    if (order.down != 0 || order.right != 0)
        add("shifted " + std::to_string(order.down) + " " + std::to_string(order.right));
    if (order.seed != 0)
        add("seed " + std::to_string(order.seed) +
            (order.few > 0 ? " of " + std::to_string(order.few) : ""));
    std::string pairs;
    for (const auto& [a, b] : order.exchanged)
        pairs += " " + std::to_string(a) + "-" + std::to_string(b);
    if (!pairs.empty()) add("exchanged" + pairs);
    return text.empty() ? "none" : text;
}

PatchOrder order_from_text(const std::string& text) {
    PatchOrder order;
    if (text == "none") return order;
    auto next = kDeeds.begin();  // the changes that may still follow
    std::vector<std::string> words;
    const auto take_words = [&] {
        const auto deed = std::find(next, kDeeds.end(), words.empty() ? "" : words[0]);
        if (deed == kDeeds.end()) refuse(text);
        next = std::next(deed);
        take(order, words, text);
        words.clear();
    };
    for (const std::string& word : words_of(text))
        if (word == "+")
            take_words();
        else
            words.push_back(word);
    take_words();
    return order;
}

}  // namespace headlight
