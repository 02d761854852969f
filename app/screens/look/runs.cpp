#include "look/runs.h"

#include <algorithm>
#include <string_view>

namespace headlight::screens {

namespace {

// A word or a part of one: a comma after a bold word is a piece of its own.
struct Piece {
    std::string_view text;
    const Run* run = nullptr;
    bool after_space = false;
};

std::vector<Piece> pieces_of(const Runs& runs) {
    std::vector<Piece> pieces;
    bool space = false;
    for (const Run& run : runs) {
        std::string_view rest = run.text;
        while (!rest.empty()) {
            if (rest.front() == ' ') {
                space = true;
                rest.remove_prefix(1);
                continue;
            }
            std::size_t end = rest.find(' ');
            if (rest.starts_with("> ") || rest.starts_with("< "))
                end = rest.find(' ', 2);  // keeps "> 99.9 %" on one line
            if (rest.substr(std::min(end, rest.size())).starts_with(" %"))
                end = rest.find(' ', end + 1);  // keeps "71 %" on one line
            const std::string_view word = rest.substr(0, end);
            pieces.push_back({word, &run, space});
            space = false;
            rest.remove_prefix(word.size());
        }
    }
    return pieces;
}

ui::TextStyle style_of(const Run& run, ui::TextStyle style) {
    if (run.bold) style.face = ui::Face::bold;
    if (run.color != 0) style.color = run.color;
    return style;
}

float set_runs(Frame& frame, const ui::Rect& rect, const Runs& runs, const ui::TextStyle& style,
               bool draws) {
    ui::Canvas canvas(frame.ui);
    const float space = canvas.measure(" ", style), step = canvas.wrapped_step(style);
    float x = rect.x, y = rect.y;
    const std::vector<Piece> pieces = pieces_of(runs);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        float wide = 0;  // width of the word with all its pieces
        for (std::size_t j = i; j < pieces.size() && (j == i || !pieces[j].after_space); ++j)
            wide += canvas.measure(pieces[j].text, style_of(*pieces[j].run, style));
        if (pieces[i].after_space && x > rect.x) {
            x += space;
            if (x + wide > rect.x + rect.w) {
                x = rect.x;
                y += step;
            }
        }
        const ui::TextStyle own = style_of(*pieces[i].run, style);
        if (draws && y + step <= rect.y + rect.h + 1) canvas.text({x, y}, pieces[i].text, own);
        x += canvas.measure(pieces[i].text, own);
    }
    return pieces.empty() ? 0 : y + step - rect.y;
}

}  // namespace

std::string text_of(const Runs& runs) {
    std::string text;
    for (const Run& run : runs) text += run.text;
    return text;
}

float draw_runs(Frame& frame, const ui::Rect& rect, const Runs& runs, const ui::TextStyle& style) {
    return set_runs(frame, rect, runs, style, true);
}

float runs_height(Frame& frame, float width, const Runs& runs, const ui::TextStyle& style) {
    return set_runs(frame, {0, 0, width, 0}, runs, style, false);
}

}  // namespace headlight::screens
