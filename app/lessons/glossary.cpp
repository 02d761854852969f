#include "lessons/glossary.h"

#include <algorithm>

#include "kernels/ascii.h"
#include "lessons/read_lesson.h"

namespace headlight::lessons {

namespace {

std::string without_end(std::string text, std::string_view end, std::string_view instead) {
    if (!text.ends_with(end)) return "";
    text.resize(text.size() - end.size());
    return text.append(instead);
}

}  // namespace

Glossary Glossary::read(std::string_view markdown) {
    Glossary glossary;
    for (const Stop& section : read_page(markdown).stops)
        for (const Block& block : section.blocks) {
            const auto* text = std::get_if<Text>(&block.what);
            if (text == nullptr || text->prose.empty() || !text->prose.front().bold) continue;
            std::string rest = plain_text({text->prose.begin() + 1, text->prose.end()});
            rest.erase(0, std::min(rest.find_first_not_of(": "), rest.size()));
            glossary.add(text->prose.front().text, rest);
        }
    return glossary;
}

// "Rotary positions (RoPE), turned positions" are three names.
void Glossary::add(std::string_view names, const std::string& meaning) {
    while (!names.empty()) {
        std::string_view name = names.substr(0, names.find_first_of(",()"));
        names.remove_prefix(std::min(name.size() + 1, names.size()));
        name.remove_prefix(std::min(name.find_first_not_of(" \n"), name.size()));
        name = name.substr(0, name.find_last_not_of(" \n") + 1);
        if (name.empty()) continue;
        meanings_.emplace(in_lower_case(name), std::string(name) + ": " + meaning);
        const auto words = static_cast<std::size_t>(std::ranges::count(name, ' ')) + 1;
        longest_ = std::max(longest_, words);
    }
}

std::string_view Glossary::meaning(std::string_view words) const {
    const std::string low = in_lower_case(words);
    if (low == "means") return "";  // hardly ever the plural of a mean
    for (const std::string& name :
         {low, without_end(low, "ies", "y"), without_end(low, "es", ""), without_end(low, "s", "")})
        if (const auto found = meanings_.find(name); found != meanings_.end()) return found->second;
    return "";
}

Glossary::Term Glossary::first_term(std::span<const std::string_view> words) const {
    Term longest;
    std::string name;
    for (std::size_t k = 0; k < std::min(longest_, words.size()); ++k) {
        name += (k > 0 ? " " : "") + in_lower_case(words[k]);
        if (const std::string_view found = meaning(name); !found.empty()) longest = {k + 1, found};
        const auto next = meanings_.lower_bound(name + ' ');
        if (next == meanings_.end() || !next->first.starts_with(name + ' ')) break;
    }
    return longest;
}

std::string_view without_punctuation(std::string_view word) {
    constexpr std::string_view kSigns = ".,;:!?()\"'";
    word.remove_prefix(std::min(word.find_first_not_of(kSigns), word.size()));
    return word.substr(0, word.find_last_not_of(kSigns) + 1);
}

}  // namespace headlight::lessons
