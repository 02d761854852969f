#pragma once

#include <functional>
#include <string>

#include "lessons/lesson.h"

namespace headlight::platform {

// What a page needs beside the lesson's own words.
struct HandoutSource {
    // Of a value in a stop, counted from 0: as the screen says it.
    std::function<std::string(std::size_t stop, const lessons::Span&)> value;
    // Whether what stands in an {if …} of that stop is shown.
    std::function<bool(std::size_t stop, const lessons::Span&)> shows;
    // The name of the picture that the page shows with a stop, and what it shows in words.
    std::function<std::string(std::size_t stop)> picture, picture_words;
    std::string folder;  // before the names of the lesson's own pictures
};

// One page of HTML, which needs nothing but those pictures: what stands in the lesson, a picture of
// the screen with each stop, and the answers at its end. Whatever the lesson holds is text there.
std::string html_of(const lessons::Lesson& lesson, const HandoutSource& source);

}  // namespace headlight::platform
