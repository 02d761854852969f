#pragma once

#include <string>
#include <string_view>

#include "ui/canvas.h"

namespace headlight::screens {

// A message for the user, optionally followed by lines of code to copy.
struct NoticeText {
    std::string_view sentence, code;  // views into the original text
};
NoticeText notice_text(std::string_view text);

// Width without line breaks, in pixels.
float notice_width(ui::Context& ui, const NoticeText& text);
// The height at this width, and drawing from the top of the rectangle. Code has a copy button.
float notice_height(ui::Context& ui, const NoticeText& text, float width);
void draw_notice(ui::Context& ui, const ui::Rect& rect, const NoticeText& text);

}  // namespace headlight::screens
