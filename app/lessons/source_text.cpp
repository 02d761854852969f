#include "lessons/source_text.h"

#include <algorithm>
#include <utility>

namespace headlight::lessons {

namespace {

bool is_fence(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line.starts_with("```") || line.starts_with("~~~");
}

// CommonMark ends an address at a space. So "[words](do:cell 43 48)" is read as if the address were
// in angle brackets.
std::string with_brackets_around_commands(std::string_view line) {
    constexpr std::string_view kBegin = "](do:";
    std::string out;
    for (std::size_t at = line.find(kBegin); at != line.npos; at = line.find(kBegin)) {
        const std::size_t close = line.find(')', at);
        if (close == line.npos) break;
        out.append(line.substr(0, at + 2)).append("<");
        out.append(line.substr(at + 2, close - at - 2)).append(">)");
        line.remove_prefix(close + 1);
    }
    return out.append(line);
}

// Escapes characters with a meaning in Markdown: text between two asterisks would be emphasized.
std::string escaped(std::string_view expression) {
    std::string out;
    for (const char c : expression) {
        if (std::string_view("*_<[]`").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

// Escapes expressions in braces and after "until:", and commands after "solution:".
std::string with_escaped_expressions(std::string_view line) {
    std::string_view rest = line;
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.starts_with("until:") || rest.starts_with("solution:")) return escaped(line);
    std::string out;
    for (;;) {
        const std::size_t open =
            std::min({line.find("{value "), line.find("{percent "), line.find("{if ")});
        // The text after a condition is Markdown.
        const char end = line.substr(std::min(open, line.size())).starts_with("{if ") ? ':' : '}';
        const std::size_t close = open == line.npos ? line.npos : line.find(end, open);
        if (close == line.npos) return out.append(line);
        out.append(line.substr(0, open)).append(escaped(line.substr(open, close - open)));
        line.remove_prefix(close);
    }
}

// Bytes of the UTF-8 character at the start of the text (RFC 3629); 0 if it is invalid.
std::size_t letter_size(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return 1;
    const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const bool too_small = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool too_large = first > 0xF4 || (first == 0xF4 && second > 0x8F);
    const bool surrogate = first == 0xED && second > 0x9F;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    return too_small || too_large || surrogate ? 0 : size;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = letter_size(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Truncates words that are too long.
std::string with_words_cut(std::string_view line) {
    std::string out;
    std::size_t length = 0;
    bool cut = false;
    for (const char c : line) {
        // Drops whole characters: bytes 10xxxxxx continue one.
        const bool goes_on = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
        if (is_blank(c)) {
            length = 0;
            cut = false;
        } else if (++length > kLongestWord && !goes_on) {
            cut = true;
        }
        if (!cut) out += c;
    }
    return out;
}

}  // namespace

void complain(std::vector<Problem>& problems, int line, std::string_view reason) {
    Problem problem{line, {}};
    problem.reason.append(reason);  // GCC 12 warns that a copy would read past the end
    problems.push_back(std::move(problem));
}

namespace {

class Lines {
  public:
    explicit Lines(std::vector<Problem>& problems) : problems_(problems) {}

    // The readable part of the next line.
    std::string readable(std::string_view line) {
        ++number_;
        if (line.find('\0') != line.npos) {
            complain(problems_, number_, "expected text, found a zero byte; the line is left out.");
            return line.ends_with('\n') ? "\n" : "";
        }
        if (!other_bytes_ && !is_utf8(line)) {
            other_bytes_ = true;
            complain(problems_, number_, "expected UTF-8 text, found other bytes.");
        }
        std::string out = with_words_cut(line);
        if (out.size() < line.size())
            complain(problems_, number_,
                     "expected words of at most " + std::to_string(kLongestWord) +
                         " bytes; the rest of a longer word is left out.");
        return out;
    }

  private:
    std::vector<Problem>& problems_;
    int number_ = 0;
    bool other_bytes_ = false;  // reported once
};

}  // namespace

std::string source_text(std::string_view bytes, std::vector<Problem>& problems) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);  // some editors' mark of UTF-8
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
        complain(problems, 1, "expected UTF-8 text, found UTF-16.");
        return {};
    }
    std::string out;
    Lines lines(problems);
    bool fenced = false;
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
        const std::string line = lines.readable(bytes.substr(0, end));
        bytes.remove_prefix(end);
        if (is_fence(line)) fenced = !fenced;
        out += fenced ? line : with_brackets_around_commands(with_escaped_expressions(line));
    }
    return out;
}

}  // namespace headlight::lessons
