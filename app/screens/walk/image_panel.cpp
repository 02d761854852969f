#include <algorithm>
#include <cctype>

#include "frame/head_switch.h"
#include "frame/picture.h"
#include "ui/color_bar.h"
#include "walk/lecture_panel.h"
#include "walk/panels.h"
#include "walk/scale_choice.h"

namespace headlight::screens {

namespace {

bool has_rollout(const Frame& frame) {
    return frame.recipe.rollout && frame.summary.rollout &&
           frame.summary.rollout->view().rows == frame.trace.layout.count();
}

// A hovered head is previewed. Otherwise the rollout if it is selected, the pinned head, or the
// mean of all.
Reader reader_of(const Frame& frame) {
    const Reader head{Reader::Kind::head, frame.head};
    if (frame.memory.hovered_head) return head;
    if (frame.state.look.rollout_shown && has_rollout(frame) && !reads_probe(frame))
        return {Reader::Kind::rollout};
    return frame.state.selection.head_pinned ? head : Reader{Reader::Kind::all_heads};
}

// Attention is shown from the softmax on, or while a head is hovered.
bool shows_reading(const Frame& frame) {
    const bool probe = reads_probe(frame);
    if (!frame.focus.token && !probe) return false;
    const auto& nodes = frame.trace.nodes;
    const auto softmax =
        std::ranges::find(nodes, probe ? Step::pool_softmax : Step::softmax, &Node::id);
    const auto present = std::ranges::find(nodes, frame.node().id, &Node::id);
    return frame.memory.hovered_head || softmax <= present;
}

std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string who_reads(const Reader& reader) {
    switch (reader.kind) {
        case Reader::Kind::rollout:
            return "ROLLOUT";
        case Reader::Kind::all_heads:
            return "ALL HEADS";
        case Reader::Kind::head:
            break;
    }
    return "HEAD " + std::to_string(reader.head + 1);
}

// As much text as fits.
std::string caption(Frame& frame, const Reader& reader, float room) {
    const ui::Canvas canvas(frame.ui);
    if (reads_probe(frame) && shows_reading(frame)) {
        const std::string reads = "PROBE ATTENDS TO";
        return fitting_caption(canvas, {reads + " · " + who_reads(reader), reads, "PROBE"}, room);
    }
    if (!frame.focus.token) return "IMAGE";
    const std::string token = upper(name_of_token(frame.trace, Side::query, *frame.focus.token));
    const bool from = shows_reading_from(frame);
    const std::string reads = token + (from ? " ATTENDS TO" : " IS ATTENDED BY");
    // The switch below the picture names the direction, and the color bar the head.
    if (!shows_reading(frame)) return fitting_caption(canvas, {"IMAGE · " + token, token}, room);
    return fitting_caption(canvas, {reads + " · " + who_reads(reader), reads, token}, room);
}

// Beside the numbers of the color bar; for a single head the caption is enough.
std::string label_of(const Frame& frame, const Reader& reader) {
    if (reader.kind != Reader::Kind::rollout) return "";
    const RolloutSettings& settings = *frame.recipe.rollout;
    std::string text = "rollout, ";
    text += name_of(settings.fusion);
    if (settings.discard_ratio > 0)
        text += ", " + ui::number(settings.discard_ratio * 100, 0) + " % dropped";
    return text;
}

void picture(Frame& frame, const ui::Rect& place, const Shown& map) {
    PictureSpec picture{
        .name = kMainPicture, .token = frame.focus.token, .key_token = frame.focus.key_token};
    if (reads_probe(frame)) picture.token.reset();  // the probe is no token
    picture.grid = frame.state.look.grid;
    if (!map.cells.empty()) picture.overlay = &map;
    picture.editable = true;
    draw_picture(frame, place, picture);
    frame.picture_tools.draw_over(frame, place);
}

// Chooses rows or columns, the scale, and whether the picture shows attention.
void reading_switch(Frame& frame, ui::Layout row) {
    const ui::Rect eye = row.right(frame.px(44), 8);
    const float choice = scale_choice_width(frame);
    if (row.w > choice * 2 && !frame.difference()) {
        scale_choice(frame, row.right(choice, 8), "image.scale");
    }
    const float wanted = 2 * (ui::Canvas(frame.ui).measure("attended by", {}) + frame.px(12));
    const std::vector<std::string_view> words =
        wanted <= row.w ? std::vector<std::string_view>{"attends to", "attended by"}
                        : std::vector<std::string_view>{"to", "by"};
    if (is_cross(frame.trace) || reads_probe(frame)) {  // no map of what attends to a patch
        ui::Canvas(frame.ui).label(row, "attends to", {.color = frame.colors().dim});
    } else {
        const int reading = ui::segmented(frame.ui, "image.reading", row, words,
                                          frame.state.look.reading == Reading::from ? 0 : 1);
        if (reading >= 0) frame.set("reading", reading == 0 ? "from" : "by");
    }
    if (ui::toggle(frame.ui, "image.overlay", eye, frame.state.look.overlay))
        frame.set("overlay", frame.state.look.overlay ? "off" : "on");
    if (eye.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip("Shows the attention over the image");
}

void rollout_switch(Frame& frame, const ui::Rect& row) {
    const int shows = ui::segmented(frame.ui, "image.shows", row, {"attention", "rollout"},
                                    frame.state.look.rollout_shown ? 1 : 0);
    if (shows >= 0) frame.set("rollout_shown", shows == 1 ? "on" : "off");
    if (row.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(
            "The attention of this layer, or the product over all layers: how much each final "
            "token depends on each input token");
}

// Settings that are not at their default stay visible.
bool has_reading_switch(const Frame& frame) {
    const Look& look = frame.state.look;
    const Look usual;
    return look.experiment_open() || look.reading != usual.reading ||
           look.overlay != usual.overlay || look.attention_scale != usual.attention_scale;
}
bool has_rollout_switch(const Frame& frame) {
    const Look& look = frame.state.look;
    return has_rollout(frame) && (look.experiment_open() || look.rollout_shown);
}

// Large type leaves no space for it.
bool has_tools(const Frame& frame) {
    return frame.state.look.experiment_open() && !frame.state.look.heads_large &&
           !frame.is_narrow() && frame.picture_tools.has_buttons(frame);
}

bool is_low(const Frame& frame, const ui::Rect& panel) {
    return panel.h < frame.px(640) * frame.ui.text_scale();
}

// Low enough to leave a head visible; if that is impossible anyway, as tall as it can be.
float picture_height(Frame& frame, const ui::Rect& rect, float aspect) {
    if (frame.state.look.heads_large) return 0;
    const bool low = is_low(frame, rect), narrow = frame.is_narrow();
    float most = rect.h * (narrow ? (low ? 0.4F : 0.62F) : (low ? 0.45F : 0.5F));
    if (low && frame.trace.shape.heads > 6) most *= 0.7F;  // many heads must be visible together
    if (low && shows_layer_map(frame)) most *= 0.75F;
    const float controls = frame.line() + frame.px(6), bar = frame.line() + frame.px(16);
    const float below = frame.px(20) + bar + token_chips_height(frame, rect.w) +
                        (narrow                      ? lecture_panel_height(frame, rect.w)
                         : has_reading_switch(frame) ? controls
                                                     : 0) +
                        (has_rollout_switch(frame) ? controls + frame.px(6) : 0) +
                        (has_tools(frame) ? controls + frame.px(8) : 0) +
                        (low ? 0 : frame.picture_tools.line_height(frame));
    // In lecture view the picture takes precedence over the heads.
    if (frame.state.look.lecture) return std::min(rect.w / aspect, rect.h - below);
    const float beside_heads = rect.h - below - heads_panel_least(frame, rect.w);
    const float least = rect.h * (frame.in_lesson() ? 0.2F : 0.3F);
    most = beside_heads < least ? rect.h - below : std::min(most, beside_heads);
    return std::max(0.0F, std::min(rect.w / aspect, most));
}

Shown map_in_view(Frame& frame, const Reader& reader) {
    if (!shows_reading(frame) || !frame.state.look.overlay) return {};
    return shown_token_map(frame, reader, frame.focus.token);
}

float aspect_of_input(const Frame& frame) {
    const Image& image = *frame.trace.image;
    return static_cast<float>(image.width) / static_cast<float>(image.height);
}

}  // namespace

void picture_strip(Frame& frame, ui::Layout rect) {
    const Reader reader = reader_of(frame);
    const Shown map = map_in_view(frame, reader);
    constexpr float gap = 16;
    const float side = std::min(rect.h * aspect_of_input(frame), rect.w * 0.3F);
    ui::Layout left = rect.left(side, gap);
    picture(frame, left.top(side / aspect_of_input(frame)), map);
    ui::Layout right = rect.right(std::max(rect.w * 0.34F, frame.px(150)), gap);
    const float panel = lecture_panel_height(frame, right.w), bar = ui::color_bar_height(frame.ui);
    if (!map.cells.empty() && right.h >= panel + bar + frame.px(4)) {
        ui::color_bar(frame.ui, right.top(bar, 4), map.scale, label_of(frame, reader), "image");
    }
    if (right.h >= token_chips_height(frame, right.w) + panel)
        token_chips(frame, right, reader, map.cells.empty() ? nullptr : &map.scale);
    lecture_panel(frame, right);
    heads_panel(frame, rect);
}

void picture_stage(Frame& frame, ui::Layout rect) {
    const Reader reader = reader_of(frame);
    const Shown map = map_in_view(frame, reader);
    constexpr float gap = 16;
    const float aspect = aspect_of_input(frame);
    ui::Layout below = rect.bottom(std::max(rect.h * 0.2F, frame.line() * 4), 12);
    const ui::Rect bar = rect.bottom(ui::color_bar_height(frame.ui), 6);
    const ui::Rect place = rect.fit(aspect);
    if (!map.cells.empty())
        ui::color_bar(frame.ui, {place.x, bar.y, place.w, bar.h}, map.scale,
                      label_of(frame, reader), "image");
    picture(frame, place, map);
    ui::Layout right = below.right(std::max(below.w * 0.34F, frame.px(150)), gap);
    lecture_panel(frame, right);
    heads_panel(frame, below);
}

void image_panel(Frame& frame, ui::Layout& rect) {
    const Image& image = *frame.trace.image;
    const Reader reader = reader_of(frame);
    const bool low = is_low(frame, rect);
    ui::Layout title = rect.row();
    if (frame.state.look.experiment_open() && !frame.state.look.lecture) {
        source_choice(frame, title.right(ui::button_width(frame.ui, "Input"), 6));
    }
    ui::Canvas(frame.ui).caption(title, caption(frame, reader, title.w));
    rect.skip_top(6);

    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    const float height = picture_height(frame, rect, aspect);
    const ui::Rect place = rect.top(height).fit(aspect);
    Shown map;
    if (shows_reading(frame) && frame.state.look.overlay)
        map = shown_token_map(frame, reader, frame.focus.token);
    if (!place.empty()) {
        picture(frame, place, map);
        rect.skip_top(8);
    }
    if (has_tools(frame)) {
        frame.picture_tools.buttons(frame, rect.row(6, 8));
    }
    // Otherwise the tooltip says it.
    if (!low && !frame.state.look.heads_large) frame.picture_tools.line(frame, rect);
    // Reserves its space in advance, so that nothing moves when attention appears.
    if (const ui::Rect bar = rect.top(ui::color_bar_height(frame.ui)); !map.cells.empty())
        ui::color_bar(frame.ui, bar, map.scale, label_of(frame, reader), "image");
    rect.skip_top(6);
    token_chips(frame, rect, reader, map.cells.empty() ? nullptr : &map.scale);
    if (frame.is_narrow()) {
        lecture_panel(frame, rect);
        rect.skip_top(12);
        return;
    }
    if (has_reading_switch(frame)) reading_switch(frame, rect.row(6));
    if (has_rollout_switch(frame)) {
        rect.skip_top(6);
        rollout_switch(frame, rect.row(6));
    }
    rect.skip_top(12);
}

}  // namespace headlight::screens
