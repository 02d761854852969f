#include "lessons_screen/page.h"

#include <algorithm>
#include <vector>

#include "frame/photo.h"
#include "lessons_screen/columns.h"

namespace headlight::screens {

namespace {

void text(Page& page, const lessons::Text& block) {
    using Kind = lessons::Text::Kind;
    Frame& frame = page.frame;
    switch (block.kind) {
        case Kind::heading:
            page.gap(4);
            page.write(block.prose, {.face = ui::Face::bold});
            page.gap(4);
            return;
        case Kind::item: {
            const float indent =
                frame.px(20) * static_cast<float>(block.depth) * frame.ui.text_scale();
            ui::Layout mark(frame.ui, page.rest);
            mark.left(std::max(0.0F, indent - frame.px(18) * frame.ui.text_scale()));
            const std::string level(2 * static_cast<std::size_t>(std::max(0, block.depth - 1)),
                                    ' ');
            if (!block.mark.empty())
                page.writer.mark(mark.min(), block.mark, level + block.mark,
                                 {.color = frame.colors().dim});
            page.write(block.prose, {}, indent);
            page.gap(4);
            return;
        }
        case Kind::quote: {
            const ui::Rect bar{page.rest.x, page.rest.y, frame.px(3), 0};
            page.write(block.prose, {.color = frame.colors().dim}, frame.px(14));
            ui::Canvas(frame.ui).fill({bar.x, bar.y, bar.w, page.rest.y - bar.y},
                                      frame.colors().border, frame.px(1));
            page.gap(10);
            return;
        }
        case Kind::paragraph:
            page.write(block.prose);
            page.gap(10);
    }
}

void code(Page& page, const lessons::Code& block) {
    Frame& frame = page.frame;
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    const float width = inner_width(page);
    const float height = ui::Canvas(frame.ui).measure_wrapped(block.text, mono, width).y;
    card(page, height, 0, [&](Page& inside) { page.writer.plain(inside.rest, block.text, mono); });
}

ProseStyle row_style(const Page& page, bool header) {
    return page.in_size({.face = header ? ui::Face::bold : ui::Face::words});
}

std::vector<float> widths_of(const Page& page, const lessons::Table& table, std::size_t count,
                             float air) {
    constexpr float kMost = 400;  // units; a longer cell does not make its column wider
    std::vector<Column> columns(count);
    for (const auto& row : table.rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            const ProseWidths widths =
                prose_widths(page.frame, row[i], row_style(page, &row == &table.rows.front()));
            const float most = page.frame.px(kMost) * page.frame.ui.text_scale();
            columns[i].least = std::max(columns[i].least, widths.longest_word + air);
            columns[i].whole_line =
                std::max(columns[i].whole_line, std::min(widths.longest_line, most) + air);
        }
    return column_widths(columns, page.rest.w);
}

void table(Page& page, const lessons::Table& block) {
    Frame& frame = page.frame;
    std::size_t columns = 1;
    for (const auto& row : block.rows) columns = std::max(columns, row.size());
    const float air = frame.px(8);
    const std::vector<float> widths = widths_of(page, block, columns, air);
    for (const auto& row : block.rows) {
        const ProseStyle style = row_style(page, &row == &block.rows.front());
        float height = 0;
        std::string between = &row == &block.rows.front() ? "\n\n" : "\n";
        ui::Layout line(frame.ui, page.rest);
        for (std::size_t i = 0; i < row.size(); ++i) {
            ui::Rect cell = line.left(widths[i]);
            cell.w -= air;
            if (i > 0) between += '\t';
            if (row[i].empty()) continue;
            page.between(std::exchange(between, ""));
            height = std::max(height, page.writer.write(cell, row[i], style));
        }
        page.rest.top(height + frame.px(4));
        ui::Canvas(frame.ui).line({page.rest.x, page.rest.y},
                                  {page.rest.x + page.rest.w, page.rest.y}, frame.colors().border);
        page.gap(4);
    }
    page.gap(8);
}

}  // namespace

void write_picture(Page& page, const std::shared_ptr<const Image>& image,
                   const lessons::Picture& block) {
    Frame& frame = page.frame;
    if (!image) {
        const ui::TextStyle style{.size = page.size, .color = frame.colors().dim};
        page.rest.top(
            page.writer.plain(page.rest, block.words.empty() ? block.file : block.words, style));
        return page.gap(10);
    }
    const float aspect = static_cast<float>(image->width) / static_cast<float>(image->height);
    const float scale = frame.state.look.lecture ? frame.ui.text_scale() : 1;
    const float wide = std::min(page.rest.w, frame.px(static_cast<float>(image->width)) * scale);
    const float width = std::min(wide, page.tallest * aspect);
    const ui::Rect place = page.rest.top(width / aspect);
    ui::Canvas(frame.ui).photo({place.x, place.y, width, place.h}, photo(image, true), frame.px(4));
    page.gap(12);
}

bool is_item(const lessons::Block& block) {
    const auto* words = std::get_if<lessons::Text>(&block.what);
    return words != nullptr && words->kind == lessons::Text::Kind::item;
}

void write_block(Page& page, const lessons::Block& block) {
    if (const auto* words = std::get_if<lessons::Text>(&block.what)) text(page, *words);
    if (const auto* lines = std::get_if<lessons::Code>(&block.what)) code(page, *lines);
    if (const auto* cells = std::get_if<lessons::Table>(&block.what)) table(page, *cells);
}

}  // namespace headlight::screens
