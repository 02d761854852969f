#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

// CommonMark, with tables, boxes to tick and equations between dollars, as a tree of blocks.
namespace headlight::lessons {

// Beyond these a file is no lesson.
inline constexpr std::size_t kMostBytes = std::size_t{256} << 10U;
inline constexpr int kDeepest = 12;                // blocks in blocks
inline constexpr std::size_t kMostSpans = 20'000;  // and blocks, of a lesson

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
    int level = 0;             // of a heading; of a numbered list its first number, −1 of another
    bool ticked = false;       // of an item: [x]
    std::string info;          // of code: what stands behind the fence
    std::string text;          // of code and HTML
    Prose prose;               // of headings, paragraphs and items without a paragraph
    std::vector<Prose> cells;  // of a row
    // Paragraphs that are a picture and nothing else have its address here.
    std::string picture;
    std::vector<Node> children;
};

// Never throws; what is beyond the bounds is left out and said in `problems`. Values in braces are
// told apart from other text: "{value …}", "{percent …}".
Node read_markdown(std::string_view text, std::vector<Problem>& problems);

}  // namespace headlight::lessons
