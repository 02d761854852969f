#include "ui/equation.h"

#include <algorithm>

namespace headlight::ui {

namespace {

constexpr float kScript = 0.72F;  // height of a script relative to its symbol

constexpr float kLowest = 1.18F;  // where a subscript ends
constexpr float kRise = 0.12F;    // how far a superscript begins above the line

// Scripts are at least as large as labels.
float script_pixels(const Context& ui, Size size, int level) {
    const float whole = ui.fonts().pixels(size);
    return level == 0 ? whole : std::max(whole * kScript, ui.fonts().pixels(Size::small));
}

// The text in braces at `at`, which moves behind them.
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

constexpr std::string_view kFraction = "\\frac{", kRoot = "\\sqrt{", kLimits = "\\limits{";
constexpr std::string_view kRootSign = "√";
constexpr float kPart = 0.8F;   // size of a numerator or denominator
constexpr float kAxis = 0.55F;  // of the height: where the bar lies
constexpr float kGap = 0.06F;   // of the height, between a bar and what is above or below it
constexpr float kEnds =
    0.12F;  // of the height: the bar reaches so far beyond them, and so does its margin
constexpr float kRootBar = 0.12F;    // of the height: where a root's bar lies
constexpr float kLargeSign = 1.2F;   // size of a sum's or product's sign with limits
constexpr float kLimitGap = 0.08F;   // of the height, between a sign and its limits
constexpr float kLimitSide = 0.06F;  // of the height: margin on each side of a sign with limits
// Where the ink of a line of text begins and ends, of its height: Inter's brackets, its base line,
// the descenders of its letters.
constexpr float kInkTop = 0.17F, kInkBase = 0.82F, kInkDescent = 0.98F;

bool is_spelled_out(std::string_view sign) {
    return static_cast<unsigned char>(sign.front()) < 0x80;
}

float ink_bottom(std::string_view text) {
    return text.find_first_of("gjpqy,;()[]|") == std::string_view::npos ? kInkBase : kInkDescent;
}

// Measures and draws an equation.
class Setting {
  public:
    using ColorOf = std::function<ImU32(const std::string&)>;
    Setting(Context& ui, Size size, std::optional<ImU32> ink = std::nullopt)
        : ui_(ui), canvas_(ui), size_(size), ink_(ink.value_or(ui.colors().text)) {}

    [[nodiscard]] EquationExtent extent(const std::vector<Glyphs>& equation, float scale) const {
        EquationExtent whole{0, 0, height(scale)};
        for (const Glyphs& g : equation) {
            const EquationExtent part = extent_of(g, scale);
            whole = {whole.width + part.width, std::min(whole.top, part.top),
                     std::max(whole.bottom, part.bottom)};
        }
        return whole;
    }

    // From its line's upper left corner; notes the named symbol under the pointer in `hovered`.
    void draw(ImVec2 at, const std::vector<Glyphs>& equation, float scale, const ColorOf& color) {
        for (const Glyphs& g : equation) {
            draw(at, g, scale, color);
            at.x += extent_of(g, scale).width;
        }
    }
    [[nodiscard]] float height(float scale) const { return ui_.fonts().pixels(size_) * scale; }
    std::string hovered;

  private:
    // A fraction or a sign with limits, whose parts are centered on each other. The lines of its
    // upper and lower part begin at y.
    struct Stack {
        EquationExtent whole, upper, lower;
        float upper_y = 0, lower_y = 0;
    };
    // The bar is at that y, the sign's lowest point at `bottom`. The font's sign has one height;
    // for a taller radicand it is drawn.
    struct Root {
        EquationExtent whole;
        float sign_width = 0, bar = 0, bottom = 0;
        bool taller = false;
    };

    [[nodiscard]] TextStyle style(int level, float scale) const {
        return {.size = size_, .pixels = script_pixels(ui_, size_, level) * scale};
    }

    [[nodiscard]] Stack fraction(const Glyphs& g, float scale) const {
        const float tall = height(scale);
        Stack f{{}, extent(g.inside, scale * kPart), extent(g.below, scale * kPart)};
        f.upper_y = tall * (kAxis - kGap) - f.upper.bottom;
        f.lower_y = tall * (kAxis + kGap) - f.lower.top;
        f.whole = {std::max(f.upper.width, f.lower.width) + 4 * kEnds * tall,
                   f.upper_y + f.upper.top, f.lower_y + f.lower.bottom};
        return f;
    }

