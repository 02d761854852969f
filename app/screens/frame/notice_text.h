#pragma once

#include <string>
#include <string_view>

#include "ui/canvas.h"

namespace headlight::screens {

// A sentence for the person and, where there are any, lines of code after it that can be copied.
struct NoticeText {
    std::string_view sentence, code;  // parts of what it was made from
};
NoticeText notice_text(std::string_view text);

// Where no line is broken.
float notice_width(ui::Context& ui, const NoticeText& text);
// Height in this width, and drawing from the rectangle's top on; the code has a button beside it
// that copies it.
float notice_height(ui::Context& ui, const NoticeText& text, float width);
void draw_notice(ui::Context& ui, const ui::Rect& rect, const NoticeText& text);

}  // namespace headlight::screens
