#include "ui/equation.h"

#include <algorithm>

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
    std::size_t close = at;
    for (int depth = 0; close < text.size(); ++close) {
        depth += text[close] == '{' ? 1 : text[close] == '}' ? -1 : 0;
        if (depth == 0) break;
    }
    const std::string_view inside = text.substr(at + 1, close - at - 1);
    at = std::min(close + 1, text.size());
    return inside;
}

constexpr std::string_view kFraction = "\\frac{", kRoot = "\\sqrt{", kRootSign = "√";
constexpr float kPart = 0.8F;   // size of a numerator or denominator
constexpr float kAxis = 0.55F;  // of the height: where the bar lies
constexpr float kGap = 0.06F;   // of the height, between the bar and its numerator or denominator
constexpr float kEnds =
    0.12F;  // of the height: the bar reaches so far beyond them, and so does its margin

// Measures and draws an equation.
class Setting {
  public:
    using ColorOf = std::function<ImU32(const std::string&)>;
    Setting(Context& ui, Size size) : ui_(ui), canvas_(ui), size_(size) {}

    [[nodiscard]] float width(const std::vector<Glyphs>& equation, float scale) const {
        float width = 0;
        for (const Glyphs& g : equation) width += width_of(g, scale);
        return width;
    }

    // From its upper left corner; notes the named symbol under the pointer in `hovered`.
    void draw(ImVec2 at, const std::vector<Glyphs>& equation, float scale, const ColorOf& color) {
        for (const Glyphs& g : equation) {
            draw(at, g, scale, color);
            at.x += width_of(g, scale);
        }
    }
    [[nodiscard]] float height(float scale) const { return ui_.fonts().pixels(size_) * scale; }
    std::string hovered;

  private:
    [[nodiscard]] TextStyle style(int level, float scale) const {
        return {.size = size_, .pixels = script_pixels(ui_, size_, level) * scale};
    }
    [[nodiscard]] float width_of(const Glyphs& g, float scale) const {
        if (g.kind == Glyphs::Kind::fraction)
            return std::max(width(g.inside, scale * kPart), width(g.below, scale * kPart)) +
                   4 * kEnds * height(scale);
        if (g.kind == Glyphs::Kind::root)
            return canvas_.measure(kRootSign, style(0, scale)) + width(g.inside, scale);
        return canvas_.measure(g.text, style(g.level, scale));
    }

    void draw(ImVec2 at, const Glyphs& g, float scale, const ColorOf& color) {
        const float tall = height(scale), bar = std::max(1.0F, tall / 14);
        const ImU32 ink = ui_.colors().text;
        if (g.kind == Glyphs::Kind::fraction) {
            const float wide = width_of(g, scale), axis = at.y + tall * kAxis, ends = tall * kEnds;
            canvas_.line({at.x + ends, axis}, {at.x + wide - ends, axis}, ink, bar);
            const auto left = [&](const std::vector<Glyphs>& part) {
                return at.x + (wide - width(part, scale * kPart)) / 2;
            };
            draw({left(g.inside), axis - tall * (kGap + kPart)}, g.inside, scale * kPart, color);
            draw({left(g.below), axis + tall * kGap}, g.below, scale * kPart, color);
        } else if (g.kind == Glyphs::Kind::root) {
            TextStyle sign = style(0, scale);
            sign.color = ink;
            const float x = at.x + canvas_.text(at, kRootSign, sign);
            const float top = at.y + tall * 0.12F;
            canvas_.line({x, top}, {x + width(g.inside, scale), top}, ink, bar);
            draw({x, at.y}, g.inside, scale, color);
        } else {
            draw_text(at, g, scale, g.name.empty() ? ink : color(g.name));
        }
    }

    void draw_text(ImVec2 at, const Glyphs& g, float scale, ImU32 ink) {
        TextStyle text = style(g.level, scale);
        text.color = ink;
        const float tall = height(scale), pixels = script_pixels(ui_, size_, g.level) * scale;
        const float y = g.level == 0  ? at.y
                        : g.level < 0 ? at.y + tall * kLowest - pixels
                                      : at.y - tall * 0.12F;
        const float step = canvas_.text({at.x, y}, g.text, text);
        if (!g.name.empty() && Rect{at.x, at.y, step, tall}.contains(ImGui::GetIO().MousePos))
            hovered = g.name;
    }

    Context& ui_;
    Canvas canvas_;
    Size size_;
};

}  // namespace

std::vector<Glyphs> parse_equation(std::string_view text) {
    std::vector<Glyphs> glyphs;
    std::string owner;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with(kFraction) || rest.starts_with(kRoot)) {
            const bool fraction = rest.starts_with(kFraction);
            Glyphs part;
            part.kind = fraction ? Glyphs::Kind::fraction : Glyphs::Kind::root;
            at += (fraction ? kFraction : kRoot).size() - 1;
            part.inside = parse_equation(braced(text, at));
            if (fraction && at < text.size() && text[at] == '{')
                part.below = parse_equation(braced(text, at));
            glyphs.push_back(std::move(part));
        } else if (text[at] == '{') {
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
            const std::size_t next = std::min(text.find_first_of("{_^\\", at + 1), text.size());
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
    return Setting(ui, size).width(equation, 1);
}

std::string equation(Context& ui, const Rect& rect, const std::vector<Glyphs>& equation, Size size,
                     Align align, const std::function<ImU32(const std::string&)>& color) {
    if (equation.empty() || rect.empty()) return "";
    Setting setting(ui, size);
    const float width = setting.width(equation, 1);
    const float shrink = width > rect.w ? rect.w / width : 1.0F;
    float x = rect.x;
    if (align == Align::center) x += (rect.w - width * shrink) / 2;
    if (align == Align::right) x += rect.w - width * shrink;
    setting.draw({x, rect.y + (rect.h - setting.height(shrink)) / 2}, equation, shrink, color);
    return setting.hovered;
}

}  // namespace headlight::ui
