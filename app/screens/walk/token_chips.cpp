#include <algorithm>

#include "walk/panels.h"

namespace headlight::screens {

namespace {

constexpr float kGap = 6;  // units between two chips

// The tokens with chips: those that are no patches. Of learned queries, which may be many, those
// near the selected one.
struct Chips {
    int first = 0, count = 0;
};
Chips chips_of(const Frame& frame) {
    if (!is_cross(frame.trace)) return {0, static_cast<int>(frame.trace.layout.prefix())};
    const auto all = static_cast<int>(frame.trace.shape.queries);
    const int page = frame.state.look.lecture ? 8 : 16;
    const int first = std::min(frame.state.selection.token.value_or(0), all - 1) / page * page;
    return {first, std::min(page, all - first)};
}

// In large type with many tokens, the values are only in tooltips, to leave space for the picture.
bool is_terse(const Frame& frame) {
    const int count = chips_of(frame).count;
    return frame.state.look.lecture ? count > 2 : is_cross(frame.trace) && count > 4;
}

// Short enough for several in a row.
std::string short_name(const Frame& frame, int token) {
    const TokenLayout& layout = frame.trace.layout;
    if (is_cross(frame.trace))
        return is_terse(frame) ? std::to_string(token)
                               : name_of_token(frame.trace, Side::query, token);
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

// The attention weight between the focused token and this one, in the current direction.
std::optional<float> shared_with(const Frame& frame, const Shown& all, int token) {
    if (all.cells.empty()) return std::nullopt;
    if (is_cross(frame.trace)) {  // this query's weight for the focused patch
        const auto& key = frame.focus.key_token;
        if (!key || token >= all.view.rows || *key >= all.view.cols) return std::nullopt;
        return all.view(token, *key);
    }
    if (!frame.focus.token) return std::nullopt;
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
    // These cells of the map above have no place in the picture.
    const auto state =
        ui::interact(frame.ui, "image.token." + std::to_string(chip.token), rect, ui::Stop::no);
    const bool cross = is_cross(frame.trace), query = frame.focus.token == chip.token,
               key = !cross && frame.focus.key_token == chip.token;
    ui::Canvas canvas(frame.ui);
    const float round = frame.px(6);
    canvas.fill(rect, state.hovered ? frame.colors().hover : frame.colors().card, round);
    canvas.outline(rect,
                   query ? frame.colors().accent
                   : key ? frame.colors().hue(ui::Hue::key)
                         : frame.colors().border,
                   query || key ? frame.px(2) : 1.0F, round);
    ui::Layout rest(frame.ui, rect, 6, 0);
    if (scale != nullptr && chip.attention) {
        const float side = frame.px(10) * frame.ui.text_scale();
        const ui::Rect cell = rest.left(side);
        const ui::Rect swatch{cell.x, cell.center().y - side / 2, side, side};
        const gl::Rgb color = scale->color(*chip.attention);
        canvas.fill(swatch, IM_COL32(color.r, color.g, color.b, 255));
        canvas.outline(swatch, frame.colors().border);
        rest.skip_left(6);
    }
    const ui::TextStyle plain{
        .size = ui::Size::small,
        .color = query || state.hovered ? frame.colors().text : frame.colors().dim};
    const std::string brief = chip.name == "class token" ? "class" : chip.name;
    label_that_fits(canvas, rest, {chip.name, brief}, plain);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const float both = canvas.measure(chip.name, {.size = ui::Size::small}) + frame.px(6) +
                       canvas.measure(chip.value, mono);
    if (!is_terse(frame) && both <= rest.w) canvas.label(rest, chip.value, mono);
    if (!state.hovered) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    frame.memory.next_hovered.token = chip.token;
    const std::string value = chip.value.empty() ? "" : ": " + chip.value;
    frame.ui.tooltip(cross ? name_of_token(frame.trace, Side::query, chip.token) +
                                 (value.empty()
                                      ? ""
                                      : " attends to " +
                                            token_and_place(frame.trace, *frame.focus.key_token) +
                                            value) +
                                 "\nIt belongs to no patch. Click to choose it."
                           : token_name(frame.trace.layout, chip.token) + value +
                                 "\nIt belongs to no patch. Click to choose it as the query.");
    if (state.clicked) frame.say("focus", std::to_string(chip.token));
}

// Chips have the width of the widest possible number, so that they do not move as numbers change.
int chips_across(Frame& frame, float room) {
    const auto [first, count] = chips_of(frame);
    ui::Canvas canvas(frame.ui);
    float words = 0;
    for (int t = first; t < first + count; ++t)
        words = std::max(words, canvas.measure(short_name(frame, t), {.size = ui::Size::small}));
    const float digits =
        is_terse(frame)
            ? 0
            : canvas.measure("0.00e−00", {.face = ui::Face::mono, .size = ui::Size::small});
    const float width = words + digits + frame.px(22) + frame.px(10) * frame.ui.text_scale();
    const float gap = frame.px(kGap);
    return std::clamp(static_cast<int>((room + gap) / (width + gap)), 1, count);
}

float chip_height(const Frame& frame) { return frame.line() + frame.px(4); }

// The names of class tokens and registers are self-explanatory.
float caption_height(const Frame& frame) {
    return is_cross(frame.trace) ? frame.line() + frame.px(4) : 0;
}

void chips_caption(Frame& frame, const ui::Rect& rect) {
    const auto [first, count] = chips_of(frame);
    const Index all = frame.trace.shape.queries;
    std::string text = "QUERIES";
    if (count < all)
        text += " " + std::to_string(first) + "–" + std::to_string(first + count - 1) + " OF " +
                std::to_string(all);
    ui::Canvas(frame.ui).caption(rect, text);
}

}  // namespace

float token_chips_height(Frame& frame, float room) {
    const int count = chips_of(frame).count;
    if (count == 0) return 0;
    const int across = chips_across(frame, room), rows = (count + across - 1) / across;
    return static_cast<float>(rows) * (chip_height(frame) + frame.px(kGap)) + frame.px(2) +
           caption_height(frame);
}

void token_chips(Frame& frame, ui::Layout& rect, const Reader& reader,
                 const ui::ColorScale* scale) {
    const Chips chips = chips_of(frame);
    if (chips.count == 0) return;
    if (const ui::Rect caption = rect.top(caption_height(frame)); !caption.empty())
        chips_caption(frame, caption);
    const int end = chips.first + chips.count;
    const Shown all = shown_reading(frame, reader);
    const int across = chips_across(frame, rect.w);
    const float gap = frame.px(kGap), width = (rect.w - gap * static_cast<float>(across - 1)) /
                                              static_cast<float>(across);
    for (int first = chips.first; first < end; first += across) {
        ui::Layout row = rect.top(chip_height(frame));
        for (int t = first; t < std::min(first + across, end); ++t) {
            TokenChip chip{t, short_name(frame, t), "", shared_with(frame, all, t)};
            if (chip.attention) chip.value = ui::number(*chip.attention);
            draw_token(frame, row.left(width), chip, scale);
            row.left(gap);
        }
        rect.top(gap);
    }
    rect.skip_top(2);
}

}  // namespace headlight::screens
