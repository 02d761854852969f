#include "figure/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "figure/markup.h"
#include "figure/raster.h"

namespace headlight::figure {

namespace {

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned three = 0;
        for (std::size_t k = i; k < i + 3; ++k)
            three = three << 8 | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63];
    }
    return out;
}

// Hundredths of a pixel are enough.
std::string number(float value) {
    const float rounded = std::round(value * 100) / 100;
    return fmt::format("{}", rounded == 0 ? 0.0F : rounded);  // not -0
}

std::string place(const ui::Rect& r) {
    return fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", number(r.x), number(r.y),
                       number(r.w), number(r.h));
}

// An attribute and, if the color is not opaque, its opacity: fill="#102030" fill-opacity="0.5".
std::string paint(std::string_view what, ImU32 color) {
    std::string text = fmt::format(R"({}="{}")", what, hex_color(color));
    if (const unsigned alpha = color >> IM_COL32_A_SHIFT & 255; alpha != 255)
        text += fmt::format(R"( {}-opacity="{:.3g}")", what, alpha / 255.0);
    return text;
}

std::string filled_or_outlined(ImU32 color, float thickness) {
    if (thickness <= 0) return paint("fill", color);
    return fmt::format(R"(fill="none" {} stroke-width="{}")", paint("stroke", color),
                       number(thickness));
}

std::string rounded(float radius) {
    return radius > 0 ? fmt::format(R"( rx="{}")", number(radius)) : "";
}

std::string corners(const std::vector<ImVec2>& points) {
    std::string text;
    for (const ImVec2& p : points) {
        if (!text.empty()) text += ' ';
        text += number(p.x) + ',' + number(p.y);
    }
    return text;
}

// ImGui draws outlines through the centers of pixels.
ui::Rect middle_of_pixels(const ui::Rect& r, float thickness) {
    return thickness > 0 ? r.inset(0.5F) : r;
}

std::string_view dress(ui::Face face) {
    return face == ui::Face::bold     ? R"( font-weight="600")"
           : face == ui::Face::italic ? R"( font-style="italic")"
                                      : "";
}

std::string_view family(ui::Face face) {
    return face == ui::Face::mono ? "'JetBrains Mono', monospace"
                                  : "Inter, 'Noto Sans', 'Noto Sans Math', sans-serif";
}

