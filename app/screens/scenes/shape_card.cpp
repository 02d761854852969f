#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "scenes/scene_editor.h"
#include "ui/color_field.h"

namespace headlight::screens {

namespace {

constexpr const char* kCard = "shape.card";
constexpr float kWidth = 252, kPad = 12, kGap = 10, kField = 84;  // units
constexpr int kAcross = 8;                                        // swatches per row

// Hues around the circle; the second row has their dark versions. Each row ends with grays.
constexpr std::array<ImU32, std::size_t{2} * kAcross> kSwatches{
    0xF0473E, 0xFF9A1F, 0xF2E03A, 0x52D653, 0x35D6E6, 0x4F80FF, 0xB673FF, 0xF5F5F5,
    0x7C1F1B, 0x8A4E08, 0x7F7512, 0x1F6E2A, 0x106D78, 0x1E3A8A, 0x5B2A92, 0x26282D};

struct Card {
    Frame& frame;
    const ShapeScene& shapes;
    int index = 0;

    [[nodiscard]] const Shape& shape() const {
        return shapes.shapes[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] std::string number() const { return std::to_string(index + 1); }
    [[nodiscard]] float button_height() const { return frame.line() + frame.px(8); }
    [[nodiscard]] float width() const {
        return std::max(frame.px(kWidth), frame.px(kWidth) * frame.ui.text_scale() * 0.8F);
    }
    [[nodiscard]] float cell(int across) const {  // width of square cells with gaps
        const auto n = static_cast<float>(across);
        return (width() - frame.px(2 * kPad) - frame.px(4) * (n - 1)) / n;
    }
    [[nodiscard]] float height() const {
        return frame.px(2 * kPad) + frame.line() + cell(kShapeKinds) + 2 * cell(kAcross) +
               frame.px(4) + frame.px(kField) + button_height() + frame.px(4 * kGap);
    }
};

ImU32 color_of(const Rgb& c) { return ImGui::ColorConvertFloat4ToU32({c.red, c.green, c.blue, 1}); }

void title(Card& card, const ui::Rect& row) {
    ui::Canvas canvas(card.frame.ui);
    const Shape& s = card.shape();
    std::string name(name_of(s.kind));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    canvas.caption(row, name);
    canvas.label(row, fmt::format("radius {:.1f} · {:.0f}°", s.radius, s.rotation),
                 {.color = card.frame.colors().dim, .align = ui::Align::right});
}

// A shape of the kind as in scenes, upright in the middle of a square.
void glyph(ui::Canvas& canvas, ShapeKind kind, const ui::Rect& square, ImU32 color, float thick) {
    Shape figure;
    figure.kind = kind;
    figure.radius = 10;
    if (kind == ShapeKind::square) figure.rotation = 45;  // otherwise it is on a corner
    const float scale = square.w * 0.034F;
    for (const auto& line : contours(figure, 120)) {
        std::vector<ImVec2> points;
        points.reserve(line.size());
        for (const ScenePoint& p : line)
            points.push_back({square.center().x + p.x * scale, square.center().y + p.y * scale});
        canvas.path(std::move(points), color, thick, true);
    }
}

void kinds(Card& card, ui::Layout row) {
    Frame& frame = card.frame;
    ui::Canvas canvas(frame.ui);
    const int present = static_cast<int>(card.shape().kind);
    int wanted = present;
    for (int kind = 0; kind < kShapeKinds; ++kind) {
        const ui::Rect place = row.left(card.cell(kShapeKinds), 4);
        const std::string name(name_of(static_cast<ShapeKind>(kind)));
        const bool chosen = kind == present;
        if (ui::button(frame.ui, "shape.kind." + name, place, "", ui::ButtonLook::plain, name))
            wanted = kind;
        if (chosen) canvas.outline(place, frame.colors().accent, frame.px(1.5F), frame.px(6));
        glyph(canvas, static_cast<ShapeKind>(kind), place,
              chosen ? frame.colors().accent : frame.colors().text, frame.px(1.6F));
    }
    if (frame.ui.key_pressed(ImGuiKey_RightArrow)) wanted = (present + 1) % kShapeKinds;
    if (frame.ui.key_pressed(ImGuiKey_LeftArrow))
        wanted = (present + kShapeKinds - 1) % kShapeKinds;
    if (wanted != present)
        frame.say("shape-kind", card.number(),
                  std::string(name_of(static_cast<ShapeKind>(wanted))));
}

void say_color(Card& card, const Rgb& color) {
    const std::string hex = hex_of(color);
    if (hex != hex_of(card.shape().color)) card.frame.say("shape-color", card.number(), hex);
}

void swatches(Card& card, ui::Layout& rest) {
    Frame& frame = card.frame;
    ui::Canvas canvas(frame.ui);
    ui::Layout row(frame.ui, {});
    for (int i = 0; i < static_cast<int>(kSwatches.size()); ++i) {
        if (i % kAcross == 0) {
            if (i > 0) rest.skip_top(4);
            row = rest.top(card.cell(kAcross));
        }
        const ui::Rect place = row.left(card.cell(kAcross), 4);
        const ImU32 hex = kSwatches.at(static_cast<std::size_t>(i));
        const Rgb color{static_cast<float>(hex >> 16U) / 255,
                        static_cast<float>(hex >> 8U & 255U) / 255,
                        static_cast<float>(hex & 255U) / 255};
        const auto state = ui::interact(frame.ui, "shape.swatch." + std::to_string(i + 1), place);
        canvas.fill(place, color_of(color), frame.px(5));
        const bool chosen = hex_of(color) == hex_of(card.shape().color);
        canvas.outline(place, chosen || state.hovered ? frame.colors().text : frame.colors().border,
                       frame.px(chosen ? 2.0F : 1.0F), frame.px(5));
        if (state.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        if (state.clicked) say_color(card, color);
    }
}

void field(Card& card, const ui::Rect& place) {
    const Rgb& c = card.shape().color;
    ImVec4 color{c.red, c.green, c.blue, 1};
    const auto slid = ui::color_field(card.frame.ui, "shape.color", place, color);
    if (slid.changed) say_color(card, {color.x, color.y, color.z});
    if (slid.released) card.frame.memory.gesture_ended = true;
}

void actions(Card& card, ui::Layout row) {
    Frame& frame = card.frame;
    const ui::Rect left = row.left((row.w - frame.px(8)) / 2, 8);
    const TwinChoice twin = twin_choice(card.shapes, card.index);
    if (ui::button(frame.ui, "shape.twin", left, twin.label(), ui::ButtonLook::outlined,
                   twin.tip()))
        twin.say(frame);
    const bool by_key = frame.ui.key_pressed(ImGuiKey_Delete);
    if (!ui::button(frame.ui, "shape.delete", row, "Delete", ui::ButtonLook::outlined,
                    "Removes this shape   Delete") &&
        !by_key)
        return;
    frame.say("shape-delete", card.number());
    ImGui::CloseCurrentPopup();
}

void draw_card(Card& card, ui::Layout rest) {
    Frame& frame = card.frame;
    frame.ui.name(kCard, {rest, {0, 0, 0, 0}});
    rest = rest.inset(frame.px(kPad));
    title(card, rest.row(0, kGap));
    kinds(card, rest.top(card.cell(kShapeKinds), kGap));
    swatches(card, rest);
    rest.skip_top(kGap);
    field(card, rest.top(frame.px(kField), kGap));
    actions(card, rest);
}

}  // namespace

void open_shape_card() { ImGui::OpenPopup(kCard); }

void shape_card(Frame& frame, const ScenePlace& place) {
    const ShapeScene* shapes = scene_in_hand(frame);
    const int index = frame.state.selection.shape.value_or(-1);
    if (!ImGui::IsPopupOpen(kCard) || shapes == nullptr || index < 0 ||
        index >= static_cast<int>(shapes->shapes.size()))
        return;
    Card card{frame, *shapes, index};
    // Beside the picture, so that nothing is hidden, at the height of the shape. It stays there
    // while the shape changes.
    const Shape& shape = card.shape();
    const ImVec2 beside = place.to_screen({kSceneSize, shape.y - shape.radius});
    const float lowest = ImGui::GetIO().DisplaySize.y - card.height() - frame.px(8);
    ImGui::SetNextWindowPos(
        {std::round(beside.x + frame.px(24)), std::round(std::min(beside.y, lowest))},
        ImGuiCond_Appearing);
    ImGui::SetNextWindowSize({card.width(), card.height()});
    if (!ImGui::BeginPopup(kCard, ImGuiWindowFlags_NoMove)) return;
    const ImVec2 at = ImGui::GetWindowPos();
    draw_card(card, {frame.ui, {at.x, at.y, card.width(), card.height()}});
    if (frame.ui.key_pressed(ImGuiKey_Escape) || frame.ui.key_pressed(ImGuiKey_Enter))
        ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace headlight::screens
