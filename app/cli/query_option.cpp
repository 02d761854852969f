#include "cli/query_option.h"

#include "cli/errors.h"
#include "patches/token_words.h"
#include "program/values.h"

namespace headlight::cli {

Index token_of(const std::string& word, const TokenLayout& layout) {
    if (const auto token = token_of_word(layout, word)) return *token;
    if (word == "class")
        throw UsageError(
            "--query: expected the number of a patch, found \"class\": this model "
            "has no class token.");
    const std::string last_token = std::to_string(layout.count() - 1),
                      last_patch = std::to_string(layout.patches - 1);
    throw UsageError("--query: expected class, register0, token0 to token" + last_token +
                     ", or the number of a patch from 0 to " + last_patch + ", found " +
                     in_quotes(word) + ".");
}

std::string query_or_usual(const std::string& said, const TokenPlaces& places) {
    if (!said.empty()) return said;
    if (places.layout.class_tokens > 0) return "class";
    return std::to_string(places.grid.rows / 2 * places.grid.cols + places.grid.cols / 2);
}

}  // namespace headlight::cli
