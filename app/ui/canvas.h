#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ui/context.h"
#include "ui/drawn.h"
#include "ui/paint.h"

namespace headlight::ui {

enum class Align { left, center, right };

struct TextStyle {
    Face face = Face::words;
    Size size = Size::body;
    ImU32 color = 0;  // 0: the palette's text color
    Align align = Align::left;
    std::optional<float> pixels{};  // line height in pixels instead of the size's own (subscripts)
};

// A path of lines and curves, built before it is drawn.
class Path {
  public:
    Path& to(ImVec2 point) {
        points_.push_back(point);
        return *this;
    }
    Path& curve(ImVec2 control, ImVec2 end);  // a quadratic Bézier curve
    // Angles in radians, clockwise from the positive x axis.
    Path& arc(ImVec2 center, float radius, float from, float until);

    [[nodiscard]] const std::vector<ImVec2>& points() const { return points_; }

  private:
    std::vector<ImVec2> points_;
};

// Everything that the views draw, with the context's fonts and colors. Drawing calls are painted
// and, if requested, recorded (Context::record). A Canvas has no state; create one where you draw.
// Text may be empty; a rectangle without room for its text gets none.
class Canvas {
  public:
    enum class Over { window, everything };
    explicit Canvas(Context& ui, Over over = Over::window)
        : ui_(ui),
          list_(over == Over::window ? ImGui::GetWindowDrawList()
                                     : ImGui::GetForegroundDrawList()) {}

    // Clips all drawing to a rectangle during its lifetime.
    class Clip {
      public:
        Clip(ImDrawList* list, const Rect& rect) : list_(list) {
            list_->PushClipRect(rect.min(), rect.max(), true);
        }
        ~Clip() { list_->PopClipRect(); }
        Clip(const Clip&) = delete;
        Clip& operator=(const Clip&) = delete;

      private:
        ImDrawList* list_;
    };
    [[nodiscard]] Clip clip(const Rect& rect) { return {list_, rect}; }

    [[nodiscard]] float measure(std::string_view text, const TextStyle& style) const;
    // One line with its top left corner at `at`; returns its width in pixels.
    float text(ImVec2 at, std::string_view text, const TextStyle& style);
    // One line in the rectangle, centered vertically and shortened with "…" if needed; nothing if
    // not even that fits.
    void label(const Rect& rect, std::string_view text, const TextStyle& style);
    [[nodiscard]] std::string shortened(std::string_view text, const TextStyle& style,
                                        float width) const;

    [[nodiscard]] ImVec2 measure_wrapped(std::string_view text, const TextStyle& style,
                                         float width) const;
    // The wrapped lines as views into the text. The spaces at line breaks belong to none.
    [[nodiscard]] std::vector<std::string_view> wrapped_lines(std::string_view text,
                                                              const TextStyle& style,
                                                              float width) const;
    [[nodiscard]] float wrapped_step(const TextStyle& style) const;  // line distance, pixels
    // Returns the height of the text in pixels.
    float wrapped(const Rect& rect, std::string_view text, const TextStyle& style);

    // One line rotated to read upwards, centered in the rectangle.
    void upright(const Rect& rect, std::string_view text, const TextStyle& style);

    void fill(const Rect& rect, ImU32 color, float rounding = 0);
    void outline(const Rect& rect, ImU32 color, float thickness = 1, float rounding = 0);
    // An outline on a picture, with a halo for contrast on any color.
    void mark(const Rect& rect, ImU32 color, float thickness);
    void line(ImVec2 from, ImVec2 to, ImU32 color, float thickness = 1);
    void path(std::vector<ImVec2> points, ImU32 color, float thickness, bool closed = false);
    // Filled, or with a thickness only its outline.
    void triangle(ImVec2 a, ImVec2 b, ImVec2 c, ImU32 color, float thickness = 0);
    void circle(ImVec2 center, float radius, ImU32 color, float thickness = 0);
    void gradient(const DrawnGradient& gradient) { put(gradient); }
    void card(const Rect& rect, ImU32 color);  // rounded, with a hairline border
    void matrix(const Rect& rect, MatrixPicture picture, float alpha = 1, float rounding = 0);
    void photo(const Rect& rect, PhotoPicture picture, float rounding = 0, float alpha = 1);
    // A caption in capitals instead of small capitals: "HEADS · LAYER".
    void caption(const Rect& rect, std::string_view text);
    void arrow_right(ImVec2 center, float size, ImU32 color);

  private:
    template <class What>
    void put(What what) {
        if constexpr (std::is_same_v<What, DrawnText>) ui_.took_text(what.rect());
        if (ui_.paints()) paint(ui_, *list_, what);
        if (Recording* recording = ui_.recording()) recording->add(*list_, std::move(what));
    }
    [[nodiscard]] ImFont* font(const TextStyle& style) const {
        return ui_.fonts().get(style.face, style.size);
    }
    [[nodiscard]] float pixels(const TextStyle& style) const {
        return style.pixels.value_or(ui_.fonts().pixels(style.size, style.face));
    }
    [[nodiscard]] ImU32 color(const TextStyle& style) const {
        return style.color != 0 ? style.color : ui_.colors().text;
    }
    Context& ui_;
    ImDrawList* list_;
};

// Black or white, whichever has more contrast with the given color.
ImU32 ink_on(gl::Rgb color);

// The number format used everywhere: about four significant characters, "−" for minus.
std::string number(double value, int digits = 3);

}  // namespace headlight::ui
