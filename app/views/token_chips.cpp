#include <algorithm>

#include "views/panels.h"

namespace headlight::views {

namespace {

constexpr float kGap = 6;  // units between two of them

// Large type and many tokens: their numbers are left to the pointer, or no picture would be left.
bool is_terse(const Scene& scene) {
    return scene.state.look.lecture && scene.trace.layout.prefix() > 2;
}

// Short enough that several stand in a row.
std::string short_name(const Scene& scene, int token) {
    const TokenLayout& layout = scene.trace.layout;
    switch (layout.kind_of(token)) {
        case TokenKind::class_token:
            return layout.prefix() > 1 ? "class" : "class token";
        case TokenKind::distillation_token:
            return "distillation";
        case TokenKind::register_token:
            if (!is_terse(scene)) break;
            return "reg. " +
                   std::to_string(token - layout.class_tokens - layout.distillation_tokens);
        case TokenKind::patch:
            break;
    }
    return token_name(layout, token);
}

// How much the token in focus reads from this one, or is read by it.
std::optional<float> shared_with(const Scene& scene, const Shown& all, int token) {
    if (!scene.focus.token || all.cells.empty()) return std::nullopt;
    const bool from = scene.state.look.reading == Reading::from;
    const int query = from ? *scene.focus.token : token, key = from ? token : *scene.focus.token;
    if (query >= all.view.rows || key >= all.view.cols) return std::nullopt;
    return all.view(query, key);
}

struct TokenChip {
    int token = 0;
    std::string name;
    std::string value;
    std::optional<float> attention;
};

void draw_token(Scene& scene, const ui::Rect& rect, const TokenChip& chip,
                const ui::ColorScale* scale) {
    const auto state = ui::interact(scene.ui, "image.token." + std::to_string(chip.token), rect);
    const bool query = scene.focus.token == chip.token, key = scene.focus.key_token == chip.token;
    ui::Canvas canvas(scene.ui);
    const float round = scene.px(6);
    canvas.fill(rect, state.hovered ? scene.colors().hover : scene.colors().card, round);
    canvas.outline(rect,
                   query ? scene.colors().accent
                   : key ? scene.colors().hue(ui::Hue::key)
                         : scene.colors().border,
                   query || key ? scene.px(2) : 1.0F, round);
    ui::Rect rest = rect.inset(scene.px(6), 0);
    if (scale != nullptr && chip.attention) {
        const float side = scene.px(10) * scene.ui.text_scale();
        const ui::Rect cell = rest.cut_left(side);
        const ui::Rect swatch{cell.x, cell.center().y - side / 2, side, side};
        const gl::Rgb color = scale->color(*chip.attention);
        canvas.fill(swatch, IM_COL32(color.r, color.g, color.b, 255));
        canvas.outline(swatch, scene.colors().border);
        rest.cut_left(scene.px(6));
    }
    canvas.label(rest, chip.name,
                 {.size = ui::Size::small,
                  .color = query || state.hovered ? scene.colors().text : scene.colors().dim});
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const float both = canvas.measure(chip.name, {.size = ui::Size::small}) + scene.px(6) +
                       canvas.measure(chip.value, mono);
    if (!is_terse(scene) && both <= rest.w) canvas.label(rest, chip.value, mono);
    if (!state.hovered) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    scene.memory.next_hovered.token = chip.token;
    scene.ui.tooltip(token_name(scene.trace.layout, chip.token) + " (row " +
                     std::to_string(chip.token) + ")" +
                     (chip.value.empty() ? "" : ": " + chip.value) +
                     "\nA token that belongs to no patch. Click chooses it as the query.");
    if (state.clicked) scene.say("focus", std::to_string(chip.token));
}

// Numbers change under the pointer; the chips must not: each is as wide as the widest can be.
int chips_across(Scene& scene, float room) {
    const TokenLayout& layout = scene.trace.layout;
    ui::Canvas canvas(scene.ui);
    float words = 0;
    for (int t = 0; t < static_cast<int>(layout.prefix()); ++t)
        words = std::max(words, canvas.measure(short_name(scene, t), {.size = ui::Size::small}));
    const float digits =
        is_terse(scene)
            ? 0
            : canvas.measure("0.00e−00", {.face = ui::Face::mono, .size = ui::Size::small});
    const float width = words + digits + scene.px(22) + scene.px(10) * scene.ui.text_scale();
    const float gap = scene.px(kGap);
    return std::clamp(static_cast<int>((room + gap) / (width + gap)), 1,
                      static_cast<int>(layout.prefix()));
}

float chip_height(const Scene& scene) { return scene.line() + scene.px(4); }

}  // namespace

float token_chips_height(Scene& scene, float room) {
    const int count = static_cast<int>(scene.trace.layout.prefix());
    if (count == 0) return 0;
    const int across = chips_across(scene, room), rows = (count + across - 1) / across;
    return static_cast<float>(rows) * (chip_height(scene) + scene.px(kGap)) + scene.px(2);
}

void token_chips(Scene& scene, ui::Rect& rect, Reader reader, const ui::ColorScale* scale) {
    const TokenLayout& layout = scene.trace.layout;
    const int count = static_cast<int>(layout.prefix());
    if (count == 0) return;
    const Shown all = shown_reading(scene, reader);
    const int across = chips_across(scene, rect.w);
    const float gap = scene.px(kGap), width = (rect.w - gap * static_cast<float>(across - 1)) /
                                              static_cast<float>(across);
    for (int first = 0; first < count; first += across) {
        ui::Rect row = rect.cut_top(chip_height(scene));
        for (int t = first; t < std::min(first + across, count); ++t) {
            TokenChip chip{t, short_name(scene, t), "", shared_with(scene, all, t)};
            if (chip.attention) chip.value = ui::number(*chip.attention);
            draw_token(scene, row.cut_left(width), chip, scale);
            row.cut_left(gap);
        }
        rect.cut_top(gap);
    }
    rect.cut_top(scene.px(2));
}

}  // namespace headlight::views
