#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/context.h"

namespace headlight::ui {

enum class Align { left, center, right };

struct TextStyle {
    Face face = Face::words;
    Size size = Size::body;
    ImU32 color = 0;  // 0: the palette's text colour
    Align align = Align::left;
    std::optional<float> pixels{};  // another height than the size's own (subscripts)
};

// Drawing on a list with the context's fonts and colours. Holds nothing; make one where you draw.
// Text may be empty, and a rectangle without room for it gets none.
class Canvas {
  public:
    explicit Canvas(Context& ui, ImDrawList* list = nullptr)
        : ui_(ui), list_(list != nullptr ? list : ImGui::GetWindowDrawList()) {}

    [[nodiscard]] ImDrawList* list() const { return list_; }

    [[nodiscard]] float measure(std::string_view text, const TextStyle& style) const;
    // One line with its top left corner at `at`; returns its width.
    float text(ImVec2 at, std::string_view text, const TextStyle& style);
    // One line in the rectangle, centred vertically, cut with "…" where it does not fit; empty
    // where not even that does.
    void label(const Rect& rect, std::string_view text, const TextStyle& style);
    [[nodiscard]] std::string shortened(std::string_view text, const TextStyle& style,
                                        float width) const;

    [[nodiscard]] ImVec2 measure_wrapped(std::string_view text, const TextStyle& style,
                                         float width) const;
    // Returns the height that the text took.
    float wrapped(const Rect& rect, std::string_view text, const TextStyle& style);

    // One line that reads upwards, centred in the rectangle.
    void upright(const Rect& rect, std::string_view text, const TextStyle& style);

    void fill(const Rect& rect, ImU32 color, float rounding = 0);
    void outline(const Rect& rect, ImU32 color, float thickness = 1, float rounding = 0);
    // An outline on a picture of any colours: with a halo that sets it off.
    void mark(const Rect& rect, ImU32 color, float thickness);
    void line(ImVec2 from, ImVec2 to, ImU32 color, float thickness = 1);
    void card(const Rect& rect, ImU32 color);  // rounded, with a hair of a border
    void image(const Rect& rect, std::uint32_t texture, float alpha = 1.0F, float rounding = 0);
    // A caption in small capitals' stead: "HEADS · LAYER".
    void caption(const Rect& rect, std::string_view text);
    void arrow_right(ImVec2 center, float size, ImU32 color);

  private:
    [[nodiscard]] std::vector<std::string_view> wrapped_lines(std::string_view text,
                                                              const TextStyle& style,
                                                              float width) const;
    [[nodiscard]] float wrapped_step(const TextStyle& style) const;
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

// Black or white, whichever reads better on the given colour.
ImU32 ink_on(gl::Rgb color);

// Numbers as they are written everywhere: about four characters that matter, "−" for minus.
std::string number(double value, int digits = 3);

}  // namespace headlight::ui
