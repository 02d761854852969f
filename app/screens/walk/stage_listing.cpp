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

// A long line takes several rows.
struct ListingRow {
    std::size_t line = 0;
    int part = 0;  // of the line, from 0
    std::string text;
};

// Cut after a sign, with the rest indented further.
void add_rows(std::vector<ListingRow>& rows, std::size_t line, std::string text,
              std::size_t columns) {
    constexpr std::size_t kLeast = 12;  // characters of code in a row
    const std::size_t begin = text.find_first_not_of(' ');
    const std::string indent((begin == std::string::npos ? 0 : begin) + 4, ' ');
    int part = 0;
    while (text.size() > columns && columns > indent.size() + kLeast) {
        const std::size_t cut = text.find_last_of(" ,(.=", columns - 1);
        if (cut == std::string::npos || cut < indent.size()) break;
        rows.push_back({line, part++, text.substr(0, cut + 1)});
        const std::size_t next = text.find_first_not_of(' ', cut + 1);
        text = indent + (next == std::string::npos ? "" : text.substr(next));
    }
    rows.push_back({line, part, std::move(text)});
}

std::vector<ListingRow> rows_in(Frame& frame, const std::vector<ListingLine>& lines,
                                const ui::TextStyle& style, float width) {
    const float letter = std::max(1.0F, ui::Canvas(frame.ui).measure("0", style));
    const auto columns = static_cast<std::size_t>(std::max(1.0F, std::floor(width / letter)));
    std::vector<ListingRow> rows;
    for (std::size_t i = 0; i < lines.size(); ++i) add_rows(rows, i, lines[i].text, columns);
    return rows;
}

// The first visible row: if not all fit, the current step is in the middle.
std::size_t first_row(const Frame& frame, const std::vector<ListingLine>& lines,
                      const std::vector<ListingRow>& rows, std::size_t room) {
    if (rows.size() <= room) return 0;
    const auto lit = std::ranges::find_if(
        rows, [&](const ListingRow& row) { return lines[row.line].step == frame.step(); });
    const auto at = static_cast<std::size_t>(lit == rows.end() ? 0 : lit - rows.begin());
    return std::min(rows.size() - room, at > room / 2 ? at - room / 2 : 0);
}

void draw_line(Frame& frame, const ui::Rect& row, const ListingLine& line, const std::string& text,
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
    canvas.label(row.inset(frame.px(10), 0), text, ink);
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
    const auto rows = rows_in(frame, lines, style, inside.w - frame.px(20));
    const std::size_t first = first_row(frame, lines, rows, room);
    for (std::size_t i = first; i < std::min(rows.size(), first + room); ++i) {
        const ListingRow& row = rows[i];
        draw_line(frame,
                  {inside.x, inside.y + static_cast<float>(i - first) * high, inside.w, high},
                  lines[row.line], row.text, style,
                  "listing." + std::to_string(row.line + 1) +
                      (row.part > 0 ? "." + std::to_string(row.part + 1) : ""));
    }
}

}  // namespace headlight::screens
