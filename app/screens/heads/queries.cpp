#include <algorithm>
#include <utility>

#include "heads/hues.h"
#include "heads/memory.h"
#include "ui/color_bar.h"

// Several queries in hues: naming and removing them.
namespace headlight::screens {

namespace {

std::string name_at(const Frame& frame, const HeadsView& view, std::size_t query) {
    return token_name(frame.trace.layout, view.tokens[query]);
}

void swatch(Frame& frame, const ui::Rect& place, ImU32 hue) {
    ui::Canvas canvas(frame.ui);
    const float side = std::min({place.w, place.h, frame.px(10)});
    const ui::Rect square{place.center().x - side / 2, place.center().y - side / 2, side, side};
    canvas.fill(square, hue, frame.px(2));
    canvas.outline(square, ui::with_alpha(frame.colors().text, 0.5F), 1, frame.px(2));
}

}  // namespace

float query_chip_width(Frame& frame, const HeadsView& view, std::size_t query) {
    return ui::Canvas(frame.ui).measure(name_at(frame, view, query), {}) + frame.px(34) +
           frame.line() + frame.px(8);
}

void query_chip(Frame& frame, const ui::Rect& place, const HeadsView& view, HeadsMemory& memory,
                std::size_t query) {
    ui::Canvas canvas(frame.ui);
    const std::string name = "heads.query." + std::to_string(query + 1);
    ui::Layout rest(frame.ui, place);
    const ui::Rect cross = rest.right(place.h);
    const auto whole = ui::interact(frame.ui, name, rest);
    const auto drop = ui::interact(frame.ui, name + ".drop", cross);
    if (whole.hovered || drop.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    canvas.fill(place, whole.hovered ? frame.colors().hover : frame.colors().card, place.h / 2);
    canvas.outline(place, whole.hovered ? frame.colors().dim : frame.colors().border, 1,
                   place.h / 2);
    if (whole.hovered) {
        memory.next_pointed.query = query;
        frame.ui.tooltip(
            "Shows only this query while you point at it. Click to keep only this one.");
    }
    if (drop.hovered) frame.ui.tooltip("Removes the query " + name_at(frame, view, query));
    const std::string token = std::to_string(view.tokens[query]);
    if (drop.clicked) frame.say("query", token);
    if (whole.clicked) frame.say("focus", token);
    ui::icon(canvas, ui::Icon::close, cross.center(), frame.px(10),
             drop.hovered ? frame.colors().text : frame.colors().dim);
    rest.skip_left(8);
    swatch(frame, rest.left(frame.px(12), 6), ui::kQueryHues.at(query));
    canvas.label(rest, name_at(frame, view, query), {});
}

void ask_for_pointed(Frame& frame, const HeadsMemory& memory) {
    const auto prefix = static_cast<int>(frame.trace.layout.prefix());
    std::optional<int> token = frame.memory.hovered.token;
    if (memory.pointed.patch) token = prefix + *memory.pointed.patch;
    if (token) frame.say("query", std::to_string(*token));
}

void take_query_key(Frame& frame, HeadsMemory& memory) {
    if (std::exchange(memory.query_key, false)) ask_for_pointed(frame, memory);
}

std::vector<TokenMark> marks_of(const Frame& frame, const HeadsView& view, int layer) {
    std::vector<TokenMark> marks;
    if (!view.together()) return marks;
    for (std::size_t q = 0; q < view.tokens.size(); ++q)
        marks.push_back({token_there(frame, layer, view.tokens[q]), ui::kQueryHues.at(q)});
    return marks;
}

namespace {

// There are fewer hues than some layers have heads; a name is added to the entry with the same hue.
void add_head(std::vector<LegendItem>& items, int head) {
    const ImU32 hue = ui::dark_palette().head(head);
    const std::string number = std::to_string(head + 1);
    const auto same = std::ranges::find(items, hue, &LegendItem::hue);
    if (same == items.end())
        items.push_back({(items.empty() ? "head " : "") + number, hue});
    else
        same->name += " or " + number;
}

}  // namespace

std::vector<LegendItem> legend_of(const Frame& frame, const HeadsView& view,
                                  const Combination* of) {
    std::vector<LegendItem> items;
    if (of != nullptr && of->in_hues()) {
        for (const HeadTile& tile : view.tiles)
            if (tile.place.layer == *of->layer) add_head(items, tile.place.head);
    } else if (view.together()) {
        for (std::size_t q = 0; q < view.tokens.size(); ++q)
            items.push_back({name_at(frame, view, q), ui::kQueryHues.at(q)});
    }
    return items;
}

void draw_legend(Frame& frame, ui::Layout rect, const std::vector<LegendItem>& items,
                 const ui::ColorScale& scale) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style = frame.small_dim();
    const ui::Rect all = rect;
    const bool below = rect.h >= frame.line() * 2;  // otherwise beside the names
    ui::Layout row = rect.row();
    std::string said;
    for (const LegendItem& item : items) said += (said.empty() ? "" : ", ") + item.name;
    for (const LegendItem& item : items) {
        const float width = canvas.measure(item.name, style) + frame.px(26);
        if (width > row.w - (below ? 0 : frame.px(150) * frame.ui.text_scale())) {
            canvas.label(row.left(frame.px(14)), "…", style);
            break;
        }
        ui::Layout place = row.left(width);
        swatch(frame, place.left(frame.px(12), 4), item.hue);
        canvas.label(place, item.name, style);
    }
    if (below) row = rect.row();
    ui::color_line(frame.ui, row.left(std::min(row.w, frame.px(260) * frame.ui.text_scale())),
                   ui::brightness_of(scale));
    if (all.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip("Each patch has the hue of the map with the largest value there: " + said +
                         ".\nThe larger the value, the brighter the patch." +
                         (said.find(" or ") == said.npos
                              ? ""
                              : "\nThere are fewer hues than heads. Point at a patch to see which "
                                "head it is."));
    frame.ui.report("heads.legend", said);
}

}  // namespace headlight::screens
