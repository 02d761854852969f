#include "ui/equation.h"

namespace headlight::ui {

namespace {

constexpr float kScript = 0.72F;  // height of a script beside its symbol

constexpr float kLowest = 1.18F;  // where what stands below the line ends

// Of a script never less than a label's.
float script_pixels(const Context& ui, Size size, int level) {
    const float whole = ui.fonts().pixels(size);
    return level == 0 ? whole : std::max(whole * kScript, ui.fonts().pixels(Size::small));
}

// The text between braces at `at`, which is moved behind them.
std::string_view braced(std::string_view text, std::size_t& at) {
    const std::size_t close = text.find('}', at);
    const std::string_view inside = text.substr(at + 1, close - at - 1);
    at = close == std::string_view::npos ? text.size() : close + 1;
    return inside;
}

}  // namespace

std::vector<Glyphs> parse_equation(std::string_view text) {
    std::vector<Glyphs> glyphs;
    std::string owner;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '{') {
            const std::string_view inside = braced(text, at);
            const std::size_t colon = inside.find(':');
            owner = std::string(inside.substr(0, colon));
            glyphs.push_back(
                {std::string(colon == std::string_view::npos ? inside : inside.substr(colon + 1)),
                 owner, 0});
        } else if ((text[at] == '_' || text[at] == '^') && at + 1 < text.size() &&
                   text[at + 1] == '{') {
            const int level = text[at] == '_' ? -1 : 1;
            glyphs.push_back({std::string(braced(text, ++at)), owner, level});
        } else {
            const std::size_t next = std::min(text.find_first_of("{_^", at + 1), text.size());
            glyphs.push_back({std::string(text.substr(at, next - at)), "", 0});
            at = next;
        }
    }
    return glyphs;
}

Size symbol_size(const Context& ui) {
    const float below = ui.fonts().pixels(Size::body) * (kLowest - 0.5F);  // the line's middle
    return below <= ui.line(Size::small) * 0.6F ? Size::body : Size::small;
}

float equation_width(Context& ui, const std::vector<Glyphs>& equation, Size size) {
    const Canvas canvas(ui);
    float width = 0;
    for (const Glyphs& g : equation)
        width += canvas.measure(g.text, {.size = size, .pixels = script_pixels(ui, size, g.level)});
    return width;
}

std::string equation(Context& ui, const Rect& rect, const std::vector<Glyphs>& equation, Size size,
                     Align align, const std::function<ImU32(const std::string&)>& color) {
    if (equation.empty() || rect.empty()) return "";
    Canvas canvas(ui);
    const float width = equation_width(ui, equation, size);
    const float shrink = width > rect.w ? rect.w / width : 1.0F;
    float x = rect.x;
    if (align == Align::center) x += (rect.w - width * shrink) / 2;
    if (align == Align::right) x += rect.w - width * shrink;
    const float height = ui.fonts().pixels(size) * shrink;
    const float base = rect.y + (rect.h - height) / 2;

    std::string hovered;
    for (const Glyphs& g : equation) {
        const float pixels = script_pixels(ui, size, g.level) * shrink;
        const float y = g.level == 0  ? base
                        : g.level < 0 ? base + height * kLowest - pixels
                                      : base - height * 0.12F;
        const TextStyle style{.size = size,
                              .color = g.name.empty() ? ui.colors().text : color(g.name),
                              .pixels = pixels};
        const float step = canvas.text({x, y}, g.text, style);
        if (!g.name.empty() && Rect{x, base, step, height}.contains(ImGui::GetIO().MousePos))
            hovered = g.name;
        x += step;
    }
    return hovered;
}

}  // namespace headlight::ui
