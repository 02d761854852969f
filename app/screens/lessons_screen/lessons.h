#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// The lessons that there are.
void lessons(Frame& frame, ui::Rect rect);

// What stands around any screen while a lesson is read: what the present stop says at the left, the
// way through its stops below, and its call-outs over the screen, which is drawn before them.
float lesson_column_width(const Frame& frame, float window);
void lesson_column(Frame& frame, const ui::Rect& rect);
float lesson_footer_height(const Frame& frame);
void lesson_footer(Frame& frame, const ui::Rect& rect);

// In lecture view the stop's title is above the screen, and its text beside the screen, page
// by page: pixels of the window's width that it takes. All of it: the screen makes room for a
// table, a picture or a long question. None where the screen has left the stop.
float lecture_words_width(Frame& frame, float window);
void lecture_words(Frame& frame, ui::Rect rect);

// On what stands in the window, in words that stand on the screen.
void lesson_spotlights(Frame& frame, const ui::Rect& window, const ui::Rect& screen);
// What of a call-out's place can be seen there, with a mark around it that is never too small to be
// seen itself; nothing where none of it is.
std::optional<ui::Rect> lit_place(const ui::Context& ui, const std::string& place,
                                  const ui::Rect& window);
// Of text of the lesson that is selected, or is to be.
bool lesson_takes_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
