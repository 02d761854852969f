#include "state/command.h"

#include <algorithm>

#include "program/values.h"

namespace headlight {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

// Removes the quoted text from the front of `rest`, which begins with a quote.
void take_quoted(std::string_view& rest, std::string& word, std::string_view line) {
    std::size_t i = 1;
    while (i < rest.size() && rest[i] != '"') {
        const bool keeps =
            rest[i] == '\\' && i + 1 < rest.size() && (rest[i + 1] == '"' || rest[i + 1] == '\\');
        if (keeps) ++i;
        word += rest[i++];
    }
    if (i >= rest.size())
        throw CommandError("A quote is opened but not closed in " + in_quotes(line) + ".");
    rest.remove_prefix(i + 1);
}

// Removes one word; as in a shell, adjacent quoted and unquoted pieces are one word.
std::string take_word(std::string_view& rest, std::string_view line) {
    std::string word;
    while (!rest.empty() && !is_blank(rest.front())) {
        if (rest.front() == '"') {
            take_quoted(rest, word, line);
        } else {
            word += rest.front();
            rest.remove_prefix(1);
        }
    }
    return word;
}

std::string in_quotes_if_needed(const std::string& word) {
    const bool plain = !word.empty() && word.front() != '#' &&
                       word.find_first_of(" \t\r\n\"") == std::string::npos;
    if (plain) return word;
    std::string text = "\"";
    for (const char c : word) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + '"';
}

}  // namespace

Command parse_command(std::string_view line) {
    std::vector<std::string> words;
    std::string_view rest = line;
    for (;;) {
        rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
        if (rest.empty() || rest.front() == '#') break;
        words.push_back(take_word(rest, line));
    }
    if (words.empty()) return {};
    return {words.front(), {words.begin() + 1, words.end()}};
}

std::string to_text(const Command& command) {
    if (command == Command{}) return {};
    std::string text = in_quotes_if_needed(command.verb);
    for (const std::string& arg : command.args) text += ' ' + in_quotes_if_needed(arg);
    return text;
}

}  // namespace headlight
