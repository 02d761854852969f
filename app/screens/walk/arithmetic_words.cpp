#include "walk/arithmetic.h"

#include <array>
#include <cmath>

#include "frame/classes.h"
#include "frame/tensor_text.h"
#include "program/values.h"
#include "trace/token_rows.h"

namespace headlight::screens {

namespace {

std::string count(std::string_view what, Index n) {
    return std::string(what) + " " + std::to_string(n);
}

// Whose row it is; empty for a row that speaks for the whole image.
std::string row_in_words(const Frame& frame, const Arithmetic& a) {
    if (a.result == Tensor::pixels) return count("pixel row", a.row);
    const bool other_tokens = !shares_tokens(frame.trace, a.result);
    if (other_tokens && info(a.result).rows == Axis::token) return count("token", a.row);
    const Index token = token_of_row(frame.trace, a.result, a.row);
    return token < 0 ? "" : name_of_token(frame.trace, side_of(frame.trace, a.result), token);
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
            const Index first = is_cross(frame.trace) ? 1 : 0;         // keys and values alone
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

std::string curve_of(const Arithmetic& a) {
    if (a.result == Tensor::pooler) return "tanh";
    constexpr std::array<const char*, 6> names{"GELU", "GELU", "quick GELU",
                                               "SiLU", "ReLU", "SiLU"};
    return names[static_cast<std::size_t>(a.activation)];
}

}  // namespace

std::string place_in_words(const Frame& frame, const Arithmetic& a) {
    const std::string row = row_in_words(frame, a);
    if (info(a.result).cols == Axis::key_token)
        return (is_cross(frame.trace) ? "" : "query: ") + row +
               "  ·  key: " + name_of_token(frame.trace, Side::key, a.col);
    if (a.result == Tensor::pixels) return row;
    return row + (row.empty() ? "" : "  ·  ") + col_in_words(frame, a);
}

std::string row_note(const Frame& frame, const Arithmetic& a) {
    const Index token = token_of_row(frame.trace, a.result, a.row);
    const bool patch = token >= 0 && token == a.row && token >= frame.trace.layout.prefix();
    const std::string prefix = prefix_text(frame.trace);
    return patch && !prefix.empty() ? "(" + prefix + ")" : "";
}

bool is_imported(const Frame& frame) { return frame.trace.model->is_maps(); }

std::string outcome(const Frame& frame, const Arithmetic& a, int digits) {
    const auto n = [&](double v) { return ui::number(v, digits); };
    switch (a.op) {
        case Op::linear:
        case Op::project:
        case Op::classify:
        case Op::linear_heads:
        case Op::multiply:
        case Op::additive:
        case Op::mix:
            if (a.switched_off) return "switched off:  ";
            return a.has_bias ? "Σ = " + n(a.sum) + "   + b " + n(a.bias) + "  =  " : "Σ  =  ";
        case Op::add:
        case Op::relative:
        case Op::positions:
            if (a.terms.size() < 2) return "";
            return n(a.terms[0].value) + "  +  " + n(a.terms[1].value) + "  =  ";
        case Op::rotate:
            if (digits < 3)  // where there is little room
                return n(a.terms[0].left) + "·" + n(a.terms[0].right) + " + " + n(a.terms[1].left) +
                       "·" + n(a.terms[1].right) + " = ";
            return n(a.terms[0].left) + "  ·  cos " + n(a.terms[0].right) + "  +  " +
                   n(a.terms[1].left) + "  ·  sin " + n(a.terms[1].right) + "  =  ";
        case Op::scale:
            // The factor is one for all cells: it is said exactly where there is room.
            return n(a.sum) + "  ×  " + (digits > 3 ? number_text(a.factor) : n(a.factor)) +
                   "  =  ";
        case Op::mask:
            if (a.blocked) return "not to be read:  ";
            return n(a.sum) + "  +  " + n(a.terms[0].right) + "  =  ";
        case Op::softmax:
            if (is_imported(frame)) return "as the file has it:  ";
            return n(a.numerator) + "  /  " + n(a.sum) + "  =  ";
        case Op::gather: {
            if (a.padding) return "outside the picture:  ";
            if (a.left != Tensor::pixels) return "the same number:  ";
            const Index side = frame.trace.grid.settings.size;
            const auto channel = static_cast<std::size_t>(a.col / (side * side));
            const Trace& trace = frame.trace;
            return "(pixel " + n(a.sum) + "  −  mean " + n(trace.mean[channel]) + ")  /  std " +
                   n(trace.std[channel]) + "  =  ";
        }
        case Op::unit:
            return n(a.sum) + "  /  length " + n(a.deviation) + "  =  ";
        case Op::largest:
            return n(a.sum) + (a.recomputed == 1 ? "  is the largest of its row:  "
                                                 : "  is not the largest of its row:  ");
        case Op::dropout:
            if (a.dropped) return "dropped:  ";
            return n(a.sum) + "  /  " + n(a.factor) + "  =  ";
        case Op::learned_keys:
        case Op::cut:
        case Op::join:
        case Op::turn:
        case Op::stack:
        case Op::windows:
            return "the same number:  ";
        case Op::given:
        case Op::array:
            return "given:  ";
        case Op::drawn:
            return "drawn:  ";
        case Op::features:
            return "exp(" + n(a.sum) + "  −  " + n(a.mean) + ")  /  " + n(a.deviation) + "  =  ";
        case Op::share:
            return n(a.numerator) + "  /  (Σ " + n(a.sum) + " + " + number_text(a.factor) +
                   ")  =  ";
        case Op::norm:
        case Op::batch_norm:
        case Op::norm_heads:
            return "(" + n(a.sum) + "  −  μ " + n(a.mean) + ")  /  σ " + n(a.deviation) +
                   "  ·  γ " + n(a.gamma) + "  +  β " + n(a.beta) + "  =  ";
        case Op::activate: {
            const std::string curve = curve_of(a) + "(" + n(a.terms[0].value) + ")";
            return curve + (a.terms.size() > 1 ? "  ·  " + n(a.terms[1].value) : "") + "  =  ";
        }
        case Op::stretch:
            return n(a.terms[0].left) + "  ×  " + n(a.terms[0].right) + "  =  ";
        case Op::pool:
            if (a.terms.size() == 1) return "the same number:  ";
            return "Σ " + n(a.sum) + "  /  " + std::to_string(a.terms.size()) + "  =  ";
        case Op::frame:
        case Op::curve:
            return "";
    }
    return "";
}

// Why −∞, and not just a small number.
std::string blocked_words(const Arithmetic& a) {
    const std::string exact = "Blocked: −∞, of which softmax makes exactly 0.";
    if (std::isnan(a.leak_of_ten)) return exact;
    return exact + " With −10 in its place this cell would keep " + ui::number(a.leak_of_ten, 3) +
           ", with −100 " + ui::number(a.leak_of_hundred, 3) + ".";
}

// How little passes all of the attention on.
std::string largest_words(const Arithmetic& a) {
    const std::string words = "The largest score of the row is " + ui::number(a.row_max, 4) +
                              "; the first of equal ones gets 1, all others 0.";
    const float ahead = a.row_max - a.runner_up;
    if (!std::isfinite(ahead)) return words;
    return words + " The next is only " + ui::number(ahead, 3) +
           " less: so small a change would pass it all on.";
}

std::string footnote(const Frame& frame, const Arithmetic& a, bool numbers) {
    const std::string n = std::to_string(a.terms.size());
    const auto symbol = [](Tensor t) { return std::string(letter_of(t)); };
    switch (a.op) {
        case Op::linear:
        case Op::project:
        case Op::classify:
        case Op::linear_heads:
        case Op::multiply:
        case Op::mix:
            if (a.switched_off) return "This head is switched off: zero, whatever it reads.";
            return "Bars: " + symbol(a.left) + " × " + symbol(a.right) + ", the " + n +
                   " terms of this cell's sum. " +
                   (numbers ? "Numbers: the two factors." : "Hover one for its factors.");
        case Op::additive:
            return "Bars: v × tanh(q + k), the " + n + " terms of this cell's sum. " +
                   (numbers ? "Numbers: the two factors." : "Hover one for its factors.");
        case Op::add:
        case Op::positions:
            return a.terms.size() < 2 ? "Copied; nothing is added."
                                      : "Cell by cell: left plus right.";
        case Op::rotate:
            return "This channel times cosine, its pair's other one times sine.";
        case Op::relative:
            return "A learned number for this head and for the offset from query to key.";
        case Op::scale:
            return "Every cell times the same factor.";
        case Op::mask:
            return a.blocked ? blocked_words(a) : "The query may read this key; the score stays.";
        case Op::softmax:
            if (is_imported(frame)) return "The file holds the maps alone; nothing is computed.";
            return "exp(s − max), divided by the sum of the same over all " + n + " keys.";
        case Op::unit:
            return "The row is brought to length 1; a row of zeros stays.";
        case Op::largest:
            return largest_words(a);
        case Op::dropout:
            return "Which cells are dropped follows from the seed; the others are raised to make "
                   "up.";
        case Op::features:
            return "w·x, less half the row's square, under exp; divided by the root of the "
                   "number of features.";
        case Op::share:
            return "Divided by the sum of the row's " + std::to_string(frame.trace.shape.keys) +
                   " products.";
        case Op::batch_norm:
            return "Mean and deviation of this channel as training kept them: the same for all "
                   "tokens.";
        case Op::learned_keys:
            return "Learned for this place; the key's own numbers play no part.";
        case Op::gather:
            if (a.left != Tensor::pixels)
                return a.padding ? "Padding: a zero beyond the finer grid."
                                 : "Copied from a token of the finer grid.";
            return a.padding ? "Padding: a zero in the place of a pixel."
                             : "One pixel in one channel, centred and scaled.";
        case Op::stack:
            return a.left == Tensor::prefix_tokens ? "Learned, the same for every image."
                                                   : "Copied; nothing is computed.";
        case Op::norm:
        case Op::norm_heads:
            return "Bars: the " + std::to_string(frame.trace.cols(a.left)) + " numbers of this " +
                   (a.op == Op::norm_heads ? "head's row" : "row") +
                   "; line: their mean μ; band: ± one σ.";
        case Op::activate:
            return a.terms.size() > 1 ? "The gate's curve, times the other half of the row."
                                      : "One number in, one out.";
        case Op::stretch:
            return "Every channel times its own learned factor.";
        case Op::pool:
            return a.terms.size() == 1 ? "Copied from one token; nothing is computed."
                                       : "The mean over all " + n + " patches.";
        case Op::turn:
            return "Taken over from row " + std::to_string(a.col) + ", column " +
                   std::to_string(a.row) + " of " + symbol(a.left) + "; nothing is computed.";
        case Op::cut:
        case Op::join:
            return a.op == Op::cut
                       ? "Copied from " + symbol(a.left) + "; nothing is computed."
                       : "Copied from head " +
                             std::to_string(a.col / frame.trace.shape.value_width() + 1) +
                             "; nothing is computed.";
        case Op::given:
            return "Given by hand; nothing is computed.";
        case Op::array:
            return "Given by the file; nothing is computed.";
        case Op::drawn:
            return "Drawn from the seed; in a trained layer it is learned.";
        case Op::windows:
            return "Copied from the curve: sample " + std::to_string(a.row + a.col) + ".";
        case Op::frame:
        case Op::curve:
            return "";
    }
    return "";
}

}  // namespace headlight::screens
