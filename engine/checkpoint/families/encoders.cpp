#include "families/encoders.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "families/families.h"
#include "files/error.h"
#include "files/wrappers.h"
#include "model/name_words.h"

namespace headlight {

namespace {

using Words = std::set<std::string, std::less<>>;

bool is_separator(char c) { return c == '.' || c == '/'; }

std::vector<std::string> encoder_prefixes(const TensorReader& file) {
    std::set<std::string> prefixes;
    for (const Family& family : kFamilies) {
        if (family.sign.empty()) continue;
        for (std::string& prefix : file.prefixes_of(family.sign))
            prefixes.insert(std::move(prefix));
    }
    for (std::string& prefix : file.prefixes_of("class_embedding"))  // CLIP's; its text tower has
                                                                     // none
        if (file.at(prefix).has("conv1.weight")) prefixes.insert(std::move(prefix));
    return {prefixes.begin(), prefixes.end()};
}

// The shortest leading components that distinguish a prefix from all others: "teacher" for
// "teacher.backbone." next to "student.backbone."; "." if the names have no prefix. The name
// "model" is reserved for "the model decides", so it keeps its separator.
std::string name_of(const std::string& prefix, const std::vector<std::string>& all) {
    if (prefix.empty()) return ".";
    std::size_t last = prefix.size() - 1;
    for (std::size_t end = 0; end < prefix.size(); ++end) {
        if (!is_separator(prefix[end])) continue;
        const std::string_view begin = std::string_view(prefix).substr(0, end + 1);
        const auto others = std::ranges::count_if(
            all, [&](const std::string& other) { return other.starts_with(begin); });
        if (others != 1 || all.size() == 1) continue;
        last = end;
        break;
    }
    const std::string name = prefix.substr(0, last);
    return name == "model" ? prefix.substr(0, last + 1) : name;
}

bool have_any(const Words& words, const Words& wanted) {
    return std::ranges::any_of(wanted, [&](const auto& word) { return words.contains(word); });
}

// Encoders with a word of `better` take precedence over those without, if any encoder has a word of
// `worse`. With empty `worse`, they take precedence over all others. With empty `better`, encoders
// with a word of `worse` come last.
struct Rule {
    Words better, worse;
    std::string reason;
};
const std::vector<Rule>& rules() {
    static const std::vector<Rule> rules{
        {{},
         {"decoder", "predictor", "discriminator"},
         "by their names, the others are not encoders"},
        {{"online"}, {"target"}, "BYOL's authors evaluate the online network"},
        {{"q", "query", "base"},
         {"k", "key", "momentum"},
         "MoCo's authors evaluate the query encoder"},
        {{"teacher", "target", "ema", "averaged", "swa"},
         {},
         "authors usually evaluate the teacher or the moving average"},
        {{}, {"momentum"}, "MoCo's authors evaluate the encoder without momentum"},
        {{"rgb", "image", "images", "img", "vision", "visual", "color", "color"},
         {},
         "by its name, it is for images"},
        {{},
         {"depth", "thermal", "infrared", "ir", "lidar", "audio", "video", "text", "flow", "event",
          "events", "sar", "radar", "normal", "normals", "mask", "segmentation", "student"},
         "by their names, the others are for other inputs"}};
    return rules;
}

using Candidates = std::vector<std::pair<std::size_t, Words>>;

// Returns true if the rule prefers some candidates, and removes the others.
bool apply(const Rule& rule, Candidates& candidates) {
    const auto has = [](const Words& wanted) {
        return [&wanted](const auto& one) { return have_any(one.second, wanted); };
    };
    const bool opposed = rule.worse.empty() || std::ranges::any_of(candidates, has(rule.worse));
    if (!opposed) return false;
    Candidates left;
    for (const auto& one : candidates)
        if (rule.better.empty() ? !have_any(one.second, rule.worse)
                                : have_any(one.second, rule.better))
            left.push_back(one);
    if (left.empty() || left.size() == candidates.size()) return false;
    candidates = std::move(left);
    return true;
}

void choose_by_rules(EncoderChoice& choice) {
    Candidates left;
    for (std::size_t i = 0; i < choice.names.size(); ++i) {
        const std::vector<std::string> words = words_of(choice.prefixes[i]);
        left.emplace_back(i, Words(words.begin(), words.end()));
    }
    for (const Rule& rule : rules())
        if (left.size() > 1 && apply(rule, left)) choice.reason = rule.reason;
    choice.chosen = left.front().first;
    choice.is_arbitrary = left.size() > 1;
    if (choice.is_arbitrary) choice.reason = "the first by name, because no rule singles one out";
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i)
        text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
    return text + (names.size() > kMost ? ", ..." : "");
}

// Between separators, so that "ema" does not match "semantic".
bool has_components(const std::string& prefix, const std::string& asked) {
    for (std::size_t at = prefix.find(asked); at != std::string::npos;
         at = prefix.find(asked, at + 1)) {
        const bool begins = at == 0 || is_separator(prefix[at - 1]);
        const std::size_t end = at + asked.size();
        if (begins && end < prefix.size() && is_separator(prefix[end])) return true;
    }
    return false;
}

// For a file without an encoder: chooses one of several layers.
EncoderChoice choose_layer(const TensorReader& file, const std::string& asked) {
    for (const char separator : {'.', '/'})
        if (const std::string prefix = asked + separator; !file.at(prefix).names().empty())
            return {{".", asked}, {"", prefix}, 1, "your choice"};
    Source(file.file_name())
        .refuse("tensors whose names begin with " + in_quotes(asked + "."), "none");
}

void choose_asked(const TensorReader& file, std::string asked, EncoderChoice& choice) {
    if (asked.size() > 1 && is_separator(asked.back())) asked.pop_back();
    const auto begins = [&](const std::string& prefix) { return prefix.starts_with(asked); };
    if (std::ranges::none_of(choice.prefixes, begins)) asked = without_wrappers(asked);
    std::vector<std::size_t> fitting;
    for (std::size_t i = 0; i < choice.names.size(); ++i) {
        const std::string& prefix = choice.prefixes[i];
        const bool whole =
            choice.names[i] == asked || prefix == asked + '.' || prefix == asked + '/';
        if (whole) fitting = {};
        if (whole || has_components(prefix, asked)) fitting.push_back(i);
        if (whole) break;
    }
    if (fitting.size() != 1)
        Source(file.file_name())
            .refuse("one of its parts, " + listed(choice.names),
                    in_quotes(asked) + (fitting.empty() ? "" : ", which matches several"));
    choice.chosen = fitting.front();
    choice.is_arbitrary = false;
    choice.reason = "your choice";
}

}  // namespace

EncoderChoice choose_encoder(const TensorReader& file, const std::optional<std::string>& asked) {
    EncoderChoice choice;
    choice.prefixes = encoder_prefixes(file);
    if (choice.prefixes.empty() && asked) return choose_layer(file, *asked);
    for (const std::string& prefix : choice.prefixes)
        choice.names.push_back(name_of(prefix, choice.prefixes));
    if (choice.names.size() > 1) choose_by_rules(choice);
    if (asked) choose_asked(file, *asked, choice);
    return choice;
}

void show_chosen(TensorReader& file, const EncoderChoice& choice) {
    if (choice.names.size() < 2) return;
    const auto beginning = [&](std::size_t i) {  // "teacher."
        const std::string& name = choice.names[i];
        if (name == ".") return std::string();
        return choice.prefixes[i].substr(0, name.size() + (is_separator(name.back()) ? 0 : 1));
    };
    std::vector<std::string> others;
    for (std::size_t i = 0; i < choice.names.size(); ++i)
        if (i != choice.chosen) others.push_back(beginning(i));
    file.hide(std::move(others), beginning(choice.chosen));
}

}  // namespace headlight
