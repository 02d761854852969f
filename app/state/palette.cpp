#include "state/palette.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <utility>

#include "kernels/ascii.h"
#include "state/fields.h"
#include "state/keys.h"

namespace headlight {

namespace {

// Scores for one word of a query; summed over the query's words.
constexpr int kWhole = 100, kBeginning = 80, kInside = 45, kTypingError = 30, kInOrder = 20;
// Weights of a match in a title or a name, relative to one in the description.
constexpr int kTitleFactor = 4, kNameFactor = 3;
constexpr int kExactTitle = 2000, kTitleBegins = 500;

bool is_letter(char c) {
    const auto code = static_cast<unsigned char>(c);
    return std::isalnum(code) != 0 || code >= 0x80;  // as part of a letter outside ASCII
}

std::vector<std::string> words_of_text(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : text)
        if (is_letter(c))
            words.back() += ascii_lower(c);
        else if (!words.back().empty())
            words.emplace_back();
    if (words.back().empty()) words.pop_back();
    return words;
}

// Words of a query are separated by spaces, so that "√d", "?" and "ctrl+k" are found.
std::vector<std::string> words_of_query(std::string_view query) {
    std::vector<std::string> words(1);
    for (const char c : query)
        if (c != ' ')
            words.back() += ascii_lower(c);
        else if (!words.back().empty())
            words.emplace_back();
    if (words.back().empty()) words.pop_back();
    return words;
}

// One letter is wrong, missing, superfluous, or two are swapped.
bool differs_by_one(std::string_view a, std::string_view b) {
    if (a.size() > b.size()) std::swap(a, b);
    if (b.size() - a.size() > 1) return false;
    std::size_t i = 0;
    while (i < a.size() && a[i] == b[i]) ++i;
    if (a.size() < b.size()) return a.substr(i) == b.substr(i + 1);
    if (i == a.size()) return false;
    if (a.substr(i + 1) == b.substr(i + 1)) return true;
    return i + 1 < a.size() && a[i] == b[i + 1] && a[i + 1] == b[i] &&
           a.substr(i + 2) == b.substr(i + 2);
}

// Compares with the word, or with its beginning, if no more has been typed yet.
bool is_typing_error(std::string_view typed, std::string_view word) {
    constexpr std::size_t kShortest = 4;  // most three-letter words differ by one letter
    if (typed.size() < kShortest || word.empty() || typed[0] != word[0]) return false;
    for (const std::size_t size : {typed.size() - 1, typed.size(), typed.size() + 1})
        if (size <= word.size() && differs_by_one(typed, word.substr(0, size))) return true;
    return false;
}

// "tmp" in "temperature": from the start of a word, in this order.
bool is_in_order(std::string_view typed, std::string_view text) {
    constexpr std::size_t kShortest = 3;
    if (typed.size() < kShortest) return false;
    const auto begins = [&](std::size_t i) { return i == 0 || !is_letter(text[i - 1]); };
    for (std::size_t start = 0; start < text.size(); ++start) {
        if (text[start] != typed[0] || !begins(start)) continue;
        std::size_t next = 1;
        for (std::size_t i = start + 1; i < text.size() && next < typed.size(); ++i)
            if (text[i] == typed[next]) ++next;
        if (next == typed.size()) return true;
    }
    return false;
}

int score_in(std::string_view typed, std::string_view text, bool in_order) {
    int best = 0;
    for (const std::string& word : words_of_text(text)) {
        if (word == typed)
            best = std::max(best, kWhole);
        else if (word.starts_with(typed))
            best = std::max(best, kBeginning);
        else if (typed.size() > 1 && word.find(typed) != std::string::npos)
            best = std::max(best, kInside);
        else if (is_typing_error(typed, word))
            best = std::max(best, kTypingError);
    }
    const std::string all = in_lower_case(text);
    const bool long_enough = typed.size() > 1 || !is_letter(typed[0]);  // "%" alone is
    if (best == 0 && long_enough && all.find(typed) != std::string::npos) best = kInside;
    if (best == 0 && in_order && is_in_order(typed, all)) best = kInOrder;
    return best;
}

// "Ctrl+Y or Ctrl+Shift+Z" matches either.
bool is_key(std::string_view typed, const std::string& key) {
    const std::string all = in_lower_case(key);
    return !all.empty() && (all == typed || all.starts_with(std::string(typed) + " or ") ||
                            all.ends_with(" or " + std::string(typed)));
}

std::string title_of(std::string_view name) {
    std::string title(name);
    std::ranges::replace(title, '-', ' ');
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return title;
}

bool is_for_scripts(CommandOf of) { return of == CommandOf::hands || of == CommandOf::pictures; }

// How well the entry matches; 0: it does not.
int palette_score(const PaletteEntry& entry, std::string_view query) {
    const std::vector<std::string> typed = words_of_query(query);
    int sum = 0;
    for (const std::string& word : typed) {
        const int best = std::max({kTitleFactor * score_in(word, entry.title, true),
                                   kNameFactor * score_in(word, entry.name, true),
                                   is_key(word, entry.key) ? kTitleFactor * kWhole : 0,
                                   score_in(word, entry.words, false)});
        if (best == 0) return 0;
        sum += best;
    }
    std::string whole;
    for (const std::string& word : typed) whole += (whole.empty() ? "" : " ") + word;
    const std::string title = in_lower_case(entry.title);
    if (whole.empty()) return 1;
    if (whole == title || whole == in_lower_case(entry.name))
        sum += kExactTitle;
    else if (title.starts_with(whole))
        sum += kTitleBegins;
    return sum;
}

}  // namespace

