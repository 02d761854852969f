#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lessons/lesson.h"

namespace headlight::lessons {

inline constexpr std::size_t kMostStops = 100;
inline constexpr std::size_t kMostOrders = 60;     // of a stop
inline constexpr std::size_t kMostAnswers = 6;     // of a question
inline constexpr std::size_t kMostControls = 8;    // of a task
inline constexpr std::size_t kLongestTitle = 200;  // in bytes
inline constexpr std::size_t kMostProblems = 60;

// A lesson written as assets/lessons/README.md says. Never throws: what is wrong stands in
// `problems`, by line, and the rest can be read.
Lesson read_lesson(std::string_view text);

// A page of the manual: its sections are the stops, down to "###". Blocks marked `headlight` are
// shown and not run, and links are whatever they are.
Lesson read_page(std::string_view text);

// Whether a path names a file within the folder that it is relative to, by its words alone: no
// root, no "..", no address of the web. What links lead to is for the one who opens it.
bool stays_inside(std::string_view path);

// What stands in a link's brackets after "symbol:", "do:"; the name of another lesson; an address
// of the web.
enum class LinkKind { symbol, command, lesson, web };
struct Link {
    LinkKind kind = LinkKind::web;
    std::string to;
};
// Throws CommandError for any other.
Link parse_link(const std::string& text);

// "other.md", all of its stops; "other.md#3", "other.md#3-5". Throws CommandError for anything
// else.
Borrowed parse_borrowed(const std::string& link);

// With the stops of other lessons where they are borrowed. `read` gives the lesson in a file, or
// throws CommandError; it is not asked for what those have borrowed themselves.
Lesson with_borrowed_stops(Lesson lesson, const std::function<Lesson(const std::string&)>& read);

}  // namespace headlight::lessons
