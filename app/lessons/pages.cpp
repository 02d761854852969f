#include "lessons/pages.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace headlight::lessons {

namespace {

// Characters on one page: two sentences of average length, which fit beside the picture on a 4:3
// projector, in the type that the last row can read.
constexpr float kRoom = 170;
constexpr std::size_t kValue = 6;     // characters of an evaluated number, which are wide
constexpr std::size_t kNewLine = 20;  // characters that a line lacks, and a gap, where a block ends

std::size_t letters_of(const Span& span) {
    const bool measured = span.kind == Span::Kind::value || span.kind == Span::Kind::percent;
    return measured ? kValue : span.text.size();
}

std::size_t letters_of(const Prose& prose) {
    std::size_t letters = 0;
    for (const Span& span : prose) letters += letters_of(span);
    return letters;
}

bool is_sign(char c) { return c == '.' || c == '?' || c == '!'; }
bool is_blank(char c) { return c == ' ' || c == '\n'; }

// The end of a sentence, including the space after it.
bool is_end(std::string_view text) {
    return text.size() >= 2 && is_sign(text[text.size() - 2]) && is_blank(text.back());
}

// The position after the first sentence; the length if there is only one.
std::size_t end_of_sentence(std::string_view text) {
    for (std::size_t i = 0; i + 1 < text.size(); ++i)
        if (is_sign(text[i]) && is_blank(text[i + 1])) return i + 2;
    return text.size();
}

// Splits text into sentences. Links and values stay whole.
std::vector<Prose> sentences_of(const Prose& prose) {
    std::vector<Prose> sentences(1);
    for (const Span& span : prose) {
        if (span.kind != Span::Kind::text || !span.link.empty()) {
            sentences.back().push_back(span);
            continue;
        }
        std::string_view rest = span.text;
        while (!rest.empty()) {
            const std::size_t end = end_of_sentence(rest);
            sentences.back().push_back(span);
            sentences.back().back().text = std::string(rest.substr(0, end));
            const bool ends = is_end(rest.substr(0, end));
            rest.remove_prefix(end);
            if (ends) sentences.emplace_back();
        }
    }
    if (sentences.back().empty()) sentences.pop_back();
    return sentences;
}

// Fills pages one after the other.
struct Pages {
    std::size_t room = 0;
    std::vector<LecturePage> all{};
    std::size_t letters = 0;  // on the last page
    bool closed = true;       // the next block starts a new page

    void begin() {
        all.emplace_back();
        letters = 0;
        closed = false;
    }
    // A block that is the rest of a paragraph starts the next page.
    void add(const Block& block, const Text& text) {
        Prose part;
        std::size_t part_letters = letters > 0 ? kNewLine : 0;
        const auto put = [&] {
            if (part.empty()) return;
            Text shown = text;
            shown.prose = std::exchange(part, {});
            all.back().blocks.push_back({block.line, std::move(shown)});
            letters += std::exchange(part_letters, 0);
        };
        for (const Prose& sentence : sentences_of(text.prose)) {
            const std::size_t more = letters_of(sentence);
            const std::size_t before = letters + part_letters;
            if (closed || (before > 0 && before + more > room)) {
                put();
                part_letters = 0;
                begin();
            }
            part.insert(part.end(), sentence.begin(), sentence.end());
            part_letters += more;
        }
        put();
    }
    void add_whole(const Block& block) {
        begin();
        all.back().blocks.push_back(block);
        all.back().fills_window = true;
        closed = true;
    }
    void ask(std::size_t number) {
        begin();
        all.back().asked = number;
        closed = true;
    }
};

}  // namespace

float sentence_zoom(float zoom) { return 1 + (std::clamp(zoom, 1.0F, kMostLectureZoom) - 1) / 2; }

std::vector<LecturePage> lecture_pages(const Stop& stop, float zoom) {
    Pages pages{.room = static_cast<std::size_t>(kRoom / (zoom * zoom))};
    for (std::size_t i = 0; i < stop.blocks.size(); ++i) {
        const Block& block = stop.blocks[i];
        if (const auto* text = std::get_if<Text>(&block.what))
            pages.add(block, *text);
        else if (std::holds_alternative<Question>(block.what) ||
                 std::holds_alternative<Task>(block.what))
            pages.ask(i);
        else
            pages.add_whole(block);
    }
    // A stop starts with its picture, rather than a table or a question.
    if (pages.all.empty() || pages.all.front().fills_window || pages.all.front().asked)
        pages.all.insert(pages.all.begin(), LecturePage{});
    return std::move(pages.all);
}

std::optional<std::size_t> next_asking(const std::vector<LecturePage>& pages, std::size_t page) {
    for (std::size_t i = page + 1; i < pages.size(); ++i)
        if (pages[i].asked) return i;
    for (std::size_t i = 0; i < pages.size(); ++i)
        if (pages[i].asked) return i;
    return std::nullopt;
}

}  // namespace headlight::lessons
