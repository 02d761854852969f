#include "lessons_screen/prose_lines.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "frame/value_text.h"
#include "lessons/reader.h"
#include "ui/line_end.h"
#include "ui/utf8.h"

namespace headlight::screens {

namespace {

using lessons::Span;

constexpr std::string_view kUsualValue = "0.00000";

// The displayed text of a value.
std::string value_of(const Frame& frame, const Span& span) {
    const lessons::Measured* measured = frame.reader->measured(span.text);
    if (measured == nullptr) return "…";
    if (!measured->value) return "?";
    return span.kind == Span::Kind::percent ? percent_of(*measured->value)
                                            : value_text(*measured->value);
}

ui::TextStyle style_of(const Frame& frame, const Span& span, const ProseStyle& style) {
    ui::TextStyle text{.face = style.face, .size = style.size, .color = style.color};
    if (span.italic && style.face == ui::Face::words) text.face = ui::Face::italic;
    if (span.bold) text.face = ui::Face::bold;
    if (span.kind == Span::Kind::code) text.face = ui::Face::mono;
    if (span.kind == Span::Kind::value || span.kind == Span::Kind::percent) {
        text.face = ui::Face::mono;
        text.color = frame.colors().accent;
    }
    return text;
}

// The end of the first word. "40 %" is one word.
std::size_t end_of_word(std::string_view text) {
    std::size_t end = text.find_first_of(" \n");
    while (end < text.size() && ui::is_before_percent(text, end))
        end = text.find_first_of(" \n", end + 1);
    return end;
}

void add_words(std::vector<Atom>& atoms, const ui::Canvas& canvas, const Span& span,
               std::string_view text, const ui::TextStyle& style) {
    bool blank = false;
    while (!text.empty()) {
        const bool blanks = text.front() == ' ' || text.front() == '\n';
        const std::size_t end =
            std::min(blanks ? text.find_first_not_of(" \n") : end_of_word(text), text.size());
        const std::string_view piece = text.substr(0, end);
        text.remove_prefix(end);
        if (blanks) {
            blank = true;
            continue;
        }
        Atom atom{&span, std::string(piece), {}, style};
        atom.width = canvas.measure(piece, style);
        atom.after_blank = std::exchange(blank, false);
        atoms.push_back(std::move(atom));
    }
    // Spaces at the end of a span belong to the next one.
    if (blank) atoms.push_back({.span = &span, .style = style, .after_blank = true});
}

std::vector<Atom> atoms_of(Frame& frame, const lessons::Prose& prose, const ProseStyle& style) {
    std::vector<Atom> atoms;
    const ui::Canvas canvas(frame.ui);
    for (const Span& span : prose) {
        if (!span.condition.empty() && (frame.reader == nullptr || !frame.reader->shows(span)))
            continue;
        const ui::TextStyle text = style_of(frame, span, style);
        if (span.kind == Span::Kind::new_line) {
            atoms.push_back({.span = &span, .new_line = true});
        } else if (span.kind == Span::Kind::equation) {
            Atom atom{&span, {}, ui::parse_equation(span.text), text};
            const auto extent = ui::equation_extent(frame.ui, atom.equation, style.size);
            const float letters = frame.ui.fonts().pixels(style.size);
            const float air = (prose_line(frame, style) - letters) / 2;
            atom.width = extent.width;
            atom.above = std::max(-extent.top - air, 0.0F);
            atom.below = std::max(extent.bottom - letters - air, 0.0F);
            atoms.push_back(std::move(atom));
        } else if (span.kind == Span::Kind::text || span.kind == Span::Kind::code) {
            add_words(atoms, canvas, span, span.text, text);
        } else {
            Atom atom{&span, value_of(frame, span), {}, text};
            // The mono font has less space after a letter.
            atom.width = canvas.measure(atom.text, text) + frame.px(1.5F);
            atoms.push_back(std::move(atom));
        }
    }
    return atoms;
}

// The width of an atom and of those after it that no line break separates from it.
float width_together(const std::vector<Atom>& atoms, std::size_t first) {
    float width = atoms[first].width;
    for (std::size_t i = first + 1; i < atoms.size() && !atoms[i].after_blank && !atoms[i].new_line;
         ++i)
        width += atoms[i].width;
    return width;
}

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }

// Where to cut a word of which `fits` bytes fit: after a sign or before a capital letter in their
// second half, as in "nn.Transformer|DecoderLayer".
std::size_t cut_of_word(std::string_view word, std::size_t fits) {
    constexpr std::string_view kSigns = "(,=_./-";
    for (std::size_t at = fits; at > fits / 2 && at < word.size(); --at) {
        const char before = word[at - 1];
        if (kSigns.find(before) != std::string_view::npos) return at;
        if (is_small(before) && is_capital(word[at])) return at;
    }
    return fits;
}

// Splits atoms that are wider than a line; equations shrink instead.
void cut_long(std::vector<Atom>& atoms, const ui::Canvas& canvas, float width) {
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        if (!atoms[i].equation.empty()) {
            // The period after it stays on its line.
            const float after = width_together(atoms, i) - atoms[i].width;
            atoms[i].width = std::min(atoms[i].width, after < width / 4 ? width - after : width);
        }
        if (atoms[i].width <= width || atoms[i].text.empty()) continue;
        std::string_view rest = atoms[i].text;
        std::string head;
        while (!rest.empty()) {
            const std::string more = head + std::string(ui::first_letter(rest).bytes);
            if (!head.empty() && canvas.measure(more, atoms[i].style) > width) break;
            head = more;
            (void)ui::cut_letter(rest);
        }
        if (rest.empty()) continue;
        head.resize(cut_of_word(atoms[i].text, head.size()));
        rest = std::string_view(atoms[i].text).substr(head.size());
        Atom tail = atoms[i];
        tail.text = rest;
        tail.width = canvas.measure(tail.text, tail.style);
        tail.after_blank = tail.cut = true;
        atoms[i].text = head;
        atoms[i].width = canvas.measure(head, atoms[i].style);
        atoms.insert(atoms.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(tail));
    }
}

