#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "frame/frame.h"
#include "lessons/lesson.h"
#include "ui/equation.h"

namespace headlight::screens {

struct ProseStyle {
    ui::Size size = ui::Size::body;
    ui::Face face = ui::Face::words;
    ImU32 color = 0;  // 0: the palette's text color
};

// A word or another unbreakable piece, and its place in the lines.
struct Atom {
    const lessons::Span* span = nullptr;
    std::string text{};
    std::vector<ui::Glyphs> equation{};
    ui::TextStyle style{};
    float width = 0;
    float above = 0, below = 0;  // room that an equation needs beyond its line
    bool after_blank = false;    // a line may begin with it
    bool cut = false;            // it goes on with the one before, which filled its line
    bool new_line = false;
    float x = 0;
    int line = 0;

    [[nodiscard]] bool is_seen() const { return !text.empty() || !equation.empty(); }
};

struct ProseLine {
    float y = 0;                 // where its letters begin, from the top of the text
    float above = 0, below = 0;  // room that it takes beyond the step from line to line
};
struct ProseLines {
    std::vector<Atom> atoms;
    std::vector<ProseLine> lines;
    float height = 0;

    [[nodiscard]] const ProseLine& line_of(const Atom& atom) const {
        return lines[static_cast<std::size_t>(atom.line)];
    }
};
float prose_line(const Frame& frame, const ProseStyle& style);  // from one line to the next
struct ProseWidths {
    float longest_word = 0;  // a narrower column would break it
    float longest_line = 0;  // a wider column stays empty
};
ProseWidths prose_widths(Frame& frame, const lessons::Prose& prose, const ProseStyle& style);
// Running text, broken into lines of that width.
ProseLines prose_lines(Frame& frame, const lessons::Prose& prose, float width,
                       const ProseStyle& style);

}  // namespace headlight::screens
