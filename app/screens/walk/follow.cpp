#include "walk/follow.h"

#include <fmt/format.h>

#include <algorithm>

#include "frame/classes.h"
#include "frame/shown.h"
#include "frame/tensor_text.h"
#include "trace/token_rows.h"
#include "walk/arithmetic.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

// The key with most of a query's attention in the current head.
std::optional<int> strongest_key(const Frame& frame, int token) {
    const MatrixView attention = frame.trace.view(Tensor::attention, 0, frame.head);
    if (token >= attention.rows) return std::nullopt;
    const float* row = attention.row(token);
    return static_cast<int>(std::max_element(row, row + attention.cols) - row);
}

std::string query_words(const Frame& frame, const Arithmetic& a) {
    const Index token = token_of_row(frame.trace, a.result, a.row);
    if (token < 0) return "this row";
    return name_of_token(frame.trace, side_of(frame.trace, a.result), token);
}

std::string key_words(const Frame& frame, const Arithmetic& a) {
    return name_of_token(frame.trace, Side::key, a.col);
}

bool has_weight(const Node& node) { return !node.weights.empty() && node.weights[0].value; }

std::string products_sentence(const Frame& frame, const Arithmetic& a, const std::string& value) {
    const auto count = static_cast<int>(a.terms.size());
    switch (a.op) {
        case Op::multiply:
            return fmt::format(
                "The query of {} meets the key of {}: {} products add up to the score {}.",
                query_words(frame, a), key_words(frame, a), count, value);
        case Op::mix:
            return fmt::format("{} values, each times its attention weight, add up to {} for {}.",
                               count, value, query_words(frame, a));
        case Op::classify:
            return fmt::format(
                "The {} numbers of the pooled row, each times a weight, give “{}” the logit {}.",
                count, class_name(*frame.trace.model, a.col), value);
        default:
            return fmt::format("All {} numbers of the row, each times a weight{}, add up to {}.",
                               count, a.has_bias ? ", and a bias" : "", value);
    }
}

// What happens to the value at this step, with the numbers of its arithmetic.
std::string sentence_of_cell(const Frame& frame, const Arithmetic& a) {
    const std::string value = ui::number(a.shown, 4), who = query_words(frame, a);
    const auto n = [](double number) { return ui::number(number, 3); };
    if (adds_products(a.op) && a.op != Op::point) return products_sentence(frame, a, value);
    switch (a.op) {
        case Op::gather:
            return fmt::format(
                "One pixel of {}, minus the mean color, divided by the standard deviation: {}.",
                who, value);
        case Op::add:
        case Op::positions:
            if (a.terms.size() == 1)
                return fmt::format("Two numbers are added: {} and {} give {}.", n(a.terms[0].left),
                                   n(a.terms[0].right), value);
            if (a.terms.size() == 2)
                return fmt::format("Two numbers are added: {} and {} give {}.", n(a.terms[0].value),
                                   n(a.terms[1].value), value);
            break;
        case Op::norm:
            return fmt::format(
                "The row of {} gets mean 0 and standard deviation 1{}: {} becomes {}.", who,
                has_weight(frame.node()) ? ", then each channel is scaled by γ and shifted by β"
                                         : "",
                n(a.sum), value);
        case Op::cut:
            return fmt::format("Head {} takes its own channels of the row; the number stays {}.",
                               frame.head + 1, value);
        case Op::scale:
            return fmt::format("The score is multiplied by {}: {}.", n(a.factor), value);
        case Op::mask:
            return a.blocked ? "This key is masked, so the score becomes −∞."
                             : fmt::format("The mask leaves this score as it is: {}.", value);
        case Op::softmax:
            return fmt::format(
                "The score's exponential is divided by the row's sum: {} gives {} of its attention "
                "to {}.",
                who, percent_text(a.shown), key_words(frame, a));
        case Op::join:
            return fmt::format("The heads are concatenated again; the number stays {}.", value);
        case Op::activate:
            return fmt::format("The activation function turns the number into {}.", value);
        case Op::stretch:
            return fmt::format(
                "The number is multiplied by its channel's own factor and becomes {}.", value);
        case Op::stack:
            return fmt::format("Learned tokens are put before the patches; the number stays {}.",
                               value);
        case Op::pool:
            return fmt::format("One row now stands for the whole picture. Its number is {}.",
                               value);
        default:
            break;
    }
    return fmt::format("{}: the number is now {}.", frame.node().title, value);
}

std::string sentence_of_step(Frame& frame) {
    if (frame.node().op == Op::frame)
        return "We follow one number, from a pixel of the marked patch to the answer. Press Space.";
    const Tensor tensor = frame.node().result();
    const auto row = focus_row(frame, tensor);
    if (!row || !frame.focus.col || frame.head >= frame.trace.shape.heads)
        return "This step has no cell for the token we follow.";
    const MatrixView result = shown(frame, tensor, frame.head).view;
    if (*row >= result.rows || *frame.focus.col >= result.cols) return "";
    return sentence_of_cell(
        frame, explain_cell(frame.trace, frame.node(), frame.head, *row, *frame.focus.col, result));
}

}  // namespace

void follow_one_cell(Frame& frame) {
    if (!frame.state.look.follow_cell || frame.focus.hovered) return;
    Focus& focus = frame.focus;
    if (!focus.token && !is_cross(frame.trace))
        focus.token = static_cast<int>(frame.trace.layout.prefix() + frame.trace.grid.count() / 2);
    if (frame.state.selection.col || !focus.token) return;
    const Node& node = frame.node();
    const TensorInfo& result = info(node.result());
    if (result.cols == Axis::key_token) {
        focus.col = focus.key_token = strongest_key(frame, *focus.token);
    } else if (node.op == Op::join) {
        focus.col = frame.head * static_cast<int>(frame.trace.shape.value_width());
    } else if (!focus.col && result.cols != Axis::class_index) {
        focus.col = 0;
    }
}

float follow_height(Frame& frame, float width) {
    if (!frame.state.look.follow_cell || frame.difference() || shows_softmax_bench(frame)) return 0;
    const std::string words = sentence_of_step(frame);
    return ui::Canvas(frame.ui).measure_wrapped(words, {}, width - frame.px(32)).y + frame.px(14);
}

void follow_sentence(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    canvas.card(rect, frame.colors().card);
    canvas.fill({rect.x, rect.y + frame.px(6), frame.px(4), rect.h - frame.px(12)},
                frame.colors().accent, frame.px(2));
    const std::string words = sentence_of_step(frame);
    canvas.wrapped(rect.inset(frame.px(16), frame.px(7)), words, {});
    frame.ui.name("follow", {rect, {}});
    frame.ui.report("follow.sentence", words);
}

}  // namespace headlight::screens