bool touch(const ui::Rect& a, const ui::Rect& b) {
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

bool lies_in(const ui::Rect& part, const ui::Rect& all) {
    return part.x >= all.x && part.y >= all.y && part.x + part.w <= all.x + all.w &&
           part.y + part.h <= all.y + all.h;
}

// The bounding box of points, with half the line's thickness.
ui::Rect around(const std::vector<ImVec2>& points, float thickness) {
    if (points.empty()) return {};
    ImVec2 least = points.front(), most = least;
    for (const ImVec2& p : points) {
        least = {std::min(least.x, p.x), std::min(least.y, p.y)};
        most = {std::max(most.x, p.x), std::max(most.y, p.y)};
    }
    const float half = std::max(thickness, 1.0F) / 2;
    return ui::Rect{least.x, least.y, most.x - least.x, most.y - least.y}.inset(-half);
}

// The bounding box of a drawn item, before clipping.
struct Bounds {
    ui::Rect operator()(const ui::DrawnText& t) const { return t.rect(); }
    ui::Rect operator()(const ui::DrawnLine& l) const {
        return around({l.from, l.to}, l.thickness + 1);  // half a pixel to the right and down
    }
    ui::Rect operator()(const ui::DrawnPath& p) const { return around(p.points, p.thickness); }
    ui::Rect operator()(const ui::DrawnTriangle& t) const {
        return around({t.a, t.b, t.c}, t.thickness);
    }
    ui::Rect operator()(const ui::DrawnCircle& c) const {
        return around({c.center}, 2 * c.radius + c.thickness);
    }
    template <class Other>
    ui::Rect operator()(const Other& other) const {
        return other.rect;
    }
};

// A visible item and its clip rectangle; without one it is not clipped.
struct Seen {
    ui::Drawn what;
    std::optional<ui::Rect> clip;
};

// The part of an item inside the area; nothing may extend beyond its edges.
std::optional<Seen> seen_in(const ui::Rect& area, const ui::Recording::Item& item) {
    const ui::Rect bounds = std::visit(Bounds{}, item.what);
    if (!touch(item.clip, area) || !touch(bounds, item.clip) || !touch(bounds, area))
        return std::nullopt;
    Seen seen{item.what, item.clip.common(area)};
    auto* rect = std::get_if<ui::DrawnRect>(&seen.what);
    const bool is_plain = rect != nullptr && rect->thickness <= 0 && rect->rounding <= 0;
    if (is_plain) rect->rect = rect->rect.common(area);
    if (lies_in(area, item.clip) && (is_plain || lies_in(bounds, area))) seen.clip.reset();
    return seen;
}

class Writer {
  public:
    Writer(const ui::Rect& area, const ui::Context& ui) : area_(area), ui_(ui) {}

    void background(ImU32 color) {
        if ((color >> IM_COL32_A_SHIFT) == 0) return;
        line("<rect {} {}/>", place(area_), paint("fill", color));
    }

    void item(const Seen& seen) {
        enter(seen.clip);
        std::visit([this](const auto& what) { write(what); }, seen.what);
    }
    std::string finish() {
        leave();
        return std::move(body_);
    }

  private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
        body_ += '\n';
    }

    // Clips what follows to the rectangle, or not at all.
    void enter(const std::optional<ui::Rect>& clip) {
        if (entered_ == clip) return;
        leave();
        entered_ = clip;
        if (clip) line("<g{}>", clipped_to(*clip, 0));
    }
    void leave() {
        if (entered_) line("</g>");
        entered_.reset();
    }
    // Returns the attribute after writing the clip path that it refers to.
    std::string clipped_to(const ui::Rect& rect, float rounding) {
        line(R"(<clipPath id="c{}"><rect {}{}/></clipPath>)", ++clips_, place(rect),
             rounded(rounding));
        return fmt::format(R"~( clip-path="url(#c{})")~", clips_);
    }

    void write(const ui::DrawnText& t) {
        if (t.text.empty()) return;
        const ImFont* font = ui_.fonts().get(t.face, t.size);
        const float scale = t.pixels / font->FontSize, base = font->Ascent * scale;
        const std::string at =
            t.upwards ? fmt::format(R"~(x="0" y="{}" transform="translate({} {}) rotate(-90)")~",
                                    number(base), number(t.at.x), number(t.at.y))
                      : fmt::format(R"(x="{}" y="{}")", number(t.at.x), number(t.at.y + base));
        line(R"(<text {} font-family="{}" font-size="{}"{} textLength="{}" )"
             R"(lengthAdjust="spacingAndGlyphs" xml:space="preserve" {}>{}</text>)",
             at, family(t.face),
             number(ui_.fonts().em(t.size) * t.pixels / ui_.fonts().pixels(t.size, t.face)),
             dress(t.face), number(t.width), paint("fill", t.color), escaped(t.text));
    }
    void write(const ui::DrawnRect& r) {
        // Otherwise a seam shows between adjacent rectangles, such as a color bar's.
        const bool crisp = r.thickness <= 0 && r.rounding <= 0;
        line("<rect {}{} {}{}/>", place(middle_of_pixels(r.rect, r.thickness)), rounded(r.rounding),
             filled_or_outlined(r.color, r.thickness),
             crisp ? R"( shape-rendering="crispEdges")" : "");
    }
    void write(const ui::DrawnLine& l) {
        const float middle = l.thickness <= 1 ? 0.5F : 0;  // pixel centers for hairlines
        line(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" {} stroke-width="{}"/>)",
             number(l.from.x + middle), number(l.from.y + middle), number(l.to.x + middle),
             number(l.to.y + middle), paint("stroke", l.color), number(l.thickness));
    }
    void write(const ui::DrawnPath& p) {
        line(R"(<{} points="{}" stroke-linejoin="round" {}/>)", p.closed ? "polygon" : "polyline",
             corners(p.points), filled_or_outlined(p.color, p.thickness));
    }
    void write(const ui::DrawnTriangle& t) {
        line(R"(<polygon points="{}" {}/>)", corners({t.a, t.b, t.c}),
             filled_or_outlined(t.color, t.thickness));
    }
    void write(const ui::DrawnCircle& c) {
        line(R"(<circle cx="{}" cy="{}" r="{}" {}/>)", number(c.center.x), number(c.center.y),
             number(c.radius), filled_or_outlined(c.color, c.thickness));
    }
    void write(const ui::DrawnMatrix& m) {
        image(raster_of(m), m.rect, m.alpha, m.rounding, "pixelated");
    }
    // Shares a photograph between all maps drawn over it.
    void write(const ui::DrawnPhoto& p) {
        const ui::PhotoPicture& picture = p.picture;
        const auto [at, is_new] = photos_.try_emplace({picture.pixels.get(), picture.smooth},
                                                      fmt::format("p{}", photos_.size() + 1));
        if (is_new) {
            Raster own = raster_of(p);
            own.place = {0, 0, static_cast<float>(picture.width),
                         static_cast<float>(picture.height)};
            line(R"(<defs><g id="{}">)", at->second);
            image(own, own.place, 1, 0, picture.smooth ? "auto" : "pixelated");
            line("</g></defs>");
        }
        const std::string clip = p.rounding > 0 ? clipped_to(p.rect, p.rounding) : "";
        line(R"~(<g{} opacity="{:.3g}"><use xlink:href="#{}" )~"
             R"~(transform="translate({} {}) scale({} {})"/></g>)~",
             clip, p.alpha, at->second, number(p.rect.x), number(p.rect.y),
             p.rect.w / static_cast<float>(picture.width),
             p.rect.h / static_cast<float>(picture.height));
    }
    void write(const ui::DrawnGradient& g) { image(raster_of(g), g.rect, 1, 0, "auto"); }

    void image(const Raster& raster, const ui::Rect& shown, float alpha, float rounding,
               std::string_view rendering) {
        if (raster.bytes.empty()) return;
        const auto png = png_of(raster.pixels());
        if (!png)
            throw std::runtime_error(
                "A picture in this figure is too large to be saved as PNG. Use a smaller picture.");
        const bool clipped = rounding > 0 || raster.place != shown;
        const std::string clip = clipped ? clipped_to(shown, rounding) : "";
        line(R"(<image {} preserveAspectRatio="none" opacity="{:.3g}" )"
             R"(style="image-rendering:{}"{} xlink:href="data:image/png;base64,{}"/>)",
             place(raster.place), alpha, rendering, clip, base64(*png));
    }

    ui::Rect area_;
    const ui::Context& ui_;
    std::string body_;
    std::optional<ui::Rect> entered_;
    int clips_ = 0;
    std::map<std::pair<const float*, bool>, std::string> photos_;  // already in the file
};

}  // namespace

std::string text_of(const Provenance& facts) {
    std::string text;
    for (const auto& [name, value] : facts) text += name + ": " + value + '\n';
    return text;
}

std::string svg_of(const ui::Recording& recording, const ui::Rect& area, const ui::Context& ui,
                   ImU32 background, const Provenance& facts, double width_cm) {
    Writer writer(area, ui);
    writer.background(background);
    for (const ui::Recording::Item& item : recording.items())
        if (const auto seen = seen_in(area, item)) writer.item(*seen);
    const auto length = [&](float units) {
        if (width_cm <= 0) return number(units);
        return fmt::format("{:.6g}cm", width_cm * static_cast<double>(units / area.w));
    };
    return fmt::format(
        R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" )"
        R"(width="{}" height="{}" viewBox="{} {} {} {}">
<desc>{}</desc>
{}</svg>
)",
        length(area.w), length(area.h), number(area.x), number(area.y), number(area.w),
        number(area.h), escaped(text_of(facts)), writer.finish());
}

}  // namespace headlight::figure
