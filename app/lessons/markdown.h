#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

// Parses CommonMark with tables, task lists and equations between dollar signs into a tree of
// blocks.
namespace headlight::lessons {

// Limits for a lesson file.
inline constexpr std::size_t kMostBytes = std::size_t{256} << 10U;
inline constexpr int kDeepest = 12;                // nesting depth of blocks
inline constexpr std::size_t kMostSpans = 20'000;  // spans and blocks per lesson

struct Node {
    enum class Kind {
        document,
        heading,
        paragraph,
        list,
        item,
        quote,
        code,
        html,
        rule,
        table,
        row
    };
    Kind kind = Kind::document;
    int line = 0;
    int level = 0;        // of a heading; of a numbered list its first number, −1 for bullets
    bool ticked = false;  // of an item: [x]
    std::string info;     // of code: the info string after the fence
    std::string text;     // of code and HTML
    Prose prose;          // of headings, paragraphs and tight list items
    std::vector<Prose> cells;  // of a row
    // The address, if the paragraph consists of a single picture.
    std::string picture;
    std::vector<Node> children;
};

// Never throws. Content beyond the limits is left out and listed in `problems`. Recognizes values
// in braces: "{value …}", "{percent …}".
Node read_markdown(std::string_view text, std::vector<Problem>& problems);

}  // namespace headlight::lessons
