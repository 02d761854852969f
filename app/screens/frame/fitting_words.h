#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "ui/canvas.h"

namespace headlight::screens {

// The first of these texts that fits into the width, or else the last; pass them longest first.
inline std::string first_that_fits(const ui::Canvas& canvas,
                                   std::initializer_list<std::string> texts,
                                   const ui::TextStyle& style, float width) {
    for (const std::string& text : texts)
        if (canvas.measure(text, style) <= width) return text;
    return texts.size() == 0 ? std::string() : *(texts.end() - 1);
}

// Draws it as a label.
inline void label_that_fits(ui::Canvas& canvas, const ui::Rect& rect,
                            std::initializer_list<std::string> texts, const ui::TextStyle& style) {
    canvas.label(rect, first_that_fits(canvas, texts, style, rect.w), style);
}

// The style in small type if the text does not fit otherwise.
inline ui::TextStyle style_that_fits(const ui::Canvas& canvas, std::string_view text,
                                     ui::TextStyle style, float width) {
    if (canvas.measure(text, style) > width) style.size = ui::Size::small;
    return style;
}

// The first of these captions that fits (ui::Canvas::caption).
inline std::string fitting_caption(const ui::Canvas& canvas,
                                   std::initializer_list<std::string> texts, float width) {
    return first_that_fits(canvas, texts, {.face = ui::Face::bold, .size = ui::Size::small}, width);
}

// Draws it.
inline void caption_that_fits(ui::Context& ui, const ui::Rect& rect,
                              std::initializer_list<std::string> texts) {
    ui::Canvas canvas(ui);
    canvas.caption(rect, fitting_caption(canvas, texts, rect.w));
}

}  // namespace headlight::screens
