#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "analysis/recurrent.h"
#include "frame/tensor_text.h"
#include "state/fields.h"
#include "ui/equation.h"
#include "ui/plot.h"
#include "walk/stages.h"

// Recurrent networks that read the tokens one after the other, compared with attention: how much
// the last output depends on each token.
namespace headlight::screens {

namespace {

constexpr Index kHidden = 16;
constexpr double kForgetBias = 3;  // σ(3) = 0.95: the LSTM's gates begin nearly open
constexpr std::uint64_t kNetworkSeed = 1;
constexpr Index kMostOfSequence = 1024;
constexpr double kLeastShown = 1e-12, kMostShown = 100;  // on the bars' logarithmic axis

struct Network {
    const char *name, *title, *equation, *meaning;
};
constexpr std::array<Network, 3> kNetworks{{
    {"rnn", "RNN", "h_{t} = tanh(W x_{t} + U h_{t−1})",
     "Each step passes a state to the next and multiplies the gradient by U and by tanh′."},
    {"lstm", "LSTM", "c_{t} = f c_{t−1} + i g",
     "Each step adds to a second memory c. Its gradient passes through the forget gate f."},
    {"attention", "Attention", "y_{N} = softmax(x_{N} X^{T} / √d) X",
     "The last token attends directly to all tokens. Distance does not matter."},
}};

// Recomputed when the tokens or the gain change.
struct Memories {
    std::uint64_t version = 0;
    float gain = 0;
    std::array<SequenceMemory, 3> of;
    std::array<SharedResult, 3> states;  // columns are tokens
};

Tensor tokens_of(const Frame& frame) { return frame.node().result(); }

const Memories& memories_of(Frame& frame) {
    auto& kept = frame.memory.own<Memories>();
    const std::uint64_t version = frame.trace.version(tokens_of(frame));
    const float gain = frame.state.look.recurrent_gain;
    if (kept.version == version && kept.gain == gain) return kept;
    const MatrixView tokens = frame.trace.view(tokens_of(frame));
    kept = {version,
            gain,
            {memory_of_rnn(tokens, draw_rnn(tokens.cols, kHidden, gain, kNetworkSeed)),
             memory_of_lstm(tokens, draw_lstm(tokens.cols, kHidden, kForgetBias, kNetworkSeed)),
             memory_of_attention(tokens)},
            {}};
    for (std::size_t i = 0; i < kept.of.size(); ++i) {
        const Matrix& states = kept.of[i].states;
        kept.states[i] = make_result(i == 2 ? states : Matrix(states.transpose()));
    }
    return kept;
}

// The name of a token of the sequence, and how much the output depends on it.
std::string gradient_words(const Frame& frame, const SequenceMemory& memory, std::size_t at) {
    return name_of_token(frame.trace, Side::query, static_cast<Index>(at)) + ": gradient " +
           fmt::format("{:.2e}", memory.gradient[at]);
}

// Of the numbers beside the bars.
float ticks_width(Frame& frame) {
    return ui::Canvas(frame.ui).measure("1e-00",
                                        {.face = ui::Face::mono, .size = ui::Size::small}) +
           1;
}

void gradient_bars(Frame& frame, const ui::Rect& rect, const SequenceMemory& memory,
                   const std::string& name, ImU32 color) {
    ui::Canvas canvas(frame.ui);
    const std::size_t count = memory.gradient.size();
    const ui::Axes axes{rect, {0, static_cast<double>(count)}, {kLeastShown, kMostShown, true}};
    float free = rect.y + rect.h + frame.line();  // space for a number above it
    for (const double tick : {1e-9, 1e-6, 1e-3, 1.0}) {
        const float y = axes.at(0, tick).y;
        if (y + frame.line() / 2 > free) continue;
        free = y - frame.line() / 2;
        canvas.line({rect.x, y}, {rect.x + rect.w, y}, frame.colors().border);
        canvas.label(
            {rect.x + rect.w + frame.px(4), y - frame.line() / 2, ticks_width(frame), frame.line()},
            tick == 1 ? "1" : fmt::format("{:.0e}", tick), frame.mono_dim());
    }
    const float gap = rect.w / static_cast<float>(count) > frame.px(4) ? frame.px(1) : 0;
    for (std::size_t i = 0; i < count; ++i)
        canvas.fill(axes.bar(i, count, memory.gradient[i], kLeastShown, gap), color);
    const auto mouse = ui::interact(frame.ui, "recurrent." + name + ".bars", rect, ui::Stop::no);
    if (!mouse.hovered) return;
    const auto at = static_cast<std::size_t>(
        std::clamp(axes.value_at(ImGui::GetIO().MousePos).x, 0.0F, static_cast<float>(count - 1)));
    hover_token(frame, Side::query, static_cast<Index>(at));
    frame.ui.tooltip(gradient_words(frame, memory, at));
}

// The states over the tokens, or the weights of the last token.
void draw_states(Frame& frame, const ui::Rect& rect, const SharedResult& states, bool weights,
                 const std::string& name) {
    Shown what;
    what.set_cells(states);
    ui::HeatmapSpec spec;
    spec.name = "recurrent." + name + ".states";
    spec.cells = what.cells;
    spec.scale = weights ? positive_scale(frame, states->view().eigen().maxCoeff())
                         : signed_scale(frame, -1, 1);
    spec.window = {0, 0, static_cast<float>(what.cells.rows), static_cast<float>(what.cells.cols)};
    spec.numbers = false;
    ui::heatmap(frame.ui, rect, spec);
}

void network_words(Frame& frame, ui::Layout rect, const Network& network) {
    ui::Canvas canvas(frame.ui);
    ui::TextStyle title{.face = ui::Face::bold};
    if (canvas.measure(network.title, title) > rect.w) title.size = ui::Size::small;
    canvas.label(rect.row(ui::Size::body), network.title, title);
    const auto glyphs = ui::parse_equation(network.equation);
    // In lecture view, letters that are too small to read are left out.
    if (!frame.state.look.lecture ||
        ui::equation_width(frame.ui, glyphs, ui::Size::small) <= rect.w)
        ui::equation(frame.ui, rect.row(ui::Size::body, 4), glyphs, ui::Size::body, ui::Align::left,
                     [&](const std::string&) { return frame.colors().text; });
    const ui::TextStyle small = frame.small_dim();
    if (canvas.measure_wrapped(network.meaning, small, rect.w).y <= rect.h)
        canvas.wrapped(rect, network.meaning, small);
}

std::string first_token_words(const Frame& frame, const SequenceMemory& memory,
                              const ui::TextStyle& style, float width) {
    const double first = memory.gradient.front(), last = memory.gradient.back();
    const std::string brief = fmt::format("token 0: {:.1e}", first);
    return first_that_fits(
        ui::Canvas(frame.ui),
        {last == 0 ? brief + ", the last token: 0"
                   : fmt::format("{}, {:.1e} times the last token's", brief, first / last),
         brief, fmt::format("{:.0e}", first)},
        style, width);
}

void draw_network(Frame& frame, ui::Layout rect, std::size_t which) {
    const Memories& memories = memories_of(frame);
    const Network& network = kNetworks[which];
    const SequenceMemory& memory = memories.of[which];
    const float words = std::min(rect.w * 0.3F, frame.px(270) * frame.ui.text_scale());
    network_words(frame, rect.left(words, 14), network);
    rect.right(ticks_width(frame) + frame.px(8));
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    ui::Canvas(frame.ui).label(rect.row(), first_token_words(frame, memory, mono, rect.w), mono);
    frame.ui.report(std::string("recurrent.") + network.name,
                    fmt::format("{:.3e}", memory.gradient.front()));
    const float strip = which == 2 ? frame.px(10) : std::min(frame.px(34), rect.h * 0.3F);
    draw_states(frame, whole(rect.top(strip, 6)), memories.states[which], which == 2, network.name);
    if (rect.h < frame.px(12)) return;
    const std::array<ImU32, 3> colors{frame.colors().hue(ui::Hue::query),
                                      frame.colors().hue(ui::Hue::key),
                                      frame.colors().hue(ui::Hue::attention)};
    gradient_bars(frame, rect, memory, network.name, colors[which]);
}

// The meaning of the bars, and the RNN's gain.
void draw_foot(Frame& frame, ui::Layout rect) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim = frame.small_dim();
    double gain = frame.state.look.recurrent_gain;
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    const float words = canvas.measure("gain of U  0.00", mono) + frame.px(8);
    ui::Layout slider = rect.right(std::max(std::min(rect.w * 0.4F, frame.px(150) + words),
                                            std::min(rect.w * 0.6F, frame.px(70) + words)));
    canvas.label(slider.left(words), "gain of U  " + ui::number(gain, 2), mono);
    const ui::Slid slid = ui::slider(frame.ui, "recurrent.gain", slider, gain, 0.1, 3, true);
    if (slid.changed) frame.set("recurrent_gain", fmt::format("{:.3g}", gain));
    if (slid.released) frame.memory.gesture_ended = true;
    rect.skip_right(12);
    const std::string bars = first_that_fits(
        canvas,
        {"Bars: how much the last output depends on each token, ‖∂y/∂x_t‖, on a logarithmic axis",
         "Bars: how much the last output depends on each token (log axis)",
         "Bars: ‖∂y/∂x_t‖ for each token (log axis)", "Bars: ‖∂y/∂x_t‖"},
        dim, rect.w);
    canvas.label(rect, bars, dim);
}

}  // namespace

bool has_recurrent(const Frame& frame) {
    const Node& node = frame.node();
    const bool gives = node.op == Op::given || node.op == Op::array || node.op == Op::windows ||
                       node.op == Op::drawn || node.result() == Tensor::tokens;
    return gives && !frame.difference() && !is_cross(frame.trace) &&
           info(node.result()).rows == Axis::token && frame.trace.rows(node.result()) > 1 &&
           frame.trace.rows(node.result()) <= kMostOfSequence &&
           frame.trace.cols(node.result()) > 0 && !frame.trace.view(node.result()).empty();
}

void stage_recurrent(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    draw_foot(frame, rest.last_row(4, 8));
    for (std::size_t i = 0; i < kNetworks.size(); ++i)
        draw_network(frame, rest.stacked(i, kNetworks.size(), 12), i);
}

}  // namespace headlight::screens
