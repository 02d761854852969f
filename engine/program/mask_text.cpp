#include "program/mask_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>

#include "attention/painted.h"
#include "program/values.h"

namespace headlight {

namespace {

constexpr std::string_view kNone = "none";

std::string known_rules() {
    std::string text(kNone);
    for (const MaskInfo& mask : all_masks()) {
        text += std::string(&mask == &all_masks().back() ? " or " : ", ") + std::string(mask.name);
        if (mask.most > 0) text += " " + std::string(mask.numbers);
    }
    return text + ", several joined by +";
}

std::optional<int> number_of(const std::string& word) {
    int value = 0;
    const char* end = word.data() + word.size();
    const auto [stopped, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stopped != end || value < 0) return {};
    return value;
}

// Nothing if the text is no rule.
std::optional<MaskRule> parse_rule(const std::string& text) {
    std::istringstream words(text);
    std::string name;
    words >> name;
    const auto found = std::ranges::find(all_masks(), name, &MaskInfo::name);
    if (found == all_masks().end()) return {};
    if (found->id == MaskKind::blocked) {
        std::string painting;
        std::getline(words, painting);
        return parse_painting(painting);
    }
    MaskRule rule{found->id};
    for (std::string word; words >> word;) {
        const std::optional<int> number = number_of(word);
        if (!number) return {};
        rule.numbers.push_back(*number);
    }
    std::ranges::sort(rule.numbers);
    // clang 14 cannot compile std::ranges::unique with the library of Debian 12.
    const auto twice = std::unique(rule.numbers.begin(), rule.numbers.end());
    if (found->most > 1) rule.numbers.erase(twice, rule.numbers.end());
    const auto count = std::ssize(rule.numbers);
    if (count < found->fewest || count > found->most) return {};
    if (count > 0 && rule.numbers.front() < found->least) return {};
    return rule;
}

// Rejects texts with blanks around them or a trailing sign.
bool begins_and_ends_with_words(const std::string& text) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    return !text.empty() && is_word(text.front()) && is_word(text.back());
}

}  // namespace

std::string mask_text(const MaskRules& rules) {
    std::string text;
    for (const MaskRule& rule : rules) {
        text += (text.empty() ? "" : " + ") + std::string(info(rule.kind).name);
        if (rule.kind == MaskKind::blocked) {
            text += " " + painting_text(rule);
            continue;
        }
        for (const int number : rule.numbers) text += " " + std::to_string(number);
    }
    return text.empty() ? std::string(kNone) : text;
}

MaskRules parse_mask(std::string_view what, const std::string& text) {
    if (text == kNone) return {};
    if (!begins_and_ends_with_words(text)) refuse_value(what, known_rules(), text);
    MaskRules rules;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, '+');) {
        const std::optional<MaskRule> rule = parse_rule(part);
        if (!rule) refuse_value(what, known_rules(), text);
        if (std::ranges::find(rules, rule->kind, &MaskRule::kind) != rules.end())
            refuse_value(what, "each rule once", text);
        rules.push_back(*rule);
    }
    std::ranges::sort(rules, {}, &MaskRule::kind);
    return rules;
}

}  // namespace headlight
