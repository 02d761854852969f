#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "frame/capitals.h"
#include "frame/picture.h"
#include "look/view.h"
#include "program/ordinals.h"
#include "ui/color_bar.h"

// Every head as a small picture: rows are layers, columns are heads.
namespace headlight::screens {

namespace {

constexpr float kLeast = 28, kUsual = 40;  // width in units: smaller ones are not legible

// In lecture view the text is elsewhere.
ui::Size type_of_names(const Frame& frame) {
    return frame.state.look.lecture ? ui::Size::small : ui::Size::body;
}

// The number of lines for a layer's heads, `across` per line.
int lines_of(Index heads, int across) { return (static_cast<int>(heads) + across - 1) / across; }

struct Layout {
    int across = 1;                // heads per line; a layer with more has several lines
    float names = 0, numbers = 0;  // width of row names, height of column numbers
    bool brief = false;            // row names are "L4"
    float wide = 0, tall = 0, gap = 0;
    float height = 0;  // of all lines
};

int lines_of(const LookView& view, int across) {
    int lines = 0;
    for (std::size_t b = 0; b < view.rows->layers.size(); ++b)
        lines += lines_of(view.heads(static_cast<int>(b)), across);
    return lines;
}

// Aspect ratio of a picture, or of the matrix of given tokens.
float aspect(const Frame& frame) {
    return frame.trace.image ? aspect_of(*frame.trace.image)
                             : static_cast<float>(frame.trace.shape.keys) /
                                   static_cast<float>(frame.trace.shape.queries);
}

// "layer 4", or "L4" where that has no space.
std::string name_of_row(const Frame& frame, int layer, bool brief) {
    constexpr std::string_view kLayer = "layer ";
    const std::string name = layer_words(frame, layer);
    return brief && name.starts_with(kLayer) ? "L" + name.substr(kLayer.size()) : name;
}

// Fits all of them if possible; if they would be illegibly small, the grid scrolls.
Layout layout_in(Frame& frame, const ui::Rect& rect, const LookView& view) {
    Layout l;
    const ui::Canvas canvas(frame.ui);
    const float shape = std::clamp(aspect(frame), 0.2F, 5.0F);
    const float most = rect.w * (frame.beside > 0 ? 0.4F : 0.25F);
    const auto widest = [&] {
        float wide = 0;
        for (std::size_t b = 0; b < view.rows->layers.size(); ++b)
            if (view.heads(static_cast<int>(b)) > 0)
                wide =
                    std::max(wide, canvas.measure(name_of_row(frame, static_cast<int>(b), l.brief),
                                                  {.size = type_of_names(frame)}));
        return wide + frame.px(12);
    };
    l.brief = widest() > most;
    l.names = std::min(widest(), most);
    l.numbers = frame.line() + frame.px(2);
    l.across = std::max(1, view.most_heads());
    l.gap = frame.px(l.across > 6 ? 4 : 8);
    const float width = rect.w - l.names, height = rect.h - l.numbers;
    const auto fit_wide = [&](int across) { return width / static_cast<float>(across) - l.gap; };
    const int lines = lines_of(view, l.across);
    l.wide = std::min(fit_wide(l.across),
                      (height / static_cast<float>(std::max(lines, 1)) - l.gap) * shape);
    if (const float least = frame.px(kLeast); l.wide < least) {
        const float bar = frame.px(14);  // the scroll bar
        l.wide = std::min(frame.px(kUsual), (width - bar) / static_cast<float>(l.across) - l.gap);
        if (l.wide < least) {
            l.wide = std::min(frame.px(kUsual), std::max(1.0F, width - bar - l.gap));
            l.across = std::max(1, static_cast<int>((width - bar) / (l.wide + l.gap)));
        }
    }
    l.wide = std::max(1.0F, std::floor(l.wide));
    l.tall = std::max(1.0F, std::floor(l.wide / shape));
    l.height = static_cast<float>(lines_of(view, l.across)) * (l.tall + l.gap);
    return l;
}

std::string name_of_tile(std::string_view what, const Frame& frame, const HeadPlace& head) {
    return fmt::format("look.{}.{}.{}", what, layer_number(*frame.trace.model, head.layer),
                       head.head + 1);
}

void draw_given(Frame& frame, const ui::Rect& place, const LookView& view, const HeadPlace& head) {
    ui::Canvas canvas(frame.ui);
    const MatrixView row = row_of(view, head);
    Shown map;
    const bool whole = head.layer == frame.trace.layer &&
                       !frame.trace.view(Tensor::attention, 0, head.head).empty();
    const MatrixView cells = whole ? frame.trace.view(Tensor::attention, 0, head.head) : row;
    map.set_cells(cells, whole
                             ? frame.trace.version(Tensor::attention)
                             : view.rows->layers[static_cast<std::size_t>(head.layer)]->version());
    const gl::CellWindow all{0, 0, static_cast<float>(cells.rows), static_cast<float>(cells.cols)};
    canvas.matrix(place, {name_of_tile("map", frame, head), map.cells, all,
                          times_even(reachable(view, head.layer)).style()});
    if (!whole || cells.rows < 2) return;
    const float each = place.h / static_cast<float>(cells.rows);
    canvas.outline(
        {place.x, place.y + each * static_cast<float>(view.token), place.w, std::max(each, 2.0F)},
        IM_COL32_WHITE, frame.px(1));
}

void tile(Frame& frame, const ui::Rect& place, const LookView& view, const HeadPlace& head,
          LookMemory& memory) {
    if (frame.trace.image) {
        const Shown map = shown_map(frame, view, head);
        PictureSpec spec{.name = name_of_tile("map", frame, head),
                         .opacity = kMapOpacity,
                         .interactive = false,
                         .softened = true,
                         .patches = &patch_grid_of(frame, head.layer)};
        if (!map.cells.empty()) spec.overlay = &map;
        draw_picture(frame, place, spec);
    } else {
        draw_given(frame, place, view, head);
    }
    const auto mouse =
        ui::interact(frame.ui, name_of_tile("head", frame, head), place, ui::Stop::no);
    const bool chosen = head == view.chosen;
    if (chosen || mouse.hovered)
        ui::Canvas(frame.ui).outline(place.inset(-frame.px(2)),
                                     chosen ? frame.colors().accent : frame.colors().text,
                                     frame.px(2), frame.px(3));
    if (mouse.hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        memory.next_hovered = head;
        frame.ui.tooltip(first_capital(head_words(frame, head)) +
                         ": shown large while you point at it. Click to keep it.");
    }
    if (mouse.double_clicked)
        return frame.say("open-head", layer_number(*frame.trace.model, head.layer),
                         std::to_string(head.head + 1));
    if (!mouse.clicked) return;
    memory.awaited = head;
    if (head.layer != frame.trace.layer)
        frame.say("layer", layer_number(*frame.trace.model, head.layer));
}

// The rectangle at a line and column.
ui::Rect place_of(const Layout& l, ImVec2 origin, int line, int column) {
    return {std::round(origin.x + static_cast<float>(column) * (l.wide + l.gap)),
            std::round(origin.y + static_cast<float>(line) * (l.tall + l.gap)), l.wide, l.tall};
}

void bring_into_sight(const LookView& view, LookMemory& memory, const Layout& l, float seen) {
    const bool same = memory.list_height == l.height && memory.list_seen == seen;
    if (memory.in_sight == view.chosen && same) return;
    memory.in_sight = view.chosen;
    memory.list_height = l.height;
    memory.list_seen = seen;
    int line = 0;
    for (int b = 0; b < view.chosen.layer; ++b) line += lines_of(view.heads(b), l.across);
    line += view.chosen.head / l.across;
    const float top = static_cast<float>(line) * (l.tall + l.gap), scrolled = ImGui::GetScrollY();
    if (top < scrolled) ImGui::SetScrollY(top);
    if (top + l.tall + l.gap > scrolled + seen) ImGui::SetScrollY(top + l.tall + l.gap - seen);
}

void name_columns(Frame& frame, const ui::Rect& row, const LookView& view, const Layout& l) {
    ui::Canvas canvas(frame.ui);
    if (l.across < view.most_heads()) return;  // heads are then on several lines
    const std::string widest = "head " + std::to_string(l.across);
    const bool words = canvas.measure(widest, {}) <= l.wide;
    if (canvas.measure(std::to_string(l.across), {}) > l.wide + l.gap) return;
    for (int h = 0; h < l.across; ++h) {
        const ui::Rect at = place_of(l, {row.x + l.names, row.y}, 0, h);
        canvas.label({at.x - l.gap / 2, row.y, l.wide + l.gap, frame.line()},
                     (words ? "head " : "") + std::to_string(h + 1),
                     {.size = type_of_names(frame),
                      .color = h == view.shown.head ? frame.colors().text : frame.colors().dim,
                      .align = ui::Align::center});
    }
}

void scale_line(Frame& frame, const ui::Rect& rect, const LookView& view) {
    ui::color_bar(frame.ui,
                  {rect.x, rect.y, std::min(rect.w, frame.px(360) * frame.ui.text_scale()), rect.h},
                  times_even(reachable(view, view.shown.layer)), "", "look");
    if (rect.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip("Brightness is attention: 1× is what each token gets if all get the same");
}

}  // namespace

void heads_grid_of_look(Frame& frame, const ui::Rect& rect, const LookView& view,
                        LookMemory& memory) {
    ui::Layout rest(frame.ui, rect);
    if (rest.h > frame.px(160)) {
        scale_line(frame, rest.bottom(ui::color_bar_height(frame.ui), 6), view);
    }
    const Layout l = layout_in(frame, rest, view);
    frame.ui.name("look.heads", {rect, {}});
    if (rest.h < l.numbers) return;
    name_columns(frame, rest.top(l.numbers), view, l);
    const bool scrolls = l.height > rest.h + l.gap + 1;
    frame.ui.report("look.heads.fit", scrolls ? "scroll" : "all");
    ui::begin_child(
        "look.heads.scroll", rest,
        ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
            (scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse));
    bring_into_sight(view, memory, l, rest.h);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    // Leaves space for the outline of the selected one.
    const ImVec2 origin{top.x + l.names, top.y + frame.px(2)};
    int line = 0;
    for (int b = 0; b < static_cast<int>(view.rows->layers.size()); ++b) {
        const auto heads = static_cast<int>(view.heads(b));
        if (heads == 0) continue;
        const ui::Rect first = place_of(l, origin, line, 0);
        if (l.tall + l.gap > frame.line() * 0.9F || b % 2 == 0)
            ui::Canvas(frame.ui).label(
                {top.x, first.center().y - frame.line() / 2, l.names - frame.px(8), frame.line()},
                name_of_row(frame, b, l.brief),
                {.size = type_of_names(frame),
                 .color = b == view.shown.layer ? frame.colors().text : frame.colors().dim});
        for (int h = 0; h < heads; ++h) {
            const ui::Rect place = place_of(l, origin, line + h / l.across, h % l.across);
            if (ImGui::IsRectVisible(place.min(), place.max()))
                tile(frame, place, view, {b, h}, memory);
        }
        line += lines_of(heads, l.across);
    }
    ImGui::SetCursorScreenPos({top.x, top.y + std::max(0.0F, l.height - l.gap + frame.px(3))});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
}

}  // namespace headlight::screens
