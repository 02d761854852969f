#pragma once

#include "frame/frame.h"
#include "lessons/lesson.h"

namespace headlight::screens {

struct ProseStyle {
    ui::Size size = ui::Size::body;
    ui::Face face = ui::Face::words;
    ImU32 color = 0;  // 0: the palette's text colour
};

float prose_line(const Frame& frame, const ProseStyle& style);  // from one line to the next

// Running text with what stands in it: links that can be clicked, values as they are measured,
// equations. Links are called lesson.link.1 and so on, in the order of a frame.
class ProseWriter {
  public:
    explicit ProseWriter(Frame& frame) : frame_(frame) {}

    [[nodiscard]] float height(const lessons::Prose& prose, float width,
                               const ProseStyle& style = {});
    // Returns the height that it took.
    float write(const ui::Rect& rect, const lessons::Prose& prose, const ProseStyle& style = {});

  private:
    Frame& frame_;
    int links_ = 0;
};

}  // namespace headlight::screens
