#include "ui/canvas.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdio>

#include "ui/line_end.h"
#include "ui/utf8.h"

namespace headlight::ui {

namespace {

constexpr int kCurveSteps = 16;

}  // namespace

Path& Path::curve(ImVec2 control, ImVec2 end) {
    const ImVec2 begin = points_.back();
    for (int i = 1; i <= kCurveSteps; ++i) {
        const float t = static_cast<float>(i) / kCurveSteps, rest = 1 - t;
        const float a = rest * rest, b = 2 * rest * t, c = t * t;
        to({a * begin.x + b * control.x + c * end.x, a * begin.y + b * control.y + c * end.y});
    }
    return *this;
}

Path& Path::arc(ImVec2 center, float radius, float from, float until) {
    for (int i = 0; i <= kCurveSteps; ++i) {
        const float angle = from + (until - from) * static_cast<float>(i) / kCurveSteps;
        to({center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)});
    }
    return *this;
}

float Canvas::measure(std::string_view text, const TextStyle& style) const {
    if (text.empty()) return 0;  // ImGui would take strlen of a pointer that may be null
    return font(style)
        ->CalcTextSizeA(pixels(style), FLT_MAX, 0, text.data(), text.data() + text.size())
        .x;
}

float Canvas::text(ImVec2 at, std::string_view text, const TextStyle& style) {
    if (text.empty() || pixels(style) < 1) return 0;
    ui_.need(style.face, style.size, text);
    const float width = measure(text, style);
    put(DrawnText{.at = {std::round(at.x), std::round(at.y)},
                  .width = width,
                  .text = std::string(text),
                  .face = style.face,
                  .size = style.size,
                  .pixels = pixels(style),
                  .color = color(style)});
    return width;
}

std::string Canvas::shortened(std::string_view text, const TextStyle& style, float width) const {
    if (measure(text, style) <= width) return std::string(text);
    if (measure("…", style) > width) return "";
    while (!text.empty()) {
        text = without_last_letter(text);
        std::string cut = std::string(text) + "…";
        if (!text.empty() && measure(cut, style) <= width) return cut;
    }
    return "";
}

void Canvas::label(const Rect& rect, std::string_view what, const TextStyle& style) {
    if (rect.empty()) return;
    const std::string shown = shortened(what, style, rect.w);
    const float width = measure(shown, style);
    float x = rect.x;
    if (style.align == Align::center) x += (rect.w - width) / 2;
    if (style.align == Align::right) x += rect.w - width;
    text({x, rect.y + (rect.h - pixels(style)) / 2}, shown, style);
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter_or_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// ImGui also breaks lines after periods and commas, even inside a number or the name of a file, and
// before a percent sign. Then the line must end before that word, if there is text before it.
// Returns the number of bytes that the line takes.
std::size_t before_word(std::string_view text, std::size_t taken) {
    const bool in_word = taken >= 2 && taken < text.size() && is_letter_or_digit(text[taken]) &&
                         (text[taken - 1] == '.' || text[taken - 1] == ',') &&
                         is_letter_or_digit(text[taken - 2]);
    if (!in_word && !is_before_percent(text, taken)) return taken;
    const std::size_t blank = text.substr(0, taken).find_last_of(" \n");
    return blank == 0 || blank == std::string_view::npos ? taken : blank;
}

}  // namespace

bool is_before_percent(std::string_view text, std::size_t at) {
    return at >= 1 && at < text.size() && is_digit(text[at - 1]) &&
           text.substr(at).starts_with(" %");
}

std::vector<std::string_view> Canvas::wrapped_lines(std::string_view text, const TextStyle& style,
                                                    float width) const {
    const float scale = pixels(style) / font(style)->FontSize;
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const char* stop = font(style)->CalcWordWrapPositionA(scale, text.data(),
                                                              text.data() + text.size(), width);
        std::size_t taken = static_cast<std::size_t>(stop - text.data());
        taken = taken == 0 ? text.size() : before_word(text, taken);
        // If not even a letter fits, Dear ImGui 1.86 takes only its first byte.
        taken = std::max(taken, first_letter(text).bytes.size());
        const std::size_t newline = text.substr(0, taken).find('\n');
        lines.push_back(text.substr(0, std::min(taken, newline)));
        text.remove_prefix(newline < taken ? newline + 1 : taken);
        if (newline < taken) continue;  // spaces at the start of a line belong to it
        while (text.starts_with(' ')) text.remove_prefix(1);
    }
    return lines;
}

// ImGui sets wrapped lines tightly; ours have more spacing.
float Canvas::wrapped_step(const TextStyle& style) const {
    return ui_.whole(pixels(style) * 1.42F);
}

