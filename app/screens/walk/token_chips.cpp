#include <algorithm>

#include "walk/panels.h"

namespace headlight::screens {

namespace {

constexpr float kGap = 6;  // units between two of them

// Large type and many tokens: their numbers are left to the pointer, or no picture would be left.
bool is_terse(const Frame& frame) {
    return frame.state.look.lecture && frame.trace.layout.prefix() > 2;
}

// Short enough that several stand in a row.
std::string short_name(const Frame& frame, int token) {
    const TokenLayout& layout = frame.trace.layout;
    switch (layout.kind_of(token)) {
        case TokenKind::class_token:
            return layout.prefix() > 1 ? "class" : "class token";
        case TokenKind::distillation_token:
            return "distillation";
        case TokenKind::register_token:
            if (!is_terse(frame)) break;
            return "reg. " +
                   std::to_string(token - layout.class_tokens - layout.distillation_tokens);
        case TokenKind::patch:
            break;
    }
    return token_name(layout, token);
}

// How much the token in focus reads from this one, or is read by it.
std::optional<float> shared_with(const Frame& frame, const Shown& all, int token) {
    if (!frame.focus.token || all.cells.empty()) return std::nullopt;
    const bool from = frame.state.look.reading == Reading::from;
    const int query = from ? *frame.focus.token : token, key = from ? token : *frame.focus.token;
    if (query >= all.view.rows || key >= all.view.cols) return std::nullopt;
    return all.view(query, key);
}

struct TokenChip {
    int token = 0;
    std::string name;
    std::string value;
    std::optional<float> attention;
};

void draw_token(Frame& frame, const ui::Rect& rect, const TokenChip& chip,
                const ui::ColorScale* scale) {
    const auto state = ui::interact(frame.ui, "image.token." + std::to_string(chip.token), rect);
    const bool query = frame.focus.token == chip.token, key = frame.focus.key_token == chip.token;
    ui::Canvas canvas(frame.ui);
    const float round = frame.px(6);
    canvas.fill(rect, state.hovered ? frame.colors().hover : frame.colors().card, round);
    canvas.outline(rect,
                   query ? frame.colors().accent
                   : key ? frame.colors().hue(ui::Hue::key)
                         : frame.colors().border,
                   query || key ? frame.px(2) : 1.0F, round);
    ui::Rect rest = rect.inset(frame.px(6), 0);
    if (scale != nullptr && chip.attention) {
        const float side = frame.px(10) * frame.ui.text_scale();
        const ui::Rect cell = rest.cut_left(side);
        const ui::Rect swatch{cell.x, cell.center().y - side / 2, side, side};
        const gl::Rgb color = scale->color(*chip.attention);
        canvas.fill(swatch, IM_COL32(color.r, color.g, color.b, 255));
        canvas.outline(swatch, frame.colors().border);
        rest.cut_left(frame.px(6));
    }
    canvas.label(rest, chip.name,
                 {.size = ui::Size::small,
                  .color = query || state.hovered ? frame.colors().text : frame.colors().dim});
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const float both = canvas.measure(chip.name, {.size = ui::Size::small}) + frame.px(6) +
                       canvas.measure(chip.value, mono);
    if (!is_terse(frame) && both <= rest.w) canvas.label(rest, chip.value, mono);
    if (!state.hovered) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    frame.memory.next_hovered.token = chip.token;
    frame.ui.tooltip(token_name(frame.trace.layout, chip.token) + " (row " +
                     std::to_string(chip.token) + ")" +
                     (chip.value.empty() ? "" : ": " + chip.value) +
                     "\nA token that belongs to no patch. Click chooses it as the query.");
    if (state.clicked) frame.say("focus", std::to_string(chip.token));
}

// Numbers change under the pointer; the chips must not: each is as wide as the widest can be.
int chips_across(Frame& frame, float room) {
    const TokenLayout& layout = frame.trace.layout;
    ui::Canvas canvas(frame.ui);
    float words = 0;
    for (int t = 0; t < static_cast<int>(layout.prefix()); ++t)
        words = std::max(words, canvas.measure(short_name(frame, t), {.size = ui::Size::small}));
    const float digits =
        is_terse(frame)
            ? 0
            : canvas.measure("0.00e−00", {.face = ui::Face::mono, .size = ui::Size::small});
    const float width = words + digits + frame.px(22) + frame.px(10) * frame.ui.text_scale();
    const float gap = frame.px(kGap);
    return std::clamp(static_cast<int>((room + gap) / (width + gap)), 1,
                      static_cast<int>(layout.prefix()));
}

float chip_height(const Frame& frame) { return frame.line() + frame.px(4); }

}  // namespace

float token_chips_height(Frame& frame, float room) {
    const int count = static_cast<int>(frame.trace.layout.prefix());
    if (count == 0) return 0;
    const int across = chips_across(frame, room), rows = (count + across - 1) / across;
    return static_cast<float>(rows) * (chip_height(frame) + frame.px(kGap)) + frame.px(2);
}

void token_chips(Frame& frame, ui::Rect& rect, const Reader& reader, const ui::ColorScale* scale) {
    const TokenLayout& layout = frame.trace.layout;
    const int count = static_cast<int>(layout.prefix());
    if (count == 0) return;
    const Shown all = shown_reading(frame, reader);
    const int across = chips_across(frame, rect.w);
    const float gap = frame.px(kGap), width = (rect.w - gap * static_cast<float>(across - 1)) /
                                              static_cast<float>(across);
    for (int first = 0; first < count; first += across) {
        ui::Rect row = rect.cut_top(chip_height(frame));
        for (int t = first; t < std::min(first + across, count); ++t) {
            TokenChip chip{t, short_name(frame, t), "", shared_with(frame, all, t)};
            if (chip.attention) chip.value = ui::number(*chip.attention);
            draw_token(frame, row.cut_left(width), chip, scale);
            row.cut_left(gap);
        }
        rect.cut_top(gap);
    }
    rect.cut_top(frame.px(2));
}

}  // namespace headlight::screens
