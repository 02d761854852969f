#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lessons/lesson.h"

// Splits a stop into pages for lecture view: a few sentences at a time, readable from the last row.
namespace headlight::lessons {

// What is on the screen at the same time.
struct LecturePage {
    std::vector<Block> blocks;           // text, code, tables and pictures
    bool fills_window = false;           // a table, a picture or code, which needs the whole screen
    std::optional<std::size_t> asked{};  // index of a question or task among the stop's blocks
};

// How much larger the speaker's zoom makes sentences. They are large already, and labels are not.
[[nodiscard]] float sentence_zoom(float zoom);
inline constexpr float kMostLectureZoom = 1.5F;  // larger text leaves no space for matrices

// Never empty. A page has about two sentences, or fewer if they are `zoom` times as large; text
// after a question starts a new page.
std::vector<LecturePage> lecture_pages(const Stop& stop, float zoom = 1);

// The page of the next question or task after `page`, or else of the first one; empty if the stop
// has none.
std::optional<std::size_t> next_asking(const std::vector<LecturePage>& pages, std::size_t page);

}  // namespace headlight::lessons
