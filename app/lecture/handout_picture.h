#pragma once

#include <string>

#include "lecture/offscreen_lesson.h"

namespace headlight::app {

// A picture of the part of the screen that a stop is about, for a handout.
struct HandoutPicture {
    std::string svg;
    std::string words;  // alternative text
};

// The picture for the lesson's current stop; call describe() before. In Walk only the step, unless
// the stop points to something else. Throws std::runtime_error if it is too large.
HandoutPicture handout_picture(OffscreenLesson& lesson);

}  // namespace headlight::app