    [[nodiscard]] Root root(const Glyphs& g, float scale) const {
        const float tall = height(scale);
        const EquationExtent inside = extent(g.inside, scale);
        const float rise = std::max(-inside.top, 0.0F),
                    drop = std::max(inside.bottom - tall * kLowest, 0.0F);
        Root r{{}, canvas_.measure(kRootSign, style(0, scale))};
        r.taller = rise > 0 || drop > 0;
        r.bar = rise > 0 ? -rise - tall * kGap : tall * kRootBar;
        r.bottom = tall * kInkBase + drop;
        r.whole = {r.sign_width + inside.width, std::min(r.bar - tall * kGap, 0.0F), inside.bottom};
        return r;
    }

    [[nodiscard]] TextStyle sign_style(const Glyphs& g, float scale) const {
        TextStyle sign = style(0, scale);
        if (!is_spelled_out(g.text)) *sign.pixels *= kLargeSign;
        return sign;
    }
    // The upper edge of the sign's own line. A larger sign grows about the axis.
    [[nodiscard]] float sign_y(const Glyphs& g, float scale) const {
        return (height(scale) - *sign_style(g, scale).pixels) * kAxis;
    }
    [[nodiscard]] Stack limits(const Glyphs& g, float scale) const {
        const float tall = height(scale), gap = tall * kLimitGap;
        const TextStyle sign = sign_style(g, scale);
        const float y = sign_y(g, scale), script = *style(-1, scale).pixels;
        // The signs of sums and products reach as far down as a descender.
        const float base = is_spelled_out(g.text) ? ink_bottom(g.text) : kInkDescent;
        Stack l{{canvas_.measure(g.text, sign), 0, tall}, {}, {}};
        if (!g.inside.empty()) {
            const std::string& text = g.inside.front().text;
            l.upper.width = canvas_.measure(text, style(1, scale));
            l.upper_y = y + *sign.pixels * kInkTop - gap - script * ink_bottom(text);
            l.whole.top = std::min(l.whole.top, l.upper_y + script * kInkTop);
        }
        if (!g.below.empty()) {
            l.lower.width = canvas_.measure(g.below.front().text, style(-1, scale));
            l.lower_y = y + *sign.pixels * base + gap - script * kInkTop;
            l.whole.bottom = std::max(l.whole.bottom, l.lower_y + script);
        }
        l.whole.width =
            std::max({l.whole.width, l.upper.width, l.lower.width}) + 2 * kLimitSide * tall;
        return l;
    }

    [[nodiscard]] EquationExtent extent_of(const Glyphs& g, float scale) const {
        const float tall = height(scale);
        switch (g.kind) {
            case Glyphs::Kind::fraction:
                return fraction(g, scale).whole;
            case Glyphs::Kind::root:
                return root(g, scale).whole;
            case Glyphs::Kind::limits:
                return limits(g, scale).whole;
            case Glyphs::Kind::text:
                break;
        }
        return {canvas_.measure(g.text, style(g.level, scale)), g.level > 0 ? -tall * kRise : 0,
                g.level < 0 ? tall * kLowest : tall};
    }

    void draw(ImVec2 at, const Glyphs& g, float scale, const ColorOf& color) {
        switch (g.kind) {
            case Glyphs::Kind::fraction:
                return draw_fraction(at, g, scale, color);
            case Glyphs::Kind::root:
                return draw_root(at, g, scale, color);
            case Glyphs::Kind::limits:
                return draw_limits(at, g, scale);
            case Glyphs::Kind::text:
                return draw_text(at, g, scale, g.name.empty() ? ink_ : color(g.name));
        }
    }
    [[nodiscard]] float bar(float scale) const { return std::max(1.0F, height(scale) / 14); }

    void draw_fraction(ImVec2 at, const Glyphs& g, float scale, const ColorOf& color) {
        const Stack f = fraction(g, scale);
        const float tall = height(scale), axis = at.y + tall * kAxis, ends = tall * kEnds;
        const float wide = f.whole.width;
        canvas_.line({at.x + ends, axis}, {at.x + wide - ends, axis}, ink_, bar(scale));
        draw({at.x + (wide - f.upper.width) / 2, at.y + f.upper_y}, g.inside, scale * kPart, color);
        draw({at.x + (wide - f.lower.width) / 2, at.y + f.lower_y}, g.below, scale * kPart, color);
    }

