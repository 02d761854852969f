#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "look/view.h"

// Draws attention in a sentence as arrows, thicker for larger weights.
namespace headlight::screens {

namespace {

constexpr float kThickest = 16;  // units, for a weight of 1
constexpr float kLeastDrawn = 0.005F;

struct Arrow {
    ImVec2 from, to;
    float depth = 0;  // distance below the words
    float thick = 0;
    ImU32 color = 0;
};

// Down from one word, horizontally, and up to the other.
void draw_arrow(Frame& frame, const Arrow& arrow) {
    ui::Canvas canvas(frame.ui);
    const float middle = (arrow.from.x + arrow.to.x) / 2, low = arrow.from.y + arrow.depth;
    const float head = std::max(frame.px(5), arrow.thick * 0.9F);
    const ImVec2 end{arrow.to.x, arrow.to.y + head};
    ui::Path path;
    path.to(arrow.from).curve({arrow.from.x, low}, {middle, low}).curve({arrow.to.x, low}, end);
    canvas.path(path.points(), arrow.color, std::max(1.0F, arrow.thick));
    canvas.triangle({arrow.to.x - head * 0.75F, end.y}, {arrow.to.x + head * 0.75F, end.y},
                    arrow.to, arrow.color);
}

// For its own weight: down on one side of the word and up on the other.
Arrow to_itself(Frame& frame, const WordPlace& word, Arrow arrow) {
    const float aside = std::min(word.place.w * 0.3F, frame.px(30));
    arrow.from.x -= aside;
    arrow.to.x += aside;
    return arrow;
}

}  // namespace

void word_arrows(Frame& frame, const ui::Rect& rect, const std::vector<WordPlace>& words,
                 int focus) {
    if (focus < 0 || focus >= std::ssize(words) || rect.h < frame.px(40)) return;
    const WordPlace& asking = words[static_cast<std::size_t>(focus)];
    const float unit = frame.px(1) * frame.ui.text_scale();
    std::string report;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const WordPlace& word = words[i];
        if (!report.empty()) report += ", ";
        report += fmt::format("{} {:.1f} %", word.name, 100 * word.weight);
        if (!(word.weight >= kLeastDrawn)) continue;
        const bool itself = static_cast<int>(i) == focus;
        Arrow arrow{{asking.place.center().x, rect.y}, {word.place.center().x, rect.y}};
        const auto apart = static_cast<float>(std::abs(static_cast<int>(i) - focus));
        arrow.depth = std::min(rect.h - frame.px(8), unit * (44 + 30 * apart));
        arrow.thick = kThickest * unit * word.weight;
        arrow.color = ui::with_alpha(frame.colors().hue(ui::Hue::attention),
                                     0.35F + 0.65F * std::min(1.0F, word.weight));
        draw_arrow(frame, itself ? to_itself(frame, word, arrow) : arrow);
    }
    frame.ui.report("look.arrows", asking.name + ": " + report);
}

}  // namespace headlight::screens
