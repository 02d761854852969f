#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lessons/lesson.h"

// A stop in lecture view: a few sentences at a time, in type for the last row.
namespace headlight::lessons {

// What is on the screen at once.
struct LecturePage {
    std::vector<Block> blocks;  // text, code, tables and pictures
    bool fills_window = false;  // a table, a picture or code: the screen makes room for it
    std::optional<std::size_t>
        asked{};  // or a question or task: its number among the stop's blocks
};

// Never empty. A page has about two sentences; what comes after a question is on a page after it.
std::vector<LecturePage> lecture_pages(const Stop& stop);

// The page of the next question or task behind `page`, else of the first one; nothing where the
// stop has none.
std::optional<std::size_t> next_asking(const std::vector<LecturePage>& pages, std::size_t page);

}  // namespace headlight::lessons
