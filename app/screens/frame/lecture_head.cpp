#include "frame/lecture_head.h"

#include <algorithm>

#include "lessons/reader.h"

namespace headlight::screens {

ui::Rect lecture_head(Frame& frame, ui::Rect& rect, std::string_view title) {
    if (frame.in_lesson()) title = frame.reader->stop().title;
    const float height = frame.ui.fonts().pixels(ui::Size::large) + frame.px(8);
    ui::Rect row = rect.cut_top(height).inset(frame.px(20), 0);
    ui::Canvas canvas(frame.ui);
    ui::TextStyle style{.face = ui::Face::bold, .size = ui::Size::large};
    if (canvas.measure(title, style) > row.w) style.size = ui::Size::body;
    const float width = canvas.measure(title, style);
    canvas.label(row.cut_left(width + 1), title, style);
    row.cut_left(frame.px(24));
    frame.ui.report("lecture.title", std::string(title));
    return row;
}

bool is_spoken_of(const Frame& frame, std::string_view beginning) {
    return frame.in_lesson() &&
           std::ranges::any_of(frame.reader->spotlights(),
                               [&](const lessons::Spotlight& spotlight) {
                                   return spotlight.place.starts_with(beginning);
                               });
}

}  // namespace headlight::screens
