#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/capitals.h"
#include "frame/picture.h"
#include "positions_screen/view.h"
#include "ui/color_bar.h"

// The table over the picture: one channel, one patch's similarities, and the maps of all patches.
namespace headlight::screens {

namespace {

float aspect_of_picture(const Frame& frame, const PositionsView& view) {
    const auto& image = frame.trace.image;
    if (image == nullptr || image->height == 0)
        return static_cast<float>(view.cols) / static_cast<float>(view.rows);
    return static_cast<float>(image->width) / static_cast<float>(image->height);
}

}  // namespace

void picture_with(Frame& frame, ui::Layout rect, const PositionsView& view, const Shown& map,
                  const std::string& name) {
    ui::Rect bar = rect.last_row(0, 4);
    const auto token = static_cast<int>(token_of_row(frame.trace, Axis::patch, view.patch));
    ui::Rect picture = rect.fit(aspect_of_picture(frame, view));
    picture.y = rect.y;
    bar.y = picture.y + picture.h + frame.px(4);
    draw_picture(frame, picture,
                 {.name = name,
                  .token = is_cross(frame.trace) ? std::nullopt : std::optional(token),
                  .key_token = is_cross(frame.trace) ? std::optional(token) : std::nullopt,
                  .overlay = &map,
                  .opacity = 0.75F});
    ui::color_line(frame.ui, bar, map.scale);
}

namespace {

// A slider over all channels; the rest of the row is for the caption.
void channel_slider(Frame& frame, ui::Layout& row, const PositionsView& view) {
    const int last = view.dim() - 1;
    if (last < 1) return;
    const ui::Rect place = row.right(std::min(row.w * 0.5F, frame.px(240)), 8);
    double channel = view.channel;
    const auto slid =
        ui::slider(frame.ui, "field.position_channel", place, channel, 0, last, false);
    const int next = static_cast<int>(std::round(channel));
    if (slid.changed && next != frame.state.look.position_channel)
        frame.set("position_channel", std::to_string(next));
    if (slid.released) frame.memory.gesture_ended = true;
}

// channel 10 of 64 ──●── ◂ ▸
void channel_steps(Frame& frame, ui::Layout row, const PositionsView& view) {
    const float side = row.h;
    const auto go = [&](int channel) {
        set_once(frame, "position_channel", std::to_string(std::clamp(channel, 0, view.dim() - 1)));
    };
    if (ui::button(frame.ui, "positions.channel.next", row.right(side), "", ui::ButtonLook::plain,
                   "Next channel   PageDown", ui::Icon::next))
        go(view.channel + 1);
    if (ui::button(frame.ui, "positions.channel.previous", row.right(side), "",
                   ui::ButtonLook::plain, "Previous channel   PageUp", ui::Icon::previous))
        go(view.channel - 1);
    channel_slider(frame, row, view);
    caption_that_fits(frame.ui, row,
                      {fmt::format("CHANNEL {} OF {}", view.channel, view.dim()),
                       fmt::format("CHANNEL {}", view.channel), std::to_string(view.channel)});
}

}  // namespace

Shown over_grid(const PositionsView& view, const SharedResult& matrix, int row,
                const ui::ColorScale& scale) {
    Shown map;
    map.set_cells({matrix->view().row(row), view.rows, view.cols, view.cols}, matrix->version());
    map.scale = scale;
    return map;
}

ui::ColorScale likeness_scale(Frame& frame, const PositionsView& view, const StudiedTable& table) {
    ui::ColorScale scale;
    scale.map = attention_map(frame);
    scale.low = table.low;
    scale.high = table.high;
    if (frame.state.look.pair_measure == PairMeasure::cosine)
        for (const StudiedTable* one : {view.table, view.beside}) {
            if (one == nullptr) continue;
            scale.low = std::min(scale.low, one->low);
            scale.high = std::max(scale.high, one->high);
        }
    if (!std::isfinite(scale.low) || !std::isfinite(scale.high)) scale.low = -1, scale.high = 1;
    if (scale.low >= scale.high) scale.low = scale.high - 1;  // all values are equal
    return scale;
}

std::string_view name_of_measure(const Frame& frame) {
    return name_of(frame.state.look.pair_measure);
}

Index token_of_patch(const Frame& frame, int patch) {
    return token_of_row(frame.trace, Axis::patch, patch);
}

std::string name_and_place(const Frame& frame, int patch) {
    const Index token = token_of_patch(frame, patch);
    const std::string name = token_and_place(frame.trace, token);
    return frame.trace.image ? name : fmt::format("token {} · {}", token, name);
}

void focus_on_patch(Frame& frame, int patch) {
    hover_token(frame, side_of_patches(frame.trace), token_of_patch(frame, patch));
}

void pin_patch(Frame& frame, int patch) {
    pin_token(frame, side_of_patches(frame.trace), token_of_patch(frame, patch));
}

std::optional<Index> pinned_patch(const Frame& frame) {
    const Selection& pinned = frame.state.selection;
    const auto& token = is_cross(frame.trace) ? pinned.key : pinned.token;
    if (!token) return std::nullopt;
    return row_of_token(frame.trace, Axis::patch, *token);
}

void channel_over_picture(Frame& frame, ui::Layout rect, const PositionsView& view) {
    channel_steps(frame, rect.row(0, 4), view);
    const PositionProperties& p = view.table->properties;
    picture_with(
        frame, rect, view,
        over_grid(view, view.table->channels, view.channel, signed_scale(frame, p.low, p.high)),
        "positions.channel");
}

void likeness_over_picture(Frame& frame, ui::Layout rect, const PositionsView& view) {
    const std::string by = capitals(std::string(name_of_measure(frame)));
    const std::string name = fmt::format("TOKEN {}", token_of_patch(frame, view.patch));
    caption_that_fits(frame.ui, rect.row(0, 4),
                      {fmt::format("{} WITH {}", by, capitals(name_and_place(frame, view.patch))),
                       fmt::format("{} WITH {}", by, name), name});
    picture_with(
        frame, rect, view,
        over_grid(view, view.table->pairs, view.patch, likeness_scale(frame, view, *view.table)),
        "positions.likeness");
}

void sheet_of(Frame& frame, ui::Layout rect, const PositionsView& view, const StudiedTable& table,
              const std::string& name, PositionsMemory& memory) {
    ui::Canvas canvas(frame.ui);
    const std::string kind = name_of_kind(frame, view, table.choice),
                      range = fmt::format("{} … {}", ui::number(table.low, 2),
                                          ui::number(table.high, 2));
    caption_that_fits(frame.ui, rect.row(0, 4),
                      {fmt::format("EVERY PATCH'S OWN MAP · {} · {}", kind, range),
                       fmt::format("ALL MAPS · {} · {}", kind, range), "ALL MAPS · " + kind, kind});
    // Each patch's map is a small picture at the patch's place.
    const ui::Rect place = rect.fit(aspect_of_picture(frame, view));
    Shown shown;
    shown.set_cells(table.sheet);
    ui::HeatmapSpec spec;
    spec.name = name;
    spec.cells = shown.cells;
    spec.scale = likeness_scale(frame, view, table);
    spec.window = {0, 0, static_cast<float>(spec.cells.rows), static_cast<float>(spec.cells.cols)};
    spec.numbers = false;
    const auto hit = ui::heatmap(frame.ui, place, spec);
    const float wide = place.w / static_cast<float>(view.cols),
                tall = place.h / static_cast<float>(view.rows);
    for (int c = 1; c < view.cols; ++c)
        canvas.fill({place.x + static_cast<float>(c) * wide, place.y, 1, place.h},
                    frame.colors().background);
    for (int r = 1; r < view.rows; ++r)
        canvas.fill({place.x, place.y + static_cast<float>(r) * tall, place.w, 1},
                    frame.colors().background);
    canvas.mark({place.x + static_cast<float>(view.patch % view.cols) * wide,
                 place.y + static_cast<float>(view.patch / view.cols) * tall, wide, tall},
                frame.colors().accent, frame.px(2));
    if (!hit.hovered) return;
    const int patch = hit.row / view.rows * view.cols + hit.col / view.cols,
              other = hit.row % view.rows * view.cols + hit.col % view.cols;
    focus_on_patch(frame, patch);
    memory.next_hovered_offset = view.between(patch, other);
    frame.ui.tooltip(fmt::format("{}\nwith {}: {} {}", name_and_place(frame, patch),
                                 name_and_place(frame, other), name_of_measure(frame),
                                 ui::number(shown.view(hit.row, hit.col), 3)));
    if (hit.clicked) pin_patch(frame, patch);
}

}  // namespace headlight::screens
