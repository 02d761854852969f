#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// Draws the list of lessons.
void lessons(Frame& frame, ui::Layout rect);

// Around any screen while a lesson is open: the current stop's text at the left, navigation below,
// and callouts over the screen, which is drawn before them.
float lesson_column_width(const Frame& frame, float window);
void lesson_column(Frame& frame, const ui::Rect& rect);
float lesson_footer_height(const Frame& frame);
void lesson_footer(Frame& frame, const ui::Rect& rect);

// In lecture view, the stop's title is above the screen and its text beside it, page by page.
// Returns the width of the text in pixels. It is the window's width if the page needs all of it: a
// table, a picture or a long question. 0 if the screen has left the stop.
float lecture_words_width(Frame& frame, float window);
void lecture_words(Frame& frame, ui::Layout rect);

// Callouts on widgets in the window, drawn within the screen.
void lesson_spotlights(Frame& frame, const ui::Rect& window, const ui::Rect& screen);
// The visible part of a callout's target there, enlarged to a minimum size for its mark; empty if
// it is out of view.
std::optional<ui::Rect> lit_place(const ui::Context& ui, const std::string& place,
                                  const ui::Rect& window);
// Keys for selected text of the lesson.
bool lesson_takes_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
