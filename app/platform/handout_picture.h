#pragma once

#include <string>

#include "platform/offscreen_lesson.h"

namespace headlight::platform {

// The screen of a stop, for a page: what the stop is about.
struct HandoutPicture {
    std::string svg;
    std::string words;  // for those who do not see it
};

// Of the stop at which the lesson is, which was described. Of Walk the step alone, where the stop
// points at nothing else. Throws std::runtime_error where it is too large for a picture.
HandoutPicture handout_picture(OffscreenLesson& lesson);

}  // namespace headlight::platform