// Assigns each atom its line and position; returns the number of lines.
int set_lines(std::vector<Atom>& atoms, float blank, float width) {
    int line = 0;
    float x = 0;
    bool pending = false;  // a space at the end of a span
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        Atom& atom = atoms[i];
        if (atom.new_line) {
            ++line;
            x = 0;
            continue;
        }
        if (std::exchange(pending, false)) atom.after_blank = true;
        if (!atom.is_seen()) {
            pending = true;
            continue;
        }
        const float together = width_together(atoms, i);
        const float gap = atom.after_blank && x > 0 ? blank : 0;
        if (x > 0 && atom.after_blank && x + gap + together > width) {
            ++line;
            x = 0;
        } else if (x > 0 && x + gap + atom.width > width) {
            ++line;
            x = 0;
        } else {
            x += gap;
        }
        atom.x = x;
        atom.line = line;
        x += atom.width;
    }
    return line + (x > 0 ? 1 : 0);
}

std::vector<ProseLine> lines_of(const std::vector<Atom>& atoms, int count, float step) {
    std::vector<ProseLine> lines(static_cast<std::size_t>(count));
    for (const Atom& atom : atoms) {
        if (!atom.is_seen()) continue;
        const auto number = static_cast<std::size_t>(atom.line);
        if (number >= lines.size()) lines.resize(number + 1);  // an atom without width
        ProseLine& line = lines[number];
        line.above = std::max(line.above, std::round(atom.above));
        line.below = std::max(line.below, std::round(atom.below));
    }
    float y = 0;
    for (ProseLine& line : lines) {
        line.y = y + line.above;
        y = line.y + step + line.below;
    }
    return lines;
}

}  // namespace

float prose_line(const Frame& frame, const ProseStyle& style) {
    // Large type needs less air.
    const float step = frame.state.look.lecture        ? 1.15F
                       : style.size == ui::Size::large ? 1.2F
                                                       : 1.36F;
    return std::round(frame.ui.fonts().pixels(style.size, style.face) * step);
}

ProseWidths prose_widths(Frame& frame, const lessons::Prose& prose, const ProseStyle& style) {
    std::vector<Atom> atoms = atoms_of(frame, prose, style);
    const ui::Canvas canvas(frame.ui);
    // The column keeps its width while a value changes.
    for (Atom& atom : atoms)
        if (atom.span->kind == Span::Kind::value || atom.span->kind == Span::Kind::percent)
            atom.width = std::max(atom.width, canvas.measure(kUsualValue, atom.style));
    ProseWidths widths;
    for (std::size_t i = 0; i < atoms.size(); ++i)
        widths.longest_word = std::max(widths.longest_word, width_together(atoms, i));
    const float blank = canvas.measure(" ", {.face = style.face, .size = style.size});
    constexpr float kEndless = 1e6F;
    set_lines(atoms, blank, kEndless);
    for (const Atom& atom : atoms)
        widths.longest_line = std::max(widths.longest_line, atom.x + atom.width);
    return widths;
}

ProseLines prose_lines(Frame& frame, const lessons::Prose& prose, float width,
                       const ProseStyle& style) {
    ProseLines set{atoms_of(frame, prose, style), {}};
    const ui::Canvas canvas(frame.ui);
    cut_long(set.atoms, canvas, width);
    const float blank = canvas.measure(" ", {.face = style.face, .size = style.size});
    const float step = prose_line(frame, style);
    set.lines = lines_of(set.atoms, set_lines(set.atoms, blank, width), step);
    if (!set.lines.empty()) set.height = set.lines.back().y + step + set.lines.back().below;
    return set;
}

}  // namespace headlight::screens
