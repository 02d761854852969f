#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "frame/studies.h"
#include "state/card_study.h"
#include "ui/plot.h"
#include "walk/stages.h"

// Why several heads: the same layer with one, two and four heads learns to read two cards.
namespace headlight::screens {

namespace {

constexpr std::uint64_t kCardSeed = 1;
constexpr int kDeals = 64;

struct CardMemory {
    int deal = 0;
    bool plays = false;
};

CardSample deal_of(const CardMemory& memory) {
    static const std::vector<CardSample> all = card_samples(kDeals, 77);
    return all[static_cast<std::size_t>(memory.deal % kDeals)];
}

ImU32 symbol_color(const Frame& frame, int symbol) { return frame.colors().head(symbol); }

// Six cards in a row: colors are the symbols, letters mark two of them.
void draw_cards(Frame& frame, const ui::Rect& rect, const CardSample& sample) {
    ui::Canvas canvas(frame.ui);
    const float each = rect.w / static_cast<float>(kCardTokens);
    const float side = std::min(each - frame.px(3), rect.h);
    const ui::TextStyle letter{
        .face = ui::Face::bold, .size = ui::Size::small, .align = ui::Align::center};
    canvas.label({rect.x, rect.y, each, rect.h}, "?", letter);
    for (int card = 0; card < kCards; ++card) {
        const ui::Rect cell{rect.x + static_cast<float>(card + 1) * each, rect.y, each, rect.h};
        const ui::Rect place{cell.center().x - side / 2, cell.center().y - side / 2, side, side};
        const ImU32 color = symbol_color(frame, sample.symbols[static_cast<std::size_t>(card)]);
        canvas.fill(place, color, frame.px(3));
        if (card != sample.a && card != sample.b) continue;
        ui::TextStyle ink = letter;
        ink.color = ui::ink_on(gl::Rgb{static_cast<std::uint8_t>(color & 0xFFU),
                                       static_cast<std::uint8_t>(color >> 8U & 0xFFU),
                                       static_cast<std::uint8_t>(color >> 16U & 0xFFU)});
        canvas.label(place, card == sample.a ? "A" : "B", ink);
    }
}

void draw_accuracy(Frame& frame, ui::Layout row, const char* name, double part) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    const ui::TextStyle letter{.face = ui::Face::bold,
                               .size = frame.state.look.lecture ? ui::Size::small : ui::Size::body};
    canvas.label(row.left(canvas.measure("A", letter) + frame.px(12)), name, letter);
    const ui::Rect words = row.right(canvas.measure("100 %", mono) + frame.px(8));
    const float high = std::min(row.h, frame.px(12));
    const ui::Rect bar{row.x, row.center().y - high / 2, row.w, high};
    canvas.fill(bar, frame.colors().hover, frame.px(3));
    canvas.fill({bar.x, bar.y, bar.w * static_cast<float>(part), bar.h}, frame.colors().accent,
                frame.px(3));
    ui::TextStyle right = mono;
    right.align = ui::Align::right;
    canvas.label(words, fmt::format("{:.0f} %", 100 * part), right);
}

// The mean accuracy over the training steps, with the current step marked.
void draw_curve(Frame& frame, const ui::Rect& rect, const std::vector<CardCheckpoint>& all,
                std::size_t shown) {
    if (rect.h < frame.px(20)) return;
    const ui::Plot plot{rect, kCardSteps / kCardsEvery};
    ui::grid(frame.ui, plot);
    std::vector<double> means;
    for (const CardCheckpoint& point : all)
        means.push_back((point.accuracy.a + point.accuracy.b) / 2);
    ui::curve(frame.ui, plot, means, frame.colors().accent);
    ui::Canvas(frame.ui).circle(plot.at(static_cast<int>(shown), means[shown]), frame.px(4),
                                frame.colors().accent);
}

// What each head's query attends to among the cards.
void draw_maps(Frame& frame, ui::Layout rect, const CardCheckpoint& now, int heads,
               const CardSample& sample) {
    const SharedResult attention = make_result(card_attention(now.weights, heads, sample));
    const float row = std::clamp((rect.h - frame.px(32)) / static_cast<float>(heads), frame.px(4),
                                 frame.px(26) * frame.ui.text_scale());
    draw_cards(frame, rect.top(frame.px(26), 4), sample);
    Shown what;
    what.set_cells(attention);
    ui::HeatmapSpec spec;
    spec.name = fmt::format("why_heads.{}", heads);
    spec.cells = what.cells;
    spec.scale = positive_scale(frame, 1);
    spec.window = {0, 0, static_cast<float>(heads), static_cast<float>(kCardTokens)};
    const ui::HeatmapHit hit = ui::heatmap(
        frame.ui, whole({rect.x, rect.y, rect.w, row * static_cast<float>(heads)}), spec);
    if (!hit.hovered) return;
    frame.ui.tooltip(
        fmt::format("Head {}: {:.3f} of its attention goes to {}", hit.row + 1,
                    attention->view()(hit.row, hit.col),
                    hit.col == 0 ? "the query itself" : "card " + std::to_string(hit.col)));
}

void draw_heads_column(Frame& frame, ui::Layout rect, const std::vector<CardCheckpoint>& all,
                       int heads, const CardSample& sample) {
    const auto shown = std::min(
        all.size() - 1, static_cast<std::size_t>(frame.state.look.cards_step / kCardsEvery));
    const CardCheckpoint& now = all[shown];
    ui::Canvas canvas(frame.ui);
    const bool lecture = frame.state.look.lecture;
    const ui::TextStyle bold{.face = ui::Face::bold};
    const std::string title =
        heads == 1 ? "1 head of 16 channels"
                   : fmt::format("{} heads of {} channels", heads, kCardWidth / heads);
    label_that_fits(canvas, rect.top(frame.line(lecture ? ui::Size::body : ui::Size::large)),
                    {title, title.substr(0, title.find(" of"))}, bold);
    rect.skip_top(4);
    const float line = frame.line(lecture ? ui::Size::small : ui::Size::body);
    draw_accuracy(frame, rect.top(line), "A", now.accuracy.a);
    draw_accuracy(frame, rect.top(line), "B", now.accuracy.b);
    frame.ui.report(fmt::format("why_heads.{}", heads),
                    fmt::format("{:.3f} {:.3f}", now.accuracy.a, now.accuracy.b));
    rect.skip_top(8);
    const float maps = std::min(rect.h * 0.62F, frame.px(150) * frame.ui.text_scale());
    draw_curve(frame, rect.top(std::min(rect.h - maps - frame.px(12), frame.px(150)), 12), all,
               shown);
    draw_maps(frame, rect, now, heads, sample);
}

// The current training step, and its controls.
void draw_controls(Frame& frame, ui::Layout row, CardMemory& memory) {
    const int step = frame.state.look.cards_step;
    const auto button = [&](const char* name, const char* label, const char* tip) {
        return row.button_left(name, label, 8, ui::ButtonLook::outlined, tip);
    };
    if (button("why_heads.train", memory.plays ? "Stop" : "Train",
               "Plays the training, step by step")) {
        memory.plays = !memory.plays;
        if (memory.plays && step >= kCardSteps) frame.set("cards_step", "0");
        frame.memory.gesture_ended = true;
    }
    if (button("why_heads.deal", "Other cards", "Shows the attention for other cards"))
        ++memory.deal;
    ui::Canvas(frame.ui).label(row.left(frame.px(90) * frame.ui.text_scale()),
                               "step " + std::to_string(step),
                               {.face = ui::Face::mono, .size = ui::Size::small});
    double at = step;
    const ui::Slid slid =
        ui::slider(frame.ui, "why_heads.step", row.left(std::min(row.w, frame.px(260))), at, 0,
                   kCardSteps, false);
    if (slid.changed) frame.set("cards_step", std::to_string(static_cast<int>(std::lround(at))));
    if (slid.released) frame.memory.gesture_ended = true;
}

void play_on(Frame& frame, CardMemory& memory) {
    if (!memory.plays) return;
    const int step = frame.state.look.cards_step;
    memory.plays = step < kCardSteps;
    if (!memory.plays) {
        frame.memory.gesture_ended = true;
        return;
    }
    frame.set("cards_step", std::to_string(std::min(step + 2, kCardSteps)));
    frame.ui.ask_for_frame();
}

constexpr const char* kTask =
    "The task: name the colors of cards A and B. Each key encodes a card's letter and each value "
    "its color; all three layers are equally wide. One head can only average the two cards. With "
    "two heads, each attends to one card.";
// In a lecture the text beside says the rest.
constexpr const char* kShortTask = "Task: name the colors of A and B.";

}  // namespace

void stage_why_heads(Frame& frame, const ui::Rect& rect) {
    auto& memory = frame.memory.own<CardMemory>();
    frame.ui.name("why_heads", {rect, {0, 0, 0, 0}});
    const auto said = studies_of(frame).ask(kCardTraining, CardQuestion{kCardSeed});
    const ui::TextStyle dim{.color = frame.colors().dim};
    if (!said || said->answer.front().empty()) {
        ui::TextStyle centered = dim;
        centered.align = ui::Align::center;
        return ui::Canvas(frame.ui).label(
            rect, said ? said->error : "Training one, two and four heads…", centered);
    }
    ui::Layout rest(frame.ui, rect, 6, 2);
    const bool lecture = frame.state.look.lecture;
    rest.paragraph(lecture ? kShortTask : kTask, dim, 12);
    if (!lecture) draw_controls(frame, rest.last_row(10, 10), memory);
    const CardSample sample = deal_of(memory);
    for (std::size_t i = 0; i < kCardHeads.size(); ++i)
        draw_heads_column(frame, rest.column(i, kCardHeads.size(), 28), said->answer[i],
                          kCardHeads[i], sample);
    play_on(frame, memory);
}

}  // namespace headlight::screens
