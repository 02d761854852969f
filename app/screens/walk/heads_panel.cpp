#include <algorithm>
#include <cmath>

#include "frame/head_switch.h"
#include "frame/picture.h"
#include "frame/tiling.h"
#include "walk/panels.h"

namespace headlight::screens {

namespace {

// Handles hover and clicks, and draws the frame of the selected head. True if it is hovered.
bool choose_head(Frame& frame, const ui::Rect& tile, const ui::Rect& place, int head,
                 bool on_switch) {
    const auto state =
        ui::interact(frame.ui, "heads." + std::to_string(head + 1), tile, ui::Stop::no);
    const bool hovered = state.hovered || on_switch;
    if (hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        frame.memory.next_hovered_head = head;
    }
    // The second press of a double click shows the head alone, and pins it again in case the first
    // press unpinned it. The release after it is not a click.
    if (state.double_clicked)
        frame.say("solo", std::to_string(head + 1));
    else if (state.clicked && ImGui::GetIO().MouseClickedLastCount[0] != 2)
        frame.say("head-click", std::to_string(head + 1));
    const bool chosen = head == frame.state.selection.head;
    const bool pinned = chosen && frame.state.selection.head_pinned;
    if (chosen || hovered)
        ui::Canvas(frame.ui).outline(place.inset(-frame.px(1)),
                                     pinned ? frame.colors().accent : frame.colors().dim,
                                     frame.px(pinned ? 2.0F : 1.0F), frame.px(2));
    return hovered;
}

// For the layer's heads; those of attention pooling are always on.
bool is_off(const Frame& frame, int head) {
    return !reads_probe(frame) && is_switched_off(frame.trace, head);
}

// The text under its picture: its name and its entropy.
struct HeadWords {
    std::string title, number, bits;
};
HeadWords head_words(const Frame& frame, int head) {
    const Tensor attention = reads_probe(frame) ? Tensor::pool_attention : Tensor::attention;
    const MatrixSummary* summary = frame.summary.find(attention, head);
    const std::string number = std::to_string(head + 1);
    return {"Head " + number, number,
            summary != nullptr ? frame.of_after(ui::number(summary->entropy, 1) + " bits") : ""};
}

void head_label(Frame& frame, ui::Layout words, int head) {
    ui::Canvas canvas(frame.ui);
    const auto [title, number, entropy] = head_words(frame, head);
    const bool off = is_off(frame, head);
    const std::string bits = off ? "off" : entropy;
    const ui::Rect dot = words.left(frame.px(12));
    canvas.circle(dot.center(), frame.px(3.5F), frame.colors().head(head));
    const ui::TextStyle mono{.face = ui::Face::mono,
                             .size = ui::Size::small,
                             .color = off ? frame.colors().error : frame.colors().dim,
                             .align = ui::Align::right};
    const bool chosen = head == frame.state.selection.head;
    const ui::TextStyle style{.size = ui::Size::small,
                              .color = chosen ? frame.colors().text : frame.colors().dim};
    const float room = words.w - canvas.measure(bits, mono) - frame.px(6);
    canvas.label(words, canvas.measure(title, style) < room ? title : number, style);
    if (canvas.measure(number, style) < room) canvas.label(words, bits, mono);
}

void head_tile(Frame& frame, const ui::Rect& tile, int head, const Shown* map) {
    const std::string name = "heads." + std::to_string(head + 1);
    ui::Layout rest(frame.ui, tile);
    const ui::Layout label = rest.last_row();
    const Image& image = *frame.trace.image;
    const ui::Rect place =
        rest.fit(static_cast<float>(image.width) / static_cast<float>(image.height));
    const bool probe = reads_probe(frame), keys = probe || is_cross(frame.trace);
    PictureSpec picture{.name = name + ".map",
                        .token = probe ? std::nullopt : frame.focus.token,
                        .key_token = keys ? frame.focus.key_token : std::nullopt,
                        .overlay = map,
                        .opacity = 0.85F,
                        .interactive = false};
    draw_picture(frame, place, picture);
    const bool off = is_off(frame, head);
    if (off) ui::Canvas(frame.ui).fill(place, ui::with_alpha(frame.colors().background, 0.72F));

    const float side = std::min(frame.px(22) * frame.ui.text_scale(), place.w / 3);
    const HeadSwitch power{
        name + ".power",
        {place.x + place.w - side - frame.px(3), place.y + frame.px(3), side, side},
        head};
    // The switch belongs to the layer's heads.
    const bool on_switch = !probe && take_head_switch(frame, power);
    const bool hovered = choose_head(frame, tile, place, head, on_switch);
    if (!probe && (hovered || off || frame.state.selection.solo))
        draw_head_switch(frame, power, on_switch);
    head_label(frame, label, head);
    if (!hovered || on_switch) return;
    const HeadWords words = head_words(frame, head);
    frame.ui.tooltip(words.title + (off ? ", switched off" : "") + ": mean entropy " + words.bits +
                     " of at most " +
                     ui::number(std::log2(static_cast<double>(frame.trace.shape.keys)), 1) +
                     " bits.\nClick to pin it, again to release it (the image then shows the mean "
                     "of all heads). Double-click to show it alone.");
}

constexpr float kTileGap = 8, kLeastTile = 64, kLeastTall = 48;
constexpr int kFew = 4;  // heads that fit in a low window

// Lessons refer to single heads: if there are few, all are visible, beside a smaller picture.
bool shows_all_heads(const Frame& frame) {
    return frame.in_lesson() && !frame.state.look.lecture && frame.low &&
           frame.trace.shape.heads <= kFew && !shows_layer_map(frame);
}

// The largest tiles that all fit; where they would be too small to be read, they scroll instead.
Tiling tiling(const Frame& frame, const ui::Rect& rect, int count, float aspect) {
    const float gap = frame.px(kTileGap);
    const Tiling best = largest_tiles(frame, rect, count, aspect, gap, 8);
    if (best.tall >= frame.px(shows_all_heads(frame) ? kLeastTall * 0.6F : kLeastTall)) return best;
    const float room = rect.w - frame.px(12);  // beside the scroll bar
    const int across = std::max(1, static_cast<int>(room / frame.px(kLeastTile + kTileGap)));
    const auto cols = static_cast<float>(across);
    const float width = std::max(1.0F, (room - gap * (cols - 1)) / cols);
    return {.across = across, .w = width, .tall = width / aspect};
}

void range_switch(Frame& frame, const ui::Rect& rect) {
    const bool shared = frame.state.look.range == RangeMode::shared;
    const int chosen =
        ui::segmented(frame.ui, "heads.range", rect, {"shared", "own"}, shared ? 0 : 1);
    if (chosen >= 0) frame.set("range", chosen == 0 ? "shared" : "own");
    if (rect.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip("Color range: one for all heads, or one for each head");
}

// A button that gives the picture's space to the heads, or back.
void size_button(Frame& frame, const ui::Rect& rect) {
    const bool large = frame.state.look.heads_large;
    if (ui::button(
            frame.ui, "heads.large", rect, "", ui::ButtonLook::plain,
            large ? "Shows the picture again" : "Shows the heads larger, instead of the picture",
            large ? ui::Icon::chevron_down : ui::Icon::up))
        frame.set("heads_large", large ? "off" : "on");
}

float size_button_width(const Frame& frame) { return frame.line() + frame.px(4); }

float labels_width(Frame& frame, const std::vector<std::string_view>& labels) {
    float width = 0;
    for (const auto label : labels) width += ui::Canvas(frame.ui).measure(label, {}) + frame.px(12);
    return width;
}

std::vector<std::string_view> view_names() { return {"this layer", "all layers"}; }

float beside_views(Frame& frame) {
    return size_button_width(frame) + (shows_layer_map(frame)
                                           ? measure_choice_width(frame)
                                           : labels_width(frame, {"shared", "own"}));
}

// Whose heads are shown and in which colors. Settings that are not at their default stay visible.
bool has_header(const Frame& frame) {
    const Look& look = frame.state.look;
    const Look usual;
    return look.experiment_open() || look.all_layers != usual.all_layers ||
           look.range != usual.range || look.heads_large != usual.heads_large;
}

bool on_one_line(Frame& frame, float width) {
    return !has_header(frame) ||
           labels_width(frame, view_names()) + beside_views(frame) + frame.px(8) <= width;
}

// Chooses this layer's heads or those of all layers, with the controls of each beside it, or below
// if space is short.
void model_header(Frame& frame, ui::Layout& rect) {
    const bool all = shows_layer_map(frame);
    const float wanted = labels_width(frame, view_names()), other = beside_views(frame);
    ui::Layout row = rect.row();
    const bool both = on_one_line(frame, row.w);
    const int chosen =
        ui::segmented(frame.ui, "heads.view", row.left(std::min(wanted, row.w)), view_names(), all);
    if (chosen >= 0) frame.set("all_layers", chosen == 1 ? "on" : "off");
    if (!both) {
        rect.skip_top(4);
        row = rect.row();
    }
    size_button(frame, row.right(size_button_width(frame)));
    const ui::Rect place = row.right(std::min(other - size_button_width(frame), row.w));
    all ? measure_choice(frame, place) : range_switch(frame, place);
}

std::string heads_caption(const Frame& frame) {
    return frame.state.selection.solo ? "ONE HEAD" : "HEADS";
}

void layer_header(Frame& frame, ui::Layout& rect) {
    ui::Layout title = rect.row();
    size_button(frame, title.right(size_button_width(frame)));
    range_switch(frame,
                 title.right(std::min(title.w * 0.7F, labels_width(frame, {"shared", "own"}))));
    ui::Canvas(frame.ui).caption(title, heads_caption(frame));
}

// The token whose attention the tiles show: the focused one; otherwise the class token, which
// represents the whole picture; otherwise the mean over all tokens.
std::optional<int> token_of_tiles(const Frame& frame) {
    if (frame.focus.token) return frame.focus.token;
    return frame.trace.layout.class_tokens > 0 ? std::optional(0) : std::nullopt;
}

// Names the token if none was selected.
void unchosen_line(Frame& frame, ui::Layout& rect) {
    const bool probe = reads_probe(frame);
    if ((frame.focus.token && !probe) || frame.state.look.lecture) return;
    const bool class_token = frame.trace.layout.class_tokens > 0;
    const bool from = shows_reading_from(frame);
    const char* text = probe                   ? "what the probe attends to, by head"
                       : is_cross(frame.trace) ? "no query chosen: mean of all queries"
                       : !class_token          ? "no token chosen: mean of all tokens"
                       : from                  ? "no token chosen: what the class token attends to"
                                               : "no token chosen: what attends to the class token";
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim{.color = frame.colors().dim};
    frame.ui.report("heads.unchosen", text);
    const ui::Rect place{rect.x, rect.y, rect.w, frame.line()};
    if (shows_all_heads(frame)) {  // space for one line only; the tooltip has the rest
        rect.row();
        if (place.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(text);
        const std::string_view end =
            std::string_view(text).substr(std::string_view(text).find(':') + 1);
        const bool of_class = class_token && !probe && !is_cross(frame.trace);
        const std::string brief = !of_class ? std::string(end)
                                  : from    ? "from the class token"
                                            : "to the class token";
        return label_that_fits(canvas, place, {text, std::string(end), brief}, dim);
    }
    for (const std::string_view line : canvas.wrapped_lines(text, dim, rect.w))
        canvas.label(rect.row(), line, dim);
}

void head_tiles(Frame& frame, ui::Layout rest) {
    unchosen_line(frame, rest);
    const int heads = static_cast<int>(frame.trace.shape.heads);
    std::vector<Shown> maps(static_cast<std::size_t>(heads));
    for (int h = 0; h < heads; ++h)
        maps[static_cast<std::size_t>(h)] =
            shown_token_map(frame, {Reader::Kind::head, h}, token_of_tiles(frame));
    ui::begin_child("heads.scroll", rest, ImGuiWindowFlags_NoBackground);
    const bool solo = frame.state.selection.solo;
    const float aspect = static_cast<float>(frame.trace.image->width) /
                         static_cast<float>(frame.trace.image->height);
    const Tiling tiles = tiling(frame, rest, solo ? 1 : heads, aspect);
    const float width = tiles.w, tall = tiles.tall + frame.line();
    const float gap = frame.px(kTileGap);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    for (int i = 0; i < (solo ? 1 : heads); ++i) {
        const int head = solo ? frame.state.selection.head : i;
        const auto row = static_cast<float>(i / tiles.across),
                   col = static_cast<float>(i % tiles.across);
        const ui::Rect tile{origin.x + col * (width + gap), origin.y + row * (tall + gap), width,
                            tall};
        ImGui::SetCursorScreenPos(tile.min());
        if (!ImGui::IsRectVisible(tile.min(), tile.max())) {
            ImGui::Dummy({tile.w, tile.h});
            continue;
        }
        Shown& map = maps[static_cast<std::size_t>(head)];
        head_tile(frame, tile, head, map.cells.empty() ? nullptr : &map);
    }
    ImGui::EndChild();
}

}  // namespace

float heads_panel_least(Frame& frame, float width) {
    if (frame.state.look.lecture) return frame.line() + frame.px(36);  // a row of small ones
    const bool two = frame.summary.layers.size() > 1 && !on_one_line(frame, width);
    if (shows_all_heads(frame)) {
        const auto rows = std::ceil(static_cast<float>(frame.trace.shape.heads) / 2);
        const float unchosen = frame.focus.token ? 0 : frame.line(),
                    header = frame.line() * (two ? 2 : 1) + frame.px(two ? 12 : 8);
        return header + unchosen + (frame.px(kLeastTall + kTileGap) + frame.line()) * rows;
    }
    return frame.line() * (two ? 3 : 2) + frame.px(two ? 60 : 56);
}

void heads_panel(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    if (rect.h < heads_panel_least(frame, rect.w)) return;
    if (frame.state.look.lecture) return head_tiles(frame, rest);
    if (!has_header(frame))
        ui::Canvas(frame.ui).caption(rest.row(), heads_caption(frame));
    else
        frame.summary.layers.size() > 1 ? model_header(frame, rest) : layer_header(frame, rest);
    rest.skip_top(8);
    shows_layer_map(frame) ? layer_map(frame, rest) : head_tiles(frame, rest);
}

}  // namespace headlight::screens
