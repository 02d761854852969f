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
    std::optional<float> pixels{};  // another height than the size's own (subscripts)
};

// A line of corners and curves, put together before it is drawn.
class Path {
  public:
    Path& to(ImVec2 point) {
        points_.push_back(point);
        return *this;
    }
    Path& curve(ImVec2 control, ImVec2 end);  // a quadratic Bézier curve
    // Angles in radians from the right, clockwise.
    Path& arc(ImVec2 center, float radius, float from, float until);

    [[nodiscard]] const std::vector<ImVec2>& points() const { return points_; }

  private:
    std::vector<ImVec2> points_;
};

// All that the views draw, with the context's fonts and colors. What is said to it is painted, and
// recorded where somebody wants that (Context::record). Holds nothing; make one where you draw.
// Text may be empty, and a rectangle without room for it gets none.
class Canvas {
  public:
    enum class Over { window, everything };
    explicit Canvas(Context& ui, Over over = Over::window)
        : ui_(ui),
          list_(over == Over::window ? ImGui::GetWindowDrawList()
                                     : ImGui::GetForegroundDrawList()) {}

    // While it lives nothing is drawn outside of a rectangle.
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
    // One line with its top left corner at `at`; returns its width.
    float text(ImVec2 at, std::string_view text, const TextStyle& style);
    // One line in the rectangle, centered vertically, cut with "…" where it does not fit; empty
    // where not even that does.
    void label(const Rect& rect, std::string_view text, const TextStyle& style);
    [[nodiscard]] std::string shortened(std::string_view text, const TextStyle& style,
                                        float width) const;

    [[nodiscard]] ImVec2 measure_wrapped(std::string_view text, const TextStyle& style,
                                         float width) const;
    // The lines, which are pieces of the text: what stands between them is not drawn.
    [[nodiscard]] std::vector<std::string_view> wrapped_lines(std::string_view text,
                                                              const TextStyle& style,
                                                              float width) const;
    [[nodiscard]] float wrapped_step(const TextStyle& style) const;  // from one to the next
    // Returns the height that the text took.
    float wrapped(const Rect& rect, std::string_view text, const TextStyle& style);

    // One line that reads upwards, centered in the rectangle.
    void upright(const Rect& rect, std::string_view text, const TextStyle& style);

    void fill(const Rect& rect, ImU32 color, float rounding = 0);
    void outline(const Rect& rect, ImU32 color, float thickness = 1, float rounding = 0);
    // An outline on a picture of any colors: with a halo that sets it off.
    void mark(const Rect& rect, ImU32 color, float thickness);
    void line(ImVec2 from, ImVec2 to, ImU32 color, float thickness = 1);
    void path(std::vector<ImVec2> points, ImU32 color, float thickness, bool closed = false);
    // Filled; with a thickness its outline.
    void triangle(ImVec2 a, ImVec2 b, ImVec2 c, ImU32 color, float thickness = 0);
    void circle(ImVec2 center, float radius, ImU32 color, float thickness = 0);
    void gradient(const DrawnGradient& gradient) { put(gradient); }
    void card(const Rect& rect, ImU32 color);  // rounded, with a hair of a border
    void matrix(const Rect& rect, MatrixPicture picture, float alpha = 1, float rounding = 0);
    void photo(const Rect& rect, PhotoPicture picture, float rounding = 0, float alpha = 1);
    // A caption in small capitals' stead: "HEADS · LAYER".
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

// Black or white, whichever reads better on the given color.
ImU32 ink_on(gl::Rgb color);

// Numbers as they are written everywhere: about four characters that matter, "−" for minus.
std::string number(double value, int digits = 3);

}  // namespace headlight::ui