std::vector<PaletteEntry> palette_commands(const CommandTable& table, ScreenId screen) {
    std::vector<PaletteEntry> entries;
    std::set<std::string> with_key;
    const auto key_on_screen = [&](const KeyBinding& key) {
        return is_taken(screen, key) ? std::string() : key.keys;
    };
    for (const KeyBinding& key : all_keys()) {
        const Command command = parse_command(key.command);
        const CommandTable::Row* row = table.find(command.verb);
        const bool numbered = key.command.ends_with(" N");  // "1…9": listed with its command
        if (command.verb.empty() || row == nullptr || numbered) continue;
        if (!with_key.insert(key.command).second) continue;
        // For a command with its value, the key's description is enough.
        const std::string words(command.args.empty() ? row->info->words : "");
        entries.push_back({PaletteEntry::Kind::command, key.command, key.what, words,
                           key_on_screen(key), command});
    }
    std::set<std::string_view> listed;
    for (const CommandTable::Row& row : table.rows()) {
        const CommandInfo& info = *row.info;
        const bool has_key = info.usage.empty() && with_key.contains(std::string(info.name));
        if (is_for_scripts(row.of) || has_key || !listed.insert(info.name).second) continue;
        PaletteEntry entry{PaletteEntry::Kind::command,
                           std::string(info.name),
                           title_of(info.name),
                           std::string(info.words),
                           "",
                           command(std::string(info.name)),
                           std::string(info.usage)};
        const auto keys = all_keys();
        const auto numbered = std::ranges::find(keys, entry.name + " N", &KeyBinding::command);
        if (numbered != keys.end()) entry.key = key_on_screen(*numbered);
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<PaletteEntry> palette_fields() {
    std::vector<PaletteEntry> entries;
    for (const Field& field : all_fields())
        entries.push_back({PaletteEntry::Kind::field, std::string(field.name),
                           std::string(field.label), std::string(field.help), "",
                           command("set", std::string(field.name)), "VALUE"});
    return entries;
}

std::vector<std::size_t> palette_matches(const std::vector<PaletteEntry>& entries,
                                         std::string_view query) {
    std::vector<int> scores;
    for (const PaletteEntry& entry : entries) scores.push_back(palette_score(entry, query));
    std::vector<std::size_t> found(entries.size());
    std::iota(found.begin(), found.end(), 0);
    std::erase_if(found, [&](std::size_t i) { return scores[i] == 0; });
    // At equal scores, a shorter title is the better match.
    if (!words_of_query(query).empty())
        std::ranges::stable_sort(found, [&](std::size_t a, std::size_t b) {
            if (scores[a] != scores[b]) return scores[a] > scores[b];
            return entries[a].title.size() < entries[b].title.size();
        });
    return found;
}

std::vector<std::string> palette_arguments(std::string_view usage) {
    std::string first(usage.substr(0, usage.find(' ')));
    std::erase_if(first, [](char c) { return c == '[' || c == ']' || c == '.'; });
    std::vector<std::string> values;
    for (std::size_t begin = 0; begin <= first.size();) {
        const std::size_t end = std::min(first.find('|', begin), first.size());
        const std::string value = first.substr(begin, end - begin);
        if (value == "FIELD")
            for (const Field& field : all_fields()) values.emplace_back(field.name);
        else if (!value.empty() && std::islower(static_cast<unsigned char>(value[0])) != 0)
            values.push_back(value);
        begin = end + 1;
    }
    return values;
}

bool all_optional(std::string_view usage) { return usage.empty() || usage.starts_with('['); }

}  // namespace headlight
