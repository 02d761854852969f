#include <algorithm>
#include <cmath>

#include "chrome/file_browsing.h"

namespace headlight::screens {

using ui::Canvas;
using ui::Face;
using ui::Rect;
using ui::Size;

namespace {

constexpr float kPictureAspect = 1.6F, kMargin = 8;
constexpr ui::TextStyle kTitleStyle{.face = Face::bold};

const ui::TextStyle& words_style() {
    static const ui::TextStyle style{.size = Size::small};
    return style;
}

std::string card_words(const GalleryCard& card) {
    return card.example.trouble.empty() ? card.example.words : card.example.trouble;
}

// All cards have the height of the tallest.
FileGrid lay_out(const Browsing& b, float width) {
    FileGrid grid;
    grid.folders = static_cast<int>(
        std::ranges::count_if(b.browser.gallery, is_question, &GalleryCard::example));
    grid.files = static_cast<int>(b.browser.gallery.size()) - grid.folders;
    grid.heading = b.ui.line(Size::small) + b.px(10);
    grid.gap = b.px(12);
    grid.cols = std::max(1, static_cast<int>((width + grid.gap) / (b.wide(200) + grid.gap)));
    const auto cols = static_cast<float>(grid.cols);
    grid.tile_w = std::max(1.0F, std::floor((width - grid.gap * (cols - 1)) / cols));
    const Canvas canvas(b.ui);
    const float inner = grid.tile_w - 2 * b.px(kMargin);
    float words = 0;
    for (const GalleryCard& card : b.browser.gallery)
        words =
            std::max(words, canvas.measure_wrapped(card.example.title, kTitleStyle, inner).y +
                                canvas.measure_wrapped(card_words(card), words_style(), inner).y);
    grid.file_h = std::round(inner / kPictureAspect + 2 * b.px(kMargin) + b.px(8) + words);
    grid.folder_h = grid.file_h;
    return grid;
}

void card_picture(const Browsing& b, const Rect& rect, const GalleryCard& card) {
    Canvas canvas(b.ui);
    canvas.fill(rect, b.colors().background, b.px(6));
    if (card.picture.path.empty())
        ui::icon(canvas, ui::Icon::play, rect.center(), b.wide(32), b.colors().dim);
    else
        draw_thumbnail(b, rect, card.picture, static_cast<int>(std::ceil(rect.w)));
}

bool draw_card(const Browsing& b, const Rect& tile, const GalleryCard& card, bool selected) {
    const auto mouse = ui::interact(b.ui, "files.example." + card.example.name, tile);
    const bool lit = mouse.hovered || selected;
    Canvas canvas(b.ui);
    if (mouse.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    canvas.fill(tile, lit ? b.colors().hover : b.colors().card, b.px(8));
    ui::Layout rest(b.ui, tile, kMargin, kMargin);
    card_picture(b, rest.top(std::round(rest.w / kPictureAspect), 8), card);
    rest.paragraph(card.example.title, kTitleStyle);
    const bool good = card.example.trouble.empty();
    ui::TextStyle style = words_style();
    style.color = good ? b.colors().dim : b.colors().error;
    canvas.wrapped(rest, card_words(card), style);
    canvas.outline(tile.inset(b.px(1)), lit ? b.colors().dim : b.colors().border, b.px(1), b.px(8));
    if (mouse.hovered) b.ui.tooltip(card.example.file.string());
    if (selected) b.ui.report("files.selected", card.example.name);
    return mouse.clicked;
}

// A heading above the first card of a group.
void draw_heading(const Browsing& b, const FileGrid& grid, int i, const Rect& tile) {
    const bool first = i == 0 || i == grid.folders;
    if (!first) return;
    const bool asks = i < grid.folders;
    Canvas(b.ui).caption({tile.x, tile.y - grid.heading, grid.tile_w * 3, b.ui.line(Size::small)},
                         asks ? "QUESTIONS" : "PUBLISHED LAYERS");
}

}  // namespace

void file_examples(const Browsing& b, const Rect& rect) {
    const FileGrid grid = lay_out(b, tiles_width(b, rect));
    const auto card = [&](int i) -> const GalleryCard& {
        return b.browser.gallery[static_cast<std::size_t>(i)];
    };
    const auto chosen = scroll_tiles(b, rect, grid, [&](int i, const Rect& tile, bool selected) {
        draw_heading(b, grid, i, tile);
        return draw_card(b, tile, card(i), selected);
    });
    if (!chosen) return;
    b.close();
    b.out.push_back(command("example", card(*chosen).example.file.string()));
}

}  // namespace headlight::screens
