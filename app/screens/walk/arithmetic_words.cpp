#include "walk/arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "attention/window.h"
#include "frame/classes.h"
#include "frame/tensor_text.h"
#include "kernels/activation.h"
#include "kernels/counted.h"
#include "ops/picture.h"
#include "program/values.h"
#include "trace/token_rows.h"

namespace headlight::screens {

namespace {

std::string count(std::string_view what, Index n) {
    return std::string(what) + " " + std::to_string(n);
}

// The owner of the row; empty for a row that represents the whole image.
std::string row_in_words(const Frame& frame, const Arithmetic& a) {
    if (a.result == Tensor::pixels) return count("pixel row", a.row);
    if (info(a.result).rows == Axis::probe) return "probe";
    const bool other_tokens = !shares_tokens(frame.trace, a.result);
    if (other_tokens && info(a.result).rows == Axis::token) return count("token", a.row);
    const Index token = token_of_row(frame.trace, a.result, a.row);
    if (token < 0) return "";
    return name_of_token(frame.trace, side_of(frame.trace, a.result), token);
}

bool counts_numbers(Op op) {
    return op == Op::gather || op == Op::given || op == Op::array || op == Op::drawn ||
           op == Op::windows;
}

std::string col_in_words(const Frame& frame, const Arithmetic& a) {
    switch (info(a.result).cols) {
        case Axis::feature:
            return count(counts_numbers(a.op) ? "number" : "channel", a.col);
        case Axis::qkv_channel: {
            const Index c = frame.trace.shape.channels();
            constexpr std::array<const char*, 3> parts{"query", "key", "value"};
            const bool alone = is_cross(frame.trace) || a.result == Tensor::pool_key_value;
            const Index first = alone ? 1 : 0;                         // only keys and values
            const Index part = std::min<Index>(a.col / c, 2 - first);  // values may be wider
            return parts[static_cast<std::size_t>(first + part)] +
                   count(" channel", a.col - part * c);
        }
        case Axis::hidden:
            return count("hidden channel", a.col);
        case Axis::class_index: {
            if (frame.trace.model->gives_embedding) return count("number", a.col);
            return class_name(*frame.trace.model, a.col);
        }
        case Axis::cell:
            return count("cell", a.col);
        case Axis::sample:
            return count("sample", a.col);
        default:
            return count("channel", a.col);
    }
}

std::string curve_name(const Arithmetic& a) {
    if (a.is_tanh) return "tanh";
    constexpr std::array<const char*, 5> names{"GELU", "GELU", "quick GELU", "SiLU", "ReLU"};
    return names[static_cast<std::size_t>(curve_of(a.activation))];
}

}  // namespace

std::string place_in_words(const Frame& frame, const Arithmetic& a) {
    const std::string row = row_in_words(frame, a);
    if (info(a.result).cols == Axis::key_token)
        return (is_cross(frame.trace) || row == "probe" ? "" : "query: ") + row +
               "  ·  key: " + name_of_token(frame.trace, Side::key, a.col);
    if (a.result == Tensor::pixels) return row;
    return row + (row.empty() ? "" : "  ·  ") + col_in_words(frame, a);
}

bool is_imported(const Frame& frame) { return frame.trace.model->is_maps(); }

std::string number_in_line(double number, int digits) {
    const double size = std::abs(number);
    const int least = size < 1e-3 || size >= 0.1 ? 0 : size < 1e-2 ? 4 : 3;
    return ui::number(number, std::max(digits, least));
}

namespace {

// A number rounded as displayed.
struct Said {
    std::string text;
    double value = 0;
};

Said as_said(double number, int digits) {
    Said said{number_in_line(number, digits), number};
    if (!std::isfinite(number)) return said;
    constexpr std::string_view kMinus = "−";
    const bool negative = said.text.starts_with(kMinus);
    said.value = std::strtod(said.text.c_str() + (negative ? kMinus.size() : 0), nullptr);
    if (negative) said.value = -said.value;
    return said;
}

double on_curve(const Arithmetic& a, double x) {
    if (a.is_tanh) return std::tanh(x);
    const Matrix one = Matrix::Constant(1, 1, static_cast<float>(x));
    // The line says GELU for both variants; for a gate, it names its activation.
    const Activation curve = curve_of(a.activation);
    return activate(one, curve == Activation::gelu_tanh ? Activation::gelu : curve)(0, 0);
}

Outcome rotated(const Arithmetic& a, int digits) {
    const auto n = [&](double v) { return as_said(v, digits); };
    const Said x = n(a.terms[0].left), cos = n(a.terms[0].right);
    const Said y = n(a.terms[1].left), sin = n(a.terms[1].right);
    const double value = x.value * cos.value + y.value * sin.value;
    if (digits < 3)  // if space is short
        return {x.text + "·" + cos.text + " + " + y.text + "·" + sin.text + " = ", value};
    return {x.text + "  ·  cos " + cos.text + "  +  " + y.text + "  ·  sin " + sin.text + "  =  ",
            value};
}

Outcome normed(const Arithmetic& a, int digits) {
    const auto n = [&](double v) { return as_said(v, digits); };
    const Said x = n(a.sum), mean = n(a.mean), deviation = n(a.deviation);
    const Said gamma = n(a.gamma), beta = n(a.beta);
    return {"(" + x.text + "  −  μ " + mean.text + ")  /  σ " + deviation.text + "  ·  γ " +
                gamma.text + "  +  β " + beta.text + "  =  ",
            (x.value - mean.value) / deviation.value * gamma.value + beta.value};
}

Outcome gathered(const Frame& frame, const Arithmetic& a, int digits) {
    if (a.padding) return {"outside the picture:  ", {}};
    if (a.left != Tensor::pixels) return {"the same number:  ", {}};
    const Index side = grid_of_patches(frame.trace).settings.size;
    const auto channel = static_cast<std::size_t>(a.col / (side * side));
    const Said pixel = as_said(a.sum, digits), mean = as_said(frame.trace.mean[channel], digits),
               std = as_said(frame.trace.std[channel], digits);
    return {"(pixel " + pixel.text + "  −  mean " + mean.text + ")  /  std " + std.text + "  =  ",
            (pixel.value - mean.value) / std.value};
}

Outcome curved(const Arithmetic& a, int digits) {
    const Said x = as_said(a.terms[0].value, digits);
    const std::string curve = curve_name(a) + "(" + x.text + ")";
    if (a.terms.size() < 2) return {curve + "  =  ", on_curve(a, x.value)};
    const Said gate = as_said(a.terms[1].value, digits);
    return {curve + "  ·  " + gate.text + "  =  ", on_curve(a, x.value) * gate.value};
}

}  // namespace

Outcome outcome(const Frame& frame, const Arithmetic& a, int digits) {
    const auto n = [&](double v) { return as_said(v, digits); };
    const auto of_two = [&](double left, std::string_view sign, double right, double value) {
        return Outcome{n(left).text.append(sign) + n(right).text + "  =  ", value};
    };
    switch (a.op) {
        case Op::linear:
        case Op::project:
        case Op::classify:
        case Op::linear_heads:
        case Op::multiply:
        case Op::additive:
        case Op::mix:
            if (a.switched_off) return {"switched off:  ", {}};
            if (!a.has_bias) return {"Σ  =  ", {}};
            return {"Σ = " + n(a.sum).text + "   + b " + n(a.bias).text + "  =  ",
                    n(a.sum).value + n(a.bias).value};
        case Op::point:
            return of_two(a.sum, "  ×  ", a.factor, n(a.sum).value * n(a.factor).value);
        case Op::add:
        case Op::relative:
        case Op::positions: {
            if (a.terms.size() < 2) return {};
            const double left = a.terms[0].value, right = a.terms[1].value;
            return of_two(left, "  +  ", right, n(left).value + n(right).value);
        }
        case Op::rotate:
            return rotated(a, digits);
        case Op::scale:
            // The factor is the same for all cells, so it is shown exactly if there is space.
            if (digits > 3)
                return {n(a.sum).text + "  ×  " + number_text(a.factor) + "  =  ",
                        n(a.sum).value * a.factor};
            return of_two(a.sum, "  ×  ", a.factor, n(a.sum).value * n(a.factor).value);
        case Op::mask: {
            if (a.blocked) return {"masked:  ", {}};
            const double added = a.terms[0].right;
            return of_two(a.sum, "  +  ", added, n(a.sum).value + n(added).value);
        }
        case Op::softmax:
            if (is_imported(frame)) return {"from the file:  ", {}};
            if (a.row_blocked) return {"all keys are masked:  ", {}};
            return of_two(a.numerator, "  /  ", a.sum, n(a.numerator).value / n(a.sum).value);
        case Op::gather:
            return gathered(frame, a, digits);
        case Op::unit:
            return of_two(a.sum, "  /  length ", a.deviation,
                          n(a.sum).value / n(a.deviation).value);
        case Op::largest:
            if (a.row_blocked) return {"all keys are masked:  ", {}};
            return {n(a.sum).text + (a.recomputed == 1 ? "  is the largest of its row:  "
                                                       : "  is not the largest of its row:  "),
                    {}};
        case Op::dropout:
            if (a.dropped) return {"dropped:  ", {}};
            return of_two(a.sum, "  /  ", a.factor, n(a.sum).value / n(a.factor).value);
        case Op::learned_keys:
        case Op::cut:
        case Op::join:
        case Op::turn:
        case Op::stack:
        case Op::windows:
            return {"the same number:  ", {}};
        case Op::given:
        case Op::array:
            return {"given:  ", {}};
        case Op::drawn:
            return {"drawn:  ", {}};
        case Op::learned:
            return {"learned:  ", {}};
        case Op::features:
            return {"exp(" + n(a.sum).text + "  −  " + n(a.mean).text + ")  /  " +
                        n(a.deviation).text + "  =  ",
                    std::exp(n(a.sum).value - n(a.mean).value) / n(a.deviation).value};
        case Op::share:
            return {n(a.numerator).text + "  /  (Σ " + n(a.sum).text + " + " +
                        number_text(a.factor) + ")  =  ",
                    n(a.numerator).value / (n(a.sum).value + a.factor)};
        case Op::norm:
        case Op::batch_norm:
        case Op::norm_heads:
            return normed(a, digits);
        case Op::activate:
            return curved(a, digits);
        case Op::stretch: {
            const double left = a.terms[0].left, right = a.terms[0].right;
            return of_two(left, "  ×  ", right, n(left).value * n(right).value);
        }
        case Op::pool:
            if (a.terms.size() == 1) return {"the same number:  ", {}};
            return {"Σ " + n(a.sum).text + "  /  " + std::to_string(a.terms.size()) + "  =  ",
                    n(a.sum).value / static_cast<double>(a.terms.size())};
        case Op::frame:
        case Op::curve:
            return {};
    }
    return {};
}

// For a query whose keys are all masked.
constexpr const char* kRowBlocked =
    "All keys of this query are masked. Its weights are 0 by definition (PyTorch: NaN).";

// Why −∞ and not just a small number.
std::string blocked_words(const Arithmetic& a) {
    if (a.row_blocked) return kRowBlocked;
    const std::string exact = "Masked: −∞, which the softmax turns into exactly 0.";
    if (std::isnan(a.leak_of_ten)) return exact;
    return exact + " With −10 instead, its weight would be " + ui::number(a.leak_of_ten, 3) +
           "; with −100, it would be " + ui::number(a.leak_of_hundred, 3) + ".";
}

// How a small difference decides where all attention goes.
std::string largest_words(const Arithmetic& a) {
    const std::string words = "The largest score in the row is " + ui::number(a.row_max, 4) +
                              ". It gets 1 (in a tie, the first does), and the others get 0.";
    const float ahead = a.row_max - a.runner_up;
    if (!std::isfinite(ahead)) return words;
    return words + " The next score is " + ui::number(ahead, 3) +
           " lower. If it rose by more, it would get the 1 instead.";
}

std::string footnote(const Frame& frame, const Arithmetic& a, bool numbers) {
    const std::string n = std::to_string(a.terms.size()),
                      terms = a.terms.size() == 1 ? "one term" : n + " terms";
    const auto symbol = [](Tensor t) { return std::string(letter_of(t)); };
    switch (a.op) {
        case Op::linear:
        case Op::project:
        case Op::classify:
        case Op::linear_heads:
        case Op::multiply:
        case Op::mix:
        case Op::point:
            if (a.switched_off) return "This head is switched off, so its output is 0.";
            if (a.row_blocked) return std::string(kRowBlocked) + " The weighted sum is 0.";
            return "Bars: " + symbol(a.left) + " × " + symbol(a.right) + ", the " + terms +
                   " of this cell's sum. " +
                   (numbers ? "Numbers: the two factors." : "Hover one for its factors.");
        case Op::additive:
            return "Bars: v × tanh(q + k), the " + terms + " of this cell's sum. " +
                   (numbers ? "Numbers: the two factors." : "Hover one for its factors.");
        case Op::add:
        case Op::positions:
            return a.terms.size() < 2 ? "Copied; nothing is added."
                                      : "Cell by cell: left plus right.";
        case Op::rotate:
            return "This channel times the cosine, plus the pair's other channel times the sine.";
        case Op::relative:
            return "This head's bias for the offset from query to key is added to the score.";
        case Op::scale:
            return "Every cell is multiplied by the same factor.";
        case Op::mask:
            if (a.blocked) return blocked_words(a);
            return a.terms[0].right == Windows::kApart
                       ? "These two tokens share a window only because the picture was shifted. "
                         "Adding −100 leaves almost no weight."
                       : "The query may attend to this key; the score stays the same.";
        case Op::softmax:
            if (is_imported(frame)) return "The file holds only the maps; nothing is computed.";
            if (a.row_blocked) return kRowBlocked;
            return "exp(s − max), divided by the sum of these exponentials over all " + n +
                   " keys.";
        case Op::unit:
            return "The row is scaled to length 1; a row of zeros stays zero.";
        case Op::largest:
            return a.row_blocked ? std::string(kRowBlocked) : largest_words(a);
        case Op::dropout:
            return "The seed decides which cells are dropped; the others are scaled up to "
                   "compensate.";
        case Op::features:
            return "exp(w·x − ‖x‖² / 2) / √M, where x is the row and w is one of M random vectors.";
        case Op::share:
            return "Divided by the sum of the row's " + std::to_string(frame.trace.shape.keys) +
                   " products.";
        case Op::batch_norm:
            return "Mean and standard deviation of this channel, stored in training: the same for "
                   "all tokens.";
        case Op::learned_keys:
            return "Learned for this place; the key's numbers have no effect.";
        case Op::gather:
            if (a.left != Tensor::pixels)
                return a.padding ? "Padding: a zero outside the finer grid."
                                 : "Copied from a token of the finer grid.";
            return a.padding ? "Padding: a zero instead of a pixel."
                             : "One pixel in one channel, normalized.";
        case Op::stack:
            return a.left == Tensor::prefix_tokens ? "Learned, the same for every image."
                                                   : "Copied; nothing is computed.";
        case Op::norm:
        case Op::norm_heads:
            return "Bars: the " + counted(frame.trace.cols(a.left), "number") + " of this " +
                   (a.op == Op::norm_heads ? "head's row" : "row") +
                   "; line: their mean μ; band: ± one σ.";
        case Op::activate:
            return a.terms.size() > 1
                       ? "The activation of one half of the row, times the other half."
                       : "One number in, one out.";
        case Op::stretch:
            return "Every channel is multiplied by its own learned factor.";
        case Op::pool:
            return a.terms.size() == 1 ? "Copied from one token; nothing is computed."
                                       : "The mean over all " + n + " patches.";
        case Op::turn:
            return "Copied from row " + std::to_string(a.col) + ", column " +
                   std::to_string(a.row) + " of " + symbol(a.left) + "; nothing is computed.";
        case Op::cut:
        case Op::join:
            return a.op == Op::cut
                       ? "Copied from " + symbol(a.left) + "; nothing is computed."
                       : "Copied from head " +
                             std::to_string(a.col / frame.trace.shape.value_width() + 1) +
                             "; nothing is computed.";
        case Op::given:
            return "Set by hand; nothing is computed.";
        case Op::array:
            return "From the file; nothing is computed.";
        case Op::drawn:
            return "Drawn from the seed; in a trained layer it is learned.";
        case Op::learned:
            return "Learned, the same for every picture.";
        case Op::windows:
            return "Copied from the curve: sample " + std::to_string(a.row + a.col) + ".";
        case Op::frame:
        case Op::curve:
            return "";
    }
    return "";
}

}  // namespace headlight::screens
