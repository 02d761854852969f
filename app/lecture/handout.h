#pragma once

#include <functional>
#include <string>

#include "lessons/lesson.h"

namespace headlight::app {

// What a handout needs besides the lesson's text.
struct HandoutSource {
    // The text of a value in a stop, counted from 0, as on the screen.
    std::function<std::string(std::size_t stop, const lessons::Span&)> value;
    // Whether text in an {if …} of that stop is shown.
    std::function<bool(std::size_t stop, const lessons::Span&)> shows;
    // The file name of a stop's picture, and its alternative text.
    std::function<std::string(std::size_t stop)> picture, picture_words;
    std::string folder;  // prefix of the names of the lesson's own pictures
};

// A single HTML page, which needs only those pictures: the lesson's text, a picture of the screen
// for each stop, and the answers at the end. Everything from the lesson is escaped.
std::string html_of(const lessons::Lesson& lesson, const HandoutSource& source);

}  // namespace headlight::app