ImVec2 Canvas::measure_wrapped(std::string_view text, const TextStyle& style, float width) const {
    const auto lines = wrapped_lines(text, style, width);
    float widest = 0;
    for (const auto line : lines) widest = std::max(widest, measure(line, style));
    return {widest, static_cast<float>(lines.size()) * wrapped_step(style)};
}

float Canvas::wrapped(const Rect& rect, std::string_view text, const TextStyle& style) {
    float y = rect.y;
    for (const auto line : wrapped_lines(text, style, rect.w)) {
        this->text({rect.x, y}, line, style);
        y += wrapped_step(style);
    }
    return y - rect.y;
}

void Canvas::upright(const Rect& rect, std::string_view what, const TextStyle& style) {
    if (rect.empty() || pixels(style) < 1) return;
    std::string shown = shortened(what, style, rect.h);
    if (shown.empty()) return;
    ui_.need(style.face, style.size, shown);
    const float width = measure(shown, style), height = pixels(style);
    put(DrawnText{.at = {std::round(rect.x + (rect.w - height) / 2),
                         std::round(rect.y + (rect.h + width) / 2)},
                  .width = width,
                  .text = std::move(shown),
                  .face = style.face,
                  .size = style.size,
                  .pixels = height,
                  .color = color(style),
                  .upwards = true});
}

void Canvas::fill(const Rect& rect, ImU32 color, float rounding) {
    put(DrawnRect{rect, color, rounding, 0});
}

void Canvas::outline(const Rect& rect, ImU32 color, float thickness, float rounding) {
    put(DrawnRect{rect, color, rounding, thickness});
}

void Canvas::mark(const Rect& rect, ImU32 color, float thickness) {
    outline(rect, with_alpha(ui_.colors().background, 0.6F), thickness * 2);
    outline(rect, color, thickness);
}

void Canvas::line(ImVec2 from, ImVec2 to, ImU32 color, float thickness) {
    put(DrawnLine{from, to, color, thickness});
}

void Canvas::path(std::vector<ImVec2> points, ImU32 color, float thickness, bool closed) {
    put(DrawnPath{std::move(points), color, thickness, closed});
}

void Canvas::triangle(ImVec2 a, ImVec2 b, ImVec2 c, ImU32 color, float thickness) {
    put(DrawnTriangle{a, b, c, color, thickness});
}

void Canvas::circle(ImVec2 center, float radius, ImU32 color, float thickness) {
    put(DrawnCircle{center, radius, color, thickness});
}

void Canvas::card(const Rect& rect, ImU32 color) {
    fill(rect, color, ui_.px(8));
    outline(rect, ui_.colors().border, 1, ui_.px(8));
}

void Canvas::matrix(const Rect& rect, MatrixPicture picture, float alpha, float rounding) {
    put(DrawnMatrix{rect, std::move(picture), alpha, rounding});
}

void Canvas::photo(const Rect& rect, PhotoPicture picture, float rounding, float alpha) {
    put(DrawnPhoto{rect, std::move(picture), alpha, rounding});
}

void Canvas::caption(const Rect& rect, std::string_view text) {
    label(rect, text, {.face = Face::bold, .size = Size::small, .color = ui_.colors().dim});
}

void Canvas::arrow_right(ImVec2 c, float size, ImU32 color) {
    const float h = size / 2;
    line({c.x - h, c.y}, {c.x + h, c.y}, color, ui_.px(1.25F));
    line({c.x + h * 0.3F, c.y - h * 0.6F}, {c.x + h, c.y}, color, ui_.px(1.25F));
    line({c.x + h * 0.3F, c.y + h * 0.6F}, {c.x + h, c.y}, color, ui_.px(1.25F));
}

ImU32 ink_on(gl::Rgb color) {
    const ImU32 ground = IM_COL32(color.r, color.g, color.b, 255);
    return contrast(IM_COL32_BLACK, ground) > contrast(IM_COL32_WHITE, ground) ? IM_COL32_BLACK
                                                                               : IM_COL32_WHITE;
}

std::string number(double value, int digits) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
    std::array<char, 48> text{};
    const double size = std::abs(value);
    if (size != 0 && (size < 1e-3 || size >= 1e6))
        std::snprintf(text.data(), text.size(), "%.*e", std::max(1, digits - 1), size);
    else
        std::snprintf(text.data(), text.size(), "%.*f",
                      size >= 1000  ? 0
                      : size >= 100 ? std::min(digits, 1)
                                    : digits,
                      size);
    return value < 0 ? "−" + std::string(text.data()) : std::string(text.data());
}

}  // namespace headlight::ui
