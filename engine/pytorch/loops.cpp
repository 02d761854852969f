#include "pytorch/loops.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace headlight {

namespace {

bool is_part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The text between two quotes, with the number replaced by {i}; unchanged if it does not contain
// the number.
std::string numbered(std::string_view quoted, const std::string& number) {
    std::string text;
    for (std::size_t at = 0; at < quoted.size();) {
        const std::size_t end = at + number.size();
        const bool here = quoted.substr(at, number.size()) == number &&
                          (at == 0 || !is_part_of_word(quoted[at - 1])) &&
                          (end == quoted.size() || !is_part_of_word(quoted[end]));
        text += here ? std::string("{i}") : std::string(1, quoted[at]);
        at = here ? end : at + 1;
    }
    return text;
}

// The lines with the layer's number as a variable. Unchanged if the number is in no quotes, or if
// an f-string would change their meaning.
std::string pattern_of(const LayerLines& layer) {
    const std::string number = std::to_string(layer.number);
    const std::string_view lines = layer.lines;
    std::string pattern;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t quote = std::min(lines.find('"', at), lines.size());
        const std::size_t end = std::min(lines.find('"', quote + 1), lines.size());
        pattern += lines.substr(at, quote - at);
        if (quote == lines.size()) break;
        const std::string_view inside = lines.substr(quote + 1, end - quote - 1);
        if (end == lines.size() || inside.find_first_of("{}\\\n") != std::string_view::npos)
            return layer.lines;
        const std::string any = numbered(inside, number);
        pattern += (any == inside ? "\"" : "f\"") + any + "\"";
        at = end + 1;
    }
    return pattern;
}

std::string indented(std::string_view lines) {
    std::string text;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        if (end > at) text += "    ";
        text += std::string(lines.substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return text;
}

std::string heading(const std::string& name) { return "\n\n# ---- " + name + "\n"; }

std::string loop_over(const LayerLines& first, const LayerLines& last, const std::string& pattern) {
    return heading(first.name + " to " + last.name) + "for i in range(" +
           std::to_string(first.number) + ", " + std::to_string(last.number + 1) + "):\n" +
           indented(pattern);
}

}  // namespace

std::string with_loops(const std::vector<LayerLines>& layers) {
    std::string text;
    for (std::size_t at = 0; at < layers.size();) {
        const LayerLines& first = layers[at];
        const std::string pattern = pattern_of(first);
        std::size_t end = at + 1;
        while (end < layers.size() && layers[end].number == layers[end - 1].number + 1 &&
               pattern != first.lines && pattern_of(layers[end]) == pattern)
            ++end;
        text += end - at > 1 ? loop_over(first, layers[end - 1], pattern)
                             : heading(first.name) + first.lines;
        at = end;
    }
    return text;
}

}  // namespace headlight