    void draw_root(ImVec2 at, const Glyphs& g, float scale, const ColorOf& color) {
        const Root r = root(g, scale);
        const float x = at.x + r.sign_width, end = at.x + r.whole.width, top = at.y + r.bar;
        if (r.taller) {
            const float bottom = at.y + r.bottom, hook = bottom - height(scale) * 0.3F;
            canvas_.path({{at.x + r.sign_width * 0.1F, hook},
                          {at.x + r.sign_width * 0.3F, hook - height(scale) * 0.05F},
                          {at.x + r.sign_width * 0.55F, bottom},
                          {x, top},
                          {end, top}},
                         ink_, bar(scale));
        } else {
            TextStyle sign = style(0, scale);
            sign.color = ink_;
            canvas_.text(at, kRootSign, sign);
            canvas_.line({x, top}, {end, top}, ink_, bar(scale));
        }
        draw({x, at.y}, g.inside, scale, color);
    }

    void draw_limits(ImVec2 at, const Glyphs& g, float scale) {
        const Stack l = limits(g, scale);
        const auto put = [&](std::string_view text, TextStyle style, float y) {
            style.color = ink_;
            const float x = at.x + (l.whole.width - canvas_.measure(text, style)) / 2;
            canvas_.text({x, at.y + y}, text, style);
        };
        put(g.text, sign_style(g, scale), sign_y(g, scale));
        if (!g.inside.empty()) put(g.inside.front().text, style(1, scale), l.upper_y);
        if (!g.below.empty()) put(g.below.front().text, style(-1, scale), l.lower_y);
    }

    void draw_text(ImVec2 at, const Glyphs& g, float scale, ImU32 ink) {
        TextStyle text = style(g.level, scale);
        text.color = ink;
        const float tall = height(scale), pixels = script_pixels(ui_, size_, g.level) * scale;
        const float y = g.level == 0  ? at.y
                        : g.level < 0 ? at.y + tall * kLowest - pixels
                                      : at.y - tall * kRise;
        const float step = canvas_.text({at.x, y}, g.text, text);
        if (!g.name.empty() && Rect{at.x, at.y, step, tall}.contains(ImGui::GetIO().MousePos))
            hovered = g.name;
    }

    Context& ui_;
    Canvas canvas_;
    Size size_;
    ImU32 ink_;
};

}  // namespace

std::vector<Glyphs> parse_equation(std::string_view text) {
    std::vector<Glyphs> glyphs;
    std::string owner;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        if (!rest.starts_with("_{") && !rest.starts_with("^{")) owner.clear();
        if (rest.starts_with(kFraction) || rest.starts_with(kRoot)) {
            const bool fraction = rest.starts_with(kFraction);
            Glyphs part;
            part.kind = fraction ? Glyphs::Kind::fraction : Glyphs::Kind::root;
            at += (fraction ? kFraction : kRoot).size() - 1;
            part.inside = parse_equation(braced(text, at));
            if (fraction && at < text.size() && text[at] == '{')
                part.below = parse_equation(braced(text, at));
            glyphs.push_back(std::move(part));
        } else if (rest.starts_with(kLimits)) {
            Glyphs part;
            part.kind = Glyphs::Kind::limits;
            at += kLimits.size() - 1;
            part.text = braced(text, at);
            if (part.text.empty()) continue;
            // A second one of a kind is a script.
            for (std::string_view tail = text.substr(at);
                 (tail.starts_with("_{") && part.below.empty()) ||
                 (tail.starts_with("^{") && part.inside.empty());
                 tail = text.substr(at)) {
                const bool below = tail.front() == '_';
                Glyphs limit;
                limit.level = below ? -1 : 1;
                limit.text = braced(text, ++at);
                if (limit.text.empty()) continue;
                (below ? part.below : part.inside).push_back(std::move(limit));
            }
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
    const float below = ui.fonts().pixels(Size::body) * (kLowest - 0.5F);  // below the middle
    return below <= ui.line(Size::small) * 0.6F ? Size::body : Size::small;
}

EquationExtent equation_extent(Context& ui, const std::vector<Glyphs>& equation, Size size) {
    return Setting(ui, size).extent(equation, 1);
}

float equation_width(Context& ui, const std::vector<Glyphs>& equation, Size size) {
    return equation_extent(ui, equation, size).width;
}

std::string equation(Context& ui, const Rect& rect, const std::vector<Glyphs>& equation, Size size,
                     Align align, const std::function<ImU32(const std::string&)>& color,
                     std::optional<ImU32> ink) {
    if (equation.empty() || rect.empty()) return "";
    Setting setting(ui, size, ink);
    const float width = setting.extent(equation, 1).width;
    const float shrink = width > rect.w ? rect.w / width : 1.0F;
    float x = rect.x;
    if (align == Align::center) x += (rect.w - width * shrink) / 2;
    if (align == Align::right) x += rect.w - width * shrink;
    setting.draw({x, rect.y + (rect.h - setting.height(shrink)) / 2}, equation, shrink, color);
    return setting.hovered;
}

}  // namespace headlight::ui
