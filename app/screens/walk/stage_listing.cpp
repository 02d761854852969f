#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pytorch/module.h"
#include "walk/stages.h"

// The layer as a PyTorch module, with the lines of the current step highlighted.
namespace headlight::screens {

namespace {

// Rewritten only for another trace.
struct Listing {
    std::shared_ptr<const Trace> of;
    std::vector<ListingLine> lines;
};

const std::vector<ListingLine>& listing_of(Frame& frame) {
    auto& listing = frame.memory.own<Listing>();
    const auto& trace = frame.shared(frame.trace);
    if (listing.of != trace) listing = {trace, module_listing(*trace)};
    return listing.lines;
}

// The larger type if all lines fit, otherwise the smaller one. In a lecture, lines may be out of
// sight, but none is cut.
ui::TextStyle listing_style(Frame& frame, const ui::Rect& rect,
                            const std::vector<ListingLine>& lines) {
    const ui::TextStyle body{.face = ui::Face::mono, .size = ui::Size::body};
    const ui::Canvas canvas(frame.ui);
    float widest = 0;
    for (const ListingLine& line : lines)
        widest = std::max(widest, canvas.measure(line.text, body));
    const bool wide_enough = widest + frame.px(24) <= rect.w,
               high_enough =
                   frame.line(ui::Size::body) * static_cast<float>(lines.size()) <= rect.h;
    return wide_enough && (high_enough || frame.state.look.lecture)
               ? body
               : ui::TextStyle{.face = ui::Face::mono, .size = ui::Size::small};
}

// The first visible line: if not all fit, the current step is in the middle.
std::size_t first_line(const Frame& frame, const std::vector<ListingLine>& lines,
                       std::size_t room) {
    if (lines.size() <= room) return 0;
    const auto lit = std::ranges::find(lines, std::optional(frame.step()), &ListingLine::step);
    const auto at = static_cast<std::size_t>(lit == lines.end() ? 0 : lit - lines.begin());
    return std::min(lines.size() - room, at > room / 2 ? at - room / 2 : 0);
}

void draw_line(Frame& frame, const ui::Rect& row, const ListingLine& line,
               const ui::TextStyle& style, const std::string& name) {
    ui::Canvas canvas(frame.ui);
    const bool lit = line.step == frame.step();
    if (lit) {
        canvas.fill(row, ui::with_alpha(frame.colors().accent, 0.16F), frame.px(3));
        canvas.fill({row.x, row.y, frame.px(3), row.h}, frame.colors().accent);
        frame.ui.report("listing.line", line.text);
    }
    ui::TextStyle ink = style;
    const bool is_comment = line.text.find_first_not_of(' ') == line.text.find('#');
    if (!line.step || is_comment) ink.color = frame.colors().dim;
    canvas.label(row.inset(frame.px(10), 0), line.text, ink);
    if (!line.step) return;
    const auto mouse = ui::interact(frame.ui, name, row, ui::Stop::no);
    if (!mouse.hovered) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (!lit) canvas.fill(row, frame.colors().hover, frame.px(3));
    if (mouse.clicked) frame.say("step", std::string(info(*line.step).name));
}

}  // namespace

bool has_listing(Frame& frame) {
    return frame.node().place == Place::layer && !frame.difference() && !listing_of(frame).empty();
}

void stage_listing(Frame& frame, const ui::Rect& rect) {
    const std::vector<ListingLine>& lines = listing_of(frame);
    ui::Canvas(frame.ui).card(rect, frame.colors().card);
    const ui::Rect inside = rect.inset(frame.px(10), frame.px(8));
    const ui::TextStyle style = listing_style(frame, inside, lines);
    const float high = frame.line(style.size);
    const auto room = static_cast<std::size_t>(std::max(1.0F, std::floor(inside.h / high)));
    const std::size_t first = first_line(frame, lines, room);
    for (std::size_t i = first; i < std::min(lines.size(), first + room); ++i)
        draw_line(frame,
                  {inside.x, inside.y + static_cast<float>(i - first) * high, inside.w, high},
                  lines[i], style, "listing." + std::to_string(i + 1));
}

}  // namespace headlight::screens
