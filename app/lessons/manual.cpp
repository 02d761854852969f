#include "lessons/manual.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "disk/read_file.h"
#include "kernels/ascii.h"
#include "lessons/read_lesson.h"

namespace headlight::lessons {

namespace {

constexpr std::string_view kContents = "README.md";
constexpr std::size_t kExcerpt = 60;  // bytes on each side of the match

// As code hosts make it of a heading: signs are left out, and blanks become dashes.
std::string anchor_of(std::string_view title) {
    std::string anchor;
    for (const char c : in_lower_case(title)) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
                            c == '-' || static_cast<unsigned char>(c) >= 0x80;
        if (letter || c == ' ') anchor += c == ' ' ? '-' : c;
    }
    return anchor;
}

std::string text_of(const std::vector<Block>& blocks) {
    std::string text;
    for (const Block& block : blocks) {
        for (const Prose* prose : proses_of(block)) text += plain_text(*prose) + ' ';
        if (const auto* code = std::get_if<Code>(&block.what)) text += code->text + ' ';
    }
    std::ranges::replace(text, '\n', ' ');
    return text;
}

ManualPage page_of(std::string file, std::string group, Lesson read) {
    ManualPage page{std::move(file), std::move(group), std::move(read.title), {}};
    const auto add = [&](std::string title, std::vector<Block> blocks) {
        std::string text = text_of(blocks);
        page.sections.push_back({std::move(title), std::move(blocks), std::move(text)});
    };
    add(page.title, std::move(read.introduction));
    for (Stop& stop : read.stops) add(std::move(stop.title), std::move(stop.blocks));
    return page;
}

// The pages linked in a group of the contents.
std::vector<std::string> pages_in(const Stop& group) {
    std::vector<std::string> files;
    for (const Block& block : group.blocks)
        for (const Prose* prose : proses_of(block))
            for (const Span& span : *prose)
                if (span.link.ends_with(".md") &&
                    std::ranges::find(files, span.link) == files.end())
                    files.push_back(span.link);
    return files;
}

// The text around the first of the words, cut at spaces.
std::string excerpt_of(const std::string& text, std::string_view word) {
    const std::size_t at = in_lower_case(text).find(word);
    if (at == text.npos) return text.substr(0, text.find(' ', std::min(2 * kExcerpt, text.size())));
    std::size_t first = at < kExcerpt ? 0 : text.find(' ', at - kExcerpt) + 1;
    first = std::min(first, at);
    const std::size_t last = text.find(' ', std::min(at + word.size() + kExcerpt, text.size()));
    return (first > 0 ? "… " : "") + text.substr(first, last == text.npos ? last : last - first) +
           (last == text.npos ? "" : " …");
}

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream stream(in_lower_case(text));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

}  // namespace

std::optional<std::size_t> Manual::page(std::string_view file) const {
    const auto found = std::ranges::find(pages, file, &ManualPage::file);
    if (found == pages.end()) return std::nullopt;
    return static_cast<std::size_t>(found - pages.begin());
}

Manual read_manual(const std::filesystem::path& folder) {
    Manual manual;
    const Lesson contents = read_page(read_text((folder / kContents).string()));
    for (const Stop& group : contents.stops) {
        for (const std::string& file : pages_in(group)) {
            try {
                manual.pages.push_back(
                    page_of(file, group.title, read_page(read_text((folder / file).string()))));
            } catch (const std::runtime_error&) {
                continue;  // the other pages are still readable
            }
        }
    }
    return manual;
}

std::optional<ManualPlace> follow_link(const Manual& manual, std::size_t page,
                                       std::string_view link) {
    const std::size_t sign = std::min(link.find('#'), link.size());
    const std::string_view file = link.substr(0, sign);
    if (!file.empty()) {
        const std::filesystem::path here(manual.pages[page].file);
        const auto there = (here.parent_path() / file).lexically_normal().generic_string();
        const auto found = manual.page(there);
        if (!found) return std::nullopt;
        page = *found;
    }
    const std::string_view anchor = link.substr(std::min(sign + 1, link.size()));
    const auto& sections = manual.pages[page].sections;
    for (std::size_t i = 0; !anchor.empty() && i < sections.size(); ++i)
        if (anchor_of(sections[i].title) == anchor) return ManualPlace{page, i};
    return ManualPlace{page, 0};
}

std::vector<ManualHit> search(const Manual& manual, std::string_view sought) {
    const std::vector<std::string> words = words_of(sought);
    std::vector<ManualHit> in_titles, in_texts;
    for (std::size_t p = 0; !words.empty() && p < manual.pages.size(); ++p) {
        const auto& sections = manual.pages[p].sections;
        for (std::size_t s = 0; s < sections.size(); ++s) {
            const std::string title = in_lower_case(sections[s].title),
                              text = in_lower_case(sections[s].text);
            const auto has = [&](const std::string& word) {
                return title.find(word) != title.npos || text.find(word) != text.npos;
            };
            if (!std::ranges::all_of(words, has)) continue;
            const bool in_title = std::ranges::any_of(
                words, [&](const std::string& word) { return title.find(word) != title.npos; });
            (in_title ? in_titles : in_texts)
                .push_back({{p, s}, excerpt_of(sections[s].text, words.front())});
        }
    }
    in_titles.insert(in_titles.end(), in_texts.begin(), in_texts.end());
    return in_titles;
}

}  // namespace headlight::lessons
