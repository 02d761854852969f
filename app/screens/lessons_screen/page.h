#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "image/image.h"
#include "lessons/lesson.h"
#include "lessons_screen/prose.h"

// Blocks of lessons and the manual below each other: paragraphs, lists, tables and code.
namespace headlight::screens {

// Where the blocks of one frame are written, from the top.
struct Page {
    Frame& frame;
    ProseWriter& writer;
    ui::Layout rest;
    ui::Size size = ui::Size::body;  // of running text
    float tallest = 1e6F;            // maximum height of a picture, in pixels

    void gap(float units) { rest.skip_top(units); }
    // Text copied before the next one if both are copied; an empty line by default.
    void between(std::string text) { writer.between(std::move(text)); }
    [[nodiscard]] ProseStyle in_size(ProseStyle style) const {
        if (style.size == ui::Size::body) style.size = size;
        return style;
    }
    void write(const lessons::Prose& prose, const ProseStyle& style = {}, float indent = 0) {
        ui::Layout place = rest;
        place.left(indent);
        rest.top(writer.write(place, prose, in_size(style)));
    }
    void caption(std::string_view words) { ui::Canvas(frame.ui).caption(rest.row(0, 4), words); }
};

// A card with content of that height.
template <class Content>
void card(Page& page, float height, ImU32 outline, const Content& content) {
    Frame& frame = page.frame;
    const float pad = frame.px(14);
    const ui::Rect whole = page.rest.top(height + 2 * pad);
    ui::Canvas canvas(frame.ui);
    canvas.card(whole, frame.colors().card);
    if (outline != 0) canvas.outline(whole, outline, frame.px(1.5F), frame.px(8));
    Page inside{frame, page.writer, {frame.ui, whole.inset(pad)}, page.size, page.tallest};
    content(inside);
    page.gap(12);
}

inline float inner_width(const Page& page) { return page.rest.w - page.frame.px(28); }

bool is_item(const lessons::Block& block);

// At most as wide as the page; its alternative text if there is no image.
void write_picture(Page& page, const std::shared_ptr<const Image>& image,
                   const lessons::Picture& block);

// Writes text, code and tables; other blocks are drawn by the caller.
void write_block(Page& page, const lessons::Block& block);
// A task of the open lesson with the controls that it names; `number` is its number in the stop,
// from 1.
void write_task(Page& page, const lessons::Task& task, bool done, int number);

}  // namespace headlight::screens
