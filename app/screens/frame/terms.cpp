#include "frame/terms.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "disk/read_file.h"

namespace headlight::screens {

namespace {

// Read when a text is first shown.
struct KnownTerms {
    std::optional<lessons::Glossary> glossary;
};

std::vector<std::string_view> words_of_line(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find_first_of(" \n"), line.size());
        if (end > 0) words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
}

// Consecutive words without punctuation between them.
std::vector<std::string_view> plain_words(const std::vector<std::string_view>& words,
                                          std::size_t from, std::size_t most) {
    std::vector<std::string_view> plain;
    for (std::size_t i = from; i < words.size() && plain.size() < most; ++i) {
        plain.push_back(lessons::without_punctuation(words[i]));
        if (!words[i].ends_with(plain.back())) break;
    }
    return plain;
}

}  // namespace

const lessons::Glossary& glossary_of(Frame& frame) {
    auto& known = frame.memory.own<KnownTerms>().glossary;
    if (known) return *known;
    known.emplace();
    try {
        const auto file = frame.memory.own<ManualFolder>().path / "glossary.md";
        known = lessons::Glossary::read(read_text(file.string()));
    } catch (const std::runtime_error&) {
        known.emplace();
    }
    return *known;
}

void dashes(ui::Canvas& canvas, const ui::Rect& word, ImU32 color, float unit) {
    const float y = word.y + word.h - unit;
    for (float x = word.x; x < word.x + word.w; x += 5 * unit)
        canvas.line({x, y}, {std::min(x + 3 * unit, word.x + word.w), y}, color, unit);
}

void explain_term(Frame& frame, const ui::Rect& place, std::string_view meaning) {
    ui::Canvas canvas(frame.ui);
    dashes(canvas, place, ui::with_alpha(frame.colors().dim, 0.7F), frame.px(1));
    frame.ui.name("term." + std::string(meaning.substr(0, meaning.find(':'))), {place, {}});
    if (ImGui::IsWindowHovered() && place.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(std::string(meaning));
}

float wrapped_with_terms(Frame& frame, const ui::Rect& rect, std::string_view text,
                         const ui::TextStyle& style) {
    ui::Canvas canvas(frame.ui);
    const lessons::Glossary& glossary = glossary_of(frame);
    const float step = canvas.wrapped_step(style);
    std::set<std::string_view> explained;
    float y = rect.y;
    for (const std::string_view line : canvas.wrapped_lines(text, style, rect.w)) {
        const auto words = words_of_line(line);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const auto plain = plain_words(words, i, glossary.longest());
            const auto term = glossary.first_term(plain);
            if (term.words == 0) continue;
            const std::string_view last = plain[term.words - 1];
            const char *begin = plain.front().data(), *end = last.data() + last.size();
            i += term.words - 1;
            if (!explained.insert(term.meaning).second) continue;
            const float x = canvas.measure({line.data(), begin}, style);
            const float height = frame.ui.fonts().pixels(style.size, style.face) + frame.px(3);
            explain_term(frame, {rect.x + x, y, canvas.measure({begin, end}, style), height},
                         term.meaning);
        }
        y += step;
    }
    return canvas.wrapped(rect, text, style);
}

}  // namespace headlight::screens
