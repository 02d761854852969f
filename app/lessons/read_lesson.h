#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lessons/lesson.h"

namespace headlight::lessons {

inline constexpr std::size_t kMostStops = 100;
inline constexpr std::size_t kMostOrders = 60;     // per stop
inline constexpr std::size_t kMostAnswers = 6;     // per question
inline constexpr std::size_t kMostControls = 8;    // per task
inline constexpr std::size_t kLongestTitle = 200;  // in bytes
inline constexpr std::size_t kMostProblems = 60;

// Reads a lesson in the format of assets/lessons/README.md. Never throws: errors are listed in
// `problems` by line, and the rest is usable.
Lesson read_lesson(std::string_view text);

// Reads a page of the manual; its sections down to "###" become stops. Blocks marked `headlight`
// are shown but not run, and links are not checked.
Lesson read_page(std::string_view text);

// Whether a relative path stays inside its folder, judging by the text alone: no root, no "..", no
// web address. Symbolic links are checked on opening.
bool stays_inside(std::string_view path);

// The target of a link: after "symbol:" or "do:", the name of another lesson, or a web address.
enum class LinkKind { symbol, command, lesson, web };
struct Link {
    LinkKind kind = LinkKind::web;
    std::string to;
};
// Throws CommandError for any other link.
Link parse_link(const std::string& text);

// "other.md" for all of its stops; "other.md#3", "other.md#3-5". Throws CommandError for anything
// else.
Borrowed parse_borrowed(const std::string& link);

// Inserts the stops borrowed from other lessons. `read` returns the lesson in a file, or throws
// CommandError. Borrowed stops of borrowed lessons are not resolved.
Lesson with_borrowed_stops(Lesson lesson, const std::function<Lesson(const std::string&)>& read);

}  // namespace headlight::lessons
