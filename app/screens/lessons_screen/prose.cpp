#include "lessons_screen/prose.h"

#include <algorithm>
#include <cmath>

#include "frame/tensor_text.h"
#include "frame/value_text.h"
#include "lessons/read_lesson.h"
#include "lessons/reader.h"
#include "ui/equation.h"
#include "ui/utf8.h"

namespace headlight::screens {

namespace {

using lessons::LinkKind;
using lessons::Span;

// A word, or what cannot be broken otherwise.
struct Atom {
    const Span* span = nullptr;
    std::string text{};
    std::vector<ui::Glyphs> equation{};
    ui::TextStyle style{};
    float width = 0;
    bool after_blank = false;  // a line may begin with it
    bool new_line = false;
    float x = 0;
    int line = 0;
};

// What a value came to, as it is read.
std::string value_of(const Frame& frame, const Span& span) {
    const lessons::Measured* measured = frame.reader->measured(span.text);
    if (measured == nullptr) return "…";
    if (!measured->value) return "?";
    return span.kind == Span::Kind::percent ? percent_of(*measured->value)
                                            : value_text(*measured->value);
}

ui::TextStyle style_of(const Frame& frame, const Span& span, const ProseStyle& style) {
    ui::TextStyle text{.face = style.face, .size = style.size, .color = style.color};
    if (span.bold || span.italic) text.face = ui::Face::bold;
    if (span.kind == Span::Kind::code) text.face = ui::Face::mono;
    if (span.kind == Span::Kind::value || span.kind == Span::Kind::percent) {
        text.face = ui::Face::mono;
        text.color = frame.colors().accent;
    }
    return text;
}

void add_words(std::vector<Atom>& atoms, const ui::Canvas& canvas, const Span& span,
               std::string_view text, const ui::TextStyle& style) {
    bool blank = false;
    while (!text.empty()) {
        const bool blanks = text.front() == ' ' || text.front() == '\n';
        const std::size_t end = std::min(
            blanks ? text.find_first_not_of(" \n") : text.find_first_of(" \n"), text.size());
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
    // Blanks at the end belong to what follows.
    if (blank) atoms.push_back({.span = &span, .style = style, .after_blank = true});
}

std::vector<Atom> atoms_of(Frame& frame, const lessons::Prose& prose, const ProseStyle& style) {
    std::vector<Atom> atoms;
    const ui::Canvas canvas(frame.ui);
    for (const Span& span : prose) {
        const ui::TextStyle text = style_of(frame, span, style);
        if (span.kind == Span::Kind::new_line) {
            atoms.push_back({.span = &span, .new_line = true});
        } else if (span.kind == Span::Kind::equation) {
            Atom atom{&span, {}, ui::parse_equation(span.text), text};
            atom.width = ui::equation_width(frame.ui, atom.equation, style.size);
            atoms.push_back(std::move(atom));
        } else if (span.kind == Span::Kind::text || span.kind == Span::Kind::code) {
            add_words(atoms, canvas, span, span.text, text);
        } else {
            Atom atom{&span, value_of(frame, span), {}, text};
            // The mono face leaves less room behind a letter.
            atom.width = canvas.measure(atom.text, text) + frame.px(1.5F);
            atoms.push_back(std::move(atom));
        }
    }
    return atoms;
}

// What is wider than a line is cut where it must be.
void cut_long(std::vector<Atom>& atoms, const ui::Canvas& canvas, float width) {
    for (std::size_t i = 0; i < atoms.size(); ++i) {
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
        Atom tail = atoms[i];
        tail.text = rest;
        tail.width = canvas.measure(tail.text, tail.style);
        tail.after_blank = true;
        atoms[i].text = head;
        atoms[i].width = canvas.measure(head, atoms[i].style);
        atoms.insert(atoms.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(tail));
    }
}

// Gives each atom its line and place, and returns how many lines there are.
int set_lines(std::vector<Atom>& atoms, float blank, float width) {
    int line = 0;
    float x = 0;
    bool pending = false;  // a blank that ended a span
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        Atom& atom = atoms[i];
        if (atom.new_line) {
            ++line;
            x = 0;
            continue;
        }
        if (std::exchange(pending, false)) atom.after_blank = true;
        if (atom.text.empty() && atom.equation.empty()) {
            pending = true;
            continue;
        }
        float together = atom.width;  // with what clings to it
        for (std::size_t j = i + 1; j < atoms.size() && !atoms[j].after_blank && !atoms[j].new_line;
             ++j)
            together += atoms[j].width;
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

struct Set {
    std::vector<Atom> atoms;
    int lines = 0;
};
Set set_prose(Frame& frame, const lessons::Prose& prose, float width, const ProseStyle& style) {
    Set set{atoms_of(frame, prose, style), 0};
    const ui::Canvas canvas(frame.ui);
    cut_long(set.atoms, canvas, width);
    const float blank = canvas.measure(" ", {.face = style.face, .size = style.size});
    set.lines = set_lines(set.atoms, blank, width);
    return set;
}

// ---- links

void dashes(ui::Canvas& canvas, const ui::Rect& word, ImU32 color, float unit) {
    const float y = word.y + word.h - unit;
    for (float x = word.x; x < word.x + word.w; x += 5 * unit)
        canvas.line({x, y}, {std::min(x + 3 * unit, word.x + word.w), y}, color, unit);
}

void follow(Frame& frame, const lessons::Link& link, const std::string& address) {
    switch (link.kind) {
        case LinkKind::symbol:
            break;
        case LinkKind::command:
            try {
                frame.out.push_back(frame.reader->checked(parse_command(link.to)));
            } catch (const CommandError&) {
                // `lesson check` says so, and the lesson's own list of what is wrong.
            }
            break;
        case LinkKind::lesson: {
            const std::string& here = frame.reader->file();
            frame.say("lesson", here.substr(0, here.rfind('/') + 1) + link.to);
            break;
        }
        case LinkKind::web:
            ImGui::SetClipboardText(address.c_str());
    }
}

// Draws how the word leads somewhere; gives its colour.
ImU32 link_color(Frame& frame, const Span& span, const ui::Rect& word, const std::string& name) {
    lessons::Link link;
    try {
        link = lessons::parse_link(span.link);
    } catch (const CommandError&) {
        return 0;
    }
    const auto mouse = ui::interact(frame.ui, name, word);
    if (mouse.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (mouse.clicked) follow(frame, link, span.link);
    ui::Canvas canvas(frame.ui);
    if (link.kind == LinkKind::symbol) {
        const auto tensor = tensor_named(link.to);
        if (!tensor) return 0;
        if (mouse.hovered) frame.memory.next_lit_symbol = link.to;
        const ImU32 color = color_of(frame, *tensor);
        if (mouse.hovered)
            canvas.fill({word.x, word.y + word.h - frame.px(1), word.w, frame.px(1)}, color);
        return color;
    }
    const ImU32 color = link.kind == LinkKind::web ? frame.colors().dim : frame.colors().accent;
    dashes(canvas, word, color, frame.px(1));
    if (mouse.hovered && link.kind == LinkKind::web)
        frame.ui.tooltip(span.link + "\nA click copies the address");
    return color;
}

}  // namespace

float prose_line(const Frame& frame, const ProseStyle& style) {
    return std::round(frame.ui.fonts().pixels(style.size, style.face) *
                      (style.size == ui::Size::large ? 1.2F : 1.36F));
}

float ProseWriter::height(const lessons::Prose& prose, float width, const ProseStyle& style) {
    return static_cast<float>(set_prose(frame_, prose, width, style).lines) *
           prose_line(frame_, style);
}

float ProseWriter::write(const ui::Rect& rect, const lessons::Prose& prose,
                         const ProseStyle& style) {
    const Set set = set_prose(frame_, prose, rect.w, style);
    const float step = prose_line(frame_, style);
    ui::Canvas canvas(frame_.ui);
    const Span* linked = nullptr;
    int part = 0;
    for (const Atom& atom : set.atoms) {
        if (atom.text.empty() && atom.equation.empty()) continue;
        const ui::Rect place{rect.x + atom.x, rect.y + static_cast<float>(atom.line) * step,
                             atom.width, frame_.ui.fonts().pixels(style.size, atom.style.face)};
        if (!atom.equation.empty()) {
            const std::string hovered =
                ui::equation(frame_.ui, {place.x, place.y, place.w + 1, place.h}, atom.equation,
                             style.size, ui::Align::left, [&](const std::string& name) {
                                 const auto tensor = tensor_named(name);
                                 return tensor ? color_of(frame_, *tensor) : frame_.colors().text;
                             });
            if (!hovered.empty()) frame_.memory.next_lit_symbol = hovered;
            continue;
        }
        ui::TextStyle text = atom.style;
        if (!atom.span->link.empty()) {
            part = atom.span == linked ? part + 1 : 1;
            if (atom.span != linked) ++links_;
            linked = atom.span;
            std::string name = "lesson.link." + std::to_string(links_);
            if (part > 1) name += "." + std::to_string(part);
            if (const ImU32 color = link_color(frame_, *atom.span, place, name); color != 0)
                text.color = color;
        }
        canvas.text(place.min(), atom.text, text);
    }
    return static_cast<float>(set.lines) * step;
}

}  // namespace headlight::screens
