#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "ui/controls.h"

// Places items side by side and one below the other, and chooses words that fit.
namespace headlight::ui {

// What is left of a rectangle while items take their places along its sides. Sizes are in pixels.
// Gaps, which follow an item, and insets are in units. No item takes more than is left.
//
//     Layout rest(ui, rect, 12, 8);
//     canvas.label(rest.row(4, 6), title, style);    // a line of text, 4 units higher; 6 below it
//     Layout foot = rest.bottom(height);
//     foot.words_right(text, style, 8);              // takes the width of the text; 8 left of it
class Layout : public Rect {
  public:
    Layout(Context& ui, const Rect& rect, float inset_x = 0, float inset_y = 0)
        : Rect(rect.inset(ui.px(inset_x), ui.px(inset_y))), ui_(&ui) {}
    Layout& operator=(const Rect& rect) {
        static_cast<Rect&>(*this) = rect;
        return *this;
    }

    Layout top(float size, float gap = 0) {
        const Rect item = cut_top(size);
        skip_top(gap);
        return {*ui_, item};
    }
    Layout bottom(float size, float gap = 0) {
        const Rect item = cut_bottom(size);
        skip_bottom(gap);
        return {*ui_, item};
    }
    Layout left(float size, float gap = 0) {
        const Rect item = cut_left(size);
        skip_left(gap);
        return {*ui_, item};
    }
    Layout right(float size, float gap = 0) {
        const Rect item = cut_right(size);
        skip_right(gap);
        return {*ui_, item};
    }
    // As high as a line of text and `more` units: at the top, or at the bottom.
    Layout row(float more = 0, float gap = 0) { return row(Size::small, more, gap); }
    Layout row(Size size, float more = 0, float gap = 0) {
        return top(ui_->line(size) + ui_->px(more), gap);
    }
    Layout last_row(float more = 0, float gap = 0) { return last_row(Size::small, more, gap); }
    Layout last_row(Size size, float more = 0, float gap = 0) {
        return bottom(ui_->line(size) + ui_->px(more), gap);
    }

    // Only gaps, in units.
    void skip_top(float gap) { cut_top(ui_->px(gap)); }
    void skip_bottom(float gap) { cut_bottom(ui_->px(gap)); }
    void skip_left(float gap) { cut_left(ui_->px(gap)); }
    void skip_right(float gap) { cut_right(ui_->px(gap)); }

    // The i-th of so many equal parts side by side, or one below the other. Nothing is taken.
    [[nodiscard]] Layout column(std::size_t i, std::size_t count, float gap) const {
        const auto [size, step] = part_of(w, count, gap);
        return {*ui_, {x + step * static_cast<float>(i), y, size, h}};
    }
    [[nodiscard]] Layout stacked(std::size_t i, std::size_t count, float gap) const {
        const auto [size, step] = part_of(h, count, gap);
        return {*ui_, {x, y + step * static_cast<float>(i), w, size}};
    }

    // A label that takes its own width.
    void words_left(std::string_view text, const TextStyle& style, float gap = 0) {
        Canvas canvas(*ui_);
        canvas.label(left(canvas.measure(text, style) + ui_->px(gap)), text, style);
    }
    void words_right(std::string_view text, TextStyle style, float gap = 0) {
        Canvas canvas(*ui_);
        style.align = Align::right;
        canvas.label(right(canvas.measure(text, style) + 1, gap), text, style);
    }

    // A button that takes its own width; true if it was clicked.
    bool button_left(const std::string& name, std::string_view label, float gap = 0,
                     ButtonLook look = ButtonLook::outlined, const std::string& tip = {},
                     Icon symbol = Icon::none) {
        const Rect place = left(button_width(*ui_, label, symbol), gap);
        return button(*ui_, name, place, label, look, tip, symbol);
    }
    bool button_right(const std::string& name, std::string_view label, float gap = 0,
                      ButtonLook look = ButtonLook::outlined, const std::string& tip = {},
                      Icon symbol = Icon::none) {
        const Rect place = right(button_width(*ui_, label, symbol), gap);
        return button(*ui_, name, place, label, look, tip, symbol);
    }
    // Wrapped text at the top, as high as it needs to be.
    void paragraph(std::string_view text, const TextStyle& style, float gap = 0) {
        top(Canvas(*ui_).wrapped(*this, text, style), gap);
    }

  private:
    struct Part {
        float size, step;
    };
    [[nodiscard]] Part part_of(float whole, std::size_t count, float gap) const {
        const float between = ui_->px(gap), n = static_cast<float>(count);
        const float size = std::max(0.0F, (whole - between * (n - 1)) / n);
        return {size, size + between};
    }

    Context* ui_;
};

// Places items of one height from left to right, in as many lines as needed. Gaps are in units.
class Flow {
  public:
    Flow(const Layout& rect, float tall, float gap = 0, float between = 0)
        : tall_(tall), gap_(gap), between_(between), all_(rect), line_(all_.top(tall)) {}

    // Moves to the next line if this one is full; never wider than a line.
    Layout take(float width) {
        if (width > line_.w && taken_) {
            all_.skip_top(between_);
            line_ = all_.top(tall_);
            ++lines_;
        }
        taken_ = true;
        return line_.left(width, gap_);
    }
    // The free part of the current line.
    [[nodiscard]] const Layout& rest() const { return line_; }
    [[nodiscard]] int lines() const { return lines_; }
    [[nodiscard]] float bottom() const { return line_.y + line_.h; }

  private:
    float tall_, gap_, between_;
    Layout all_, line_;
    bool taken_ = false;
    int lines_ = 1;
};

// The first of these texts that fits into the width, or else the last; pass them longest first.
inline std::string first_that_fits(const Canvas& canvas, std::initializer_list<std::string> texts,
                                   const TextStyle& style, float width) {
    for (const std::string& text : texts)
        if (canvas.measure(text, style) <= width) return text;
    return texts.size() == 0 ? std::string() : *(texts.end() - 1);
}

// Draws it as a label.
inline void label_that_fits(Canvas& canvas, const Rect& rect,
                            std::initializer_list<std::string> texts, const TextStyle& style) {
    canvas.label(rect, first_that_fits(canvas, texts, style, rect.w), style);
}

// The style in small type if the text does not fit otherwise.
inline TextStyle style_that_fits(const Canvas& canvas, std::string_view text, TextStyle style,
                                 float width) {
    if (canvas.measure(text, style) > width) style.size = Size::small;
    return style;
}

// The first of these captions that fits (Canvas::caption).
inline std::string fitting_caption(const Canvas& canvas, std::initializer_list<std::string> texts,
                                   float width) {
    return first_that_fits(canvas, texts, {.face = Face::bold, .size = Size::small}, width);
}

// Draws it.
inline void caption_that_fits(Context& ui, const Rect& rect,
                              std::initializer_list<std::string> texts) {
    Canvas canvas(ui);
    canvas.caption(rect, fitting_caption(canvas, texts, rect.w));
}

}  // namespace headlight::ui
