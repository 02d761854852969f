#include "cli/class_option.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/errors.h"
#include "encoder/lens.h"
#include "encoder/run_scene.h"
#include "kernels/ascii.h"
#include "kernels/counted.h"
#include "kernels/in_quotes.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

bool is_integer(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) > 127;
}

// "tabby" in "tabby cat", but not "tab".
bool has_words(const std::string& name, const std::string& words) {
    for (std::size_t at = name.find(words); at != std::string::npos;
         at = name.find(words, at + 1)) {
        const std::size_t end = at + words.size();
        if ((at == 0 || !is_letter_or_digit(name[at - 1])) &&
            (end == name.size() || !is_letter_or_digit(name[end])))
            return true;
    }
    return false;
}

// The number of letters to insert, remove or replace (Levenshtein).
std::size_t letters_apart(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

// Those with the same letters inside first, then the most similar ones.
std::vector<int> most_similar(const std::vector<std::string>& names, const std::string& text) {
    constexpr std::size_t kMost = 3;
    std::vector<std::pair<std::size_t, int>> apart;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool inside = names[i].find(text) != std::string::npos;
        apart.emplace_back(inside ? 0 : letters_apart(names[i], text), static_cast<int>(i));
    }
    std::ranges::sort(apart);
    std::vector<int> first;
    for (std::size_t i = 0; i < std::min(kMost, apart.size()); ++i)
        first.push_back(apart[i].second);
    return first;
}

// "crane (134), crane (517)"
std::string in_words(const Model& model, const std::vector<int>& classes) {
    constexpr std::size_t kMost = 5;
    std::string words;
    for (std::size_t i = 0; i < std::min(kMost, classes.size()); ++i)
        words += (i == 0 ? "" : ", ") + class_name(model, classes[i]) + " (" +
                 std::to_string(classes[i]) + ")";
    return words + (classes.size() > kMost ? " and others" : "");
}

int class_by_name(const Model& model, int classes, const std::string& said,
                  const std::string& option) {
    std::vector<std::string> names;
    for (int i = 0; i < classes; ++i) names.push_back(in_lower_case(class_name(model, i)));
    const std::string text = in_lower_case(said);
    std::vector<int> same, with_words;
    for (int i = 0; i < classes; ++i) {
        const std::string& name = names[static_cast<std::size_t>(i)];
        if (name == text) same.push_back(i);
        if (has_words(name, text)) with_words.push_back(i);
    }
    const std::vector<int>& found = same.empty() ? with_words : same;
    if (found.size() == 1) return found.front();
    if (found.empty())
        throw UsageError(option + ": no class of this model is called " + in_quotes(said) +
                         ". The most similar ones: " + in_words(model, most_similar(names, text)) +
                         ".");
    throw UsageError(option + ": " + in_quotes(said) + " could mean " + in_words(model, found) +
                     ". Give an index.");
}

}  // namespace

std::optional<int> class_of(const Model& model, const std::optional<std::string>& said,
                            const std::string& option) {
    if (!said) return std::nullopt;
    if (!has_classes(model))
        throw WorkError(model.file + ": " + option + " needs a model with a classifier.");
    const auto classes = static_cast<int>(model.classifier.weight->view().rows);
    if (!is_integer(*said)) return class_by_name(model, classes, *said, option);
    try {
        return parse_integer(option, *said, 0, classes - 1);
    } catch (const ValueError&) {
        throw UsageError(option + ": expected an integer from 0 to " + std::to_string(classes - 1) +
                         ", as this model has " + counted(classes, "class") + ", found " + *said +
                         ".");
    }
}

}  // namespace headlight::cli
