#include <algorithm>
#include <string>

#include "frame/tensor_text.h"
#include "frame/tiling.h"
#include "ui/color_bar.h"
#include "walk/stages.h"

// A step of all heads at once: their slices, products, or results side by side.
namespace headlight::screens {

namespace {

// Minimum height and width in units at which a product shows its operands; large type needs more.
constexpr float kOperandsFrom = 170, kOperandsWideFrom = 180;

void head_title(Frame& frame, const ui::Rect& rect, int head) {
    const bool chosen = head == frame.state.selection.head;
    const ui::TextStyle style{.face = chosen ? ui::Face::bold : ui::Face::words,
                              .size = ui::Size::small,
                              .color = chosen ? frame.colors().text : frame.colors().dim};
    ui::Canvas canvas(frame.ui);
    const std::string words = "Head " + std::to_string(head + 1);
    canvas.circle({rect.x + frame.px(4), rect.center().y}, frame.px(3.5F),
                  frame.colors().head(head));
    canvas.label({rect.x + frame.px(12), rect.y, rect.w - frame.px(12), rect.h}, words, style);
}

// A matrix of one head, without text along its edges if there is no space.
void small_matrix(Frame& frame, const ui::Rect& rect, Tensor tensor, const std::string& name) {
    const float edge = frame.line() + frame.px(2);
    ui::Layout place(frame.ui, rect);
    const bool labeled = place.h > frame.px(110) && place.w > frame.px(80);
    if (labeled) {
        place.top(edge);
        place.bottom(edge);
    }
    place =
        whole(place.fit(aspect_of(frame.trace.rows(tensor), frame.trace.cols(tensor), 0.3F, 2.4F)));
    Matrix2D m{.tensor = tensor, .head = frame.head, .name = name};
    m.row = focus_row(frame, tensor);
    if (tensor == frame.node().result() || info(tensor).cols == Axis::head_channel)
        m.col = frame.focus.col;
    m.label_top = labeled;
    m.label_left = false;
    // A narrow matrix has its color bar's numbers outside its edges.
    const float least = std::min(rect.w, frame.px(110) * frame.ui.text_scale());
    const bool narrow = labeled && place.w < least;
    m.bar_below = labeled && !narrow;
    m.frame = frame.colors().head(frame.head);
    const ui::HeatmapHit hit = draw_matrix(frame, place, m);
    if (narrow)
        ui::color_line(
            frame.ui,
            {place.center().x - least / 2, place.y + place.h + frame.px(2), least, frame.line()},
            shown(frame, tensor, frame.head).scale);
    if (tensor == frame.node().result())
        focus_result(frame, hit);
    else
        focus_token(frame, hit, tensor);
}

// The head's slices of queries, keys and values.
void head_pieces(Frame& frame, ui::Layout rect, const std::string& suffix) {
    const float each = rect.column(0, 3, 10).w;
    for (const Tensor part : frame.node().results)
        small_matrix(frame, rect.left(each, 10), part,
                     "stage." + std::string(info(part).name) + suffix);
}

bool is_product_of_heads(const Frame& frame) {
    const Op op = frame.node().op;
    return op == Op::multiply || op == Op::mix;
}

void draw_head(Frame& frame, ui::Layout rect) {
    const std::string suffix = ".head." + std::to_string(frame.head + 1);
    head_title(frame, rect.row(), frame.head);
    if (frame.node().op == Op::cut) return head_pieces(frame, rect, suffix);
    const float type = frame.ui.text_scale();
    const bool operands = is_product_of_heads(frame) && rect.h > frame.px(kOperandsFrom) &&
                          rect.w > frame.px(kOperandsWideFrom) * type;
    if (!operands) return small_matrix(frame, rect, frame.node().result(), "stage.result" + suffix);
    Product product{frame.node().operands[0], frame.node().operands[1], frame.node().result()};
    product.top_transposed = frame.node().op != Op::mix;
    product.suffix = suffix;
    product.hint = false;
    rect.right(frame.line() + frame.px(6));  // space for the result's title
    draw_product(frame, rect, product);
}

}  // namespace

bool has_all_heads(const Frame& frame) {
    const Node& node = frame.node();
    const bool fits = node.op == Op::cut || node.op == Op::multiply || node.op == Op::mix ||
                      node.op == Op::scale || node.op == Op::mask || node.op == Op::softmax ||
                      node.op == Op::largest || node.op == Op::relative || node.op == Op::rotate ||
                      node.op == Op::dropout;
    return fits && frame.trace.shape.heads > 1 && info(node.result()).per_head &&
           !stage_is_row(frame);
}

void stage_all_heads(Frame& frame, const ui::Rect& rect) {
    const auto count = static_cast<int>(frame.trace.shape.heads);
    const Tensor result = frame.node().result();
    const Index rows = frame.trace.rows(result), cols = frame.trace.cols(result);
    // Three narrow slices are side by side; a product has one operand above and one beside it.
    const float aspect = frame.node().op == Op::cut   ? 1.3F
                         : is_product_of_heads(frame) ? 0.8F
                                                      : aspect_of(rows, cols, 0.3F, 2.4F);
    const float gap = frame.px(12);
    Tiling tiles = largest_tiles(frame, rect, count, aspect, gap);
    // A product is drawn in the middle of its place, its head's name at the top.
    if (is_product_of_heads(frame)) tiles.h = std::min(tiles.h, tiles.w * 1.35F);
    const float high = static_cast<float>(tiles.down) * (tiles.h + gap) - gap,
                top = rect.y + std::max(0.0F, (rect.h - high) / 2);
    for (int head = 0; head < count; ++head) {
        const auto col = static_cast<float>(head % tiles.across),
                   row = static_cast<float>(head / tiles.across);
        Frame one = frame;  // same memory and commands, another head
        one.head = head;
        const std::size_t said = frame.out.size();
        draw_head(
            one, {frame.ui,
                  {rect.x + col * (tiles.w + gap), top + row * (tiles.h + gap), tiles.w, tiles.h}});
        // A click in a head's matrix selects the head too.
        if (frame.out.size() > said && head != frame.state.selection.head)
            frame.say("head", std::to_string(head + 1));
    }
    frame.ui.report("stage.heads", std::to_string(count));
}

}  // namespace headlight::screens
