#include "lessons_screen/prose.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "frame/tensor_text.h"
#include "frame/terms.h"
#include "kernels/ascii.h"
#include "lessons/glossary.h"
#include "lessons/read_lesson.h"
#include "lessons/reader.h"

namespace headlight::screens {

namespace {

using lessons::LinkKind;
using lessons::Span;

// ---- links

void follow(Frame& frame, const lessons::Link& link, const std::string& address) {
    switch (link.kind) {
        case LinkKind::symbol:
            break;
        case LinkKind::command:
            try {
                frame.out.push_back(frame.reader->checked(parse_command(link.to)));
            } catch (const CommandError&) {
                // An invalid link; `lesson check` and the lesson's list of problems report it.
            }
            break;
        case LinkKind::lesson: {
            std::filesystem::path here = frame.reader->file();
            frame.say("lesson", here.replace_filename(link.to).string());
            break;
        }
        case LinkKind::web:
            ImGui::SetClipboardText(address.c_str());
    }
}

// The places of a link that begins with that atom, one for each line that it stands on: with the
// blanks between its words, and as high as the line.
std::vector<ui::Rect> places_of_link(const ProseLines& set, std::size_t first, ImVec2 at,
                                     float step) {
    const std::vector<Atom>& atoms = set.atoms;
    std::vector<ui::Rect> places;
    int line = -1;
    for (std::size_t i = first; i < atoms.size(); ++i) {
        const Atom& atom = atoms[i];
        if (atom.span->link != atoms[first].span->link) break;
        if (!atom.is_seen()) continue;
        const float x = at.x + atom.x;
        if (std::exchange(line, atom.line) != atom.line)
            places.push_back({x, at.y + set.line_of(atom).y, 0, step});
        places.back().w = x + atom.width - places.back().x;
    }
    return places;
}

void draw_link(Frame& frame, const std::vector<ui::Rect>& places, ImU32 color, bool hovered,
               bool dashed) {
    ui::Canvas canvas(frame.ui);
    for (const ui::Rect& place : places) {
        if (hovered) canvas.fill(place, ui::with_alpha(color, 0.16F), frame.px(3));
        if (dashed) dashes(canvas, place, color, frame.px(1));
    }
}

// A link to another page; returns its text color.
ImU32 page_link_color(Frame& frame, const Span& span, const std::vector<ui::Rect>& places,
                      const ui::Interaction& mouse, const LinkUse& use) {
    const bool web = span.link.starts_with("http");
    const ImU32 color = web ? frame.colors().dim : frame.colors().accent;
    draw_link(frame, places, color, mouse.hovered, true);
    if (mouse.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (mouse.hovered && web) frame.ui.tooltip(span.link + "\nClick to copy the address");
    if (mouse.clicked && web) ImGui::SetClipboardText(span.link.c_str());
    if (mouse.clicked && !web) use.follow(span.link);
    return color;
}

// Draws the mark of a link; returns its text color.
ImU32 link_color(Frame& frame, const Span& span, const std::vector<ui::Rect>& places,
                 const ui::Interaction& mouse) {
    lessons::Link link;
    try {
        link = lessons::parse_link(span.link);
    } catch (const CommandError&) {
        return 0;
    }
    if (mouse.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (mouse.clicked) follow(frame, link, span.link);
    const bool symbol = link.kind == LinkKind::symbol;
    const auto tensor = symbol ? tensor_named(link.to) : std::nullopt;
    if (symbol && !tensor) return 0;
    const ImU32 color = symbol                       ? color_of(frame, *tensor)
                        : link.kind == LinkKind::web ? frame.colors().dim
                                                     : frame.colors().accent;
    draw_link(frame, places, color, mouse.hovered, !symbol);
    if (!mouse.hovered) return color;
    if (symbol) frame.memory.next_lit_symbol = link.to;
    if (link.kind == LinkKind::web) frame.ui.tooltip(span.link + "\nClick to copy the address");
    return color;
}

// ---- terms

bool is_plain(const Atom& atom) {
    return atom.span != nullptr && atom.span->kind == Span::Kind::text && atom.span->link.empty() &&
           !atom.text.empty();
}

// ---- what is copied

// An equation's source without the names that give its symbols their colors: {query:Q} becomes Q.
std::string source_of(const Span& equation) {
    std::string text = "$";
    std::string_view rest = equation.source;
    while (!rest.empty()) {
        const std::size_t open = std::min(rest.find('{'), rest.size());
        text += rest.substr(0, open);
        rest.remove_prefix(open);
        const std::size_t colon = rest.find(':'), close = rest.find('}');
        if (close != rest.npos && colon < close &&
            tensor_named(std::string(rest.substr(1, colon - 1)))) {
            text += rest.substr(colon + 1, close - colon - 1);
            rest.remove_prefix(close + 1);
        } else if (!rest.empty()) {
            text += rest.front();
            rest.remove_prefix(1);
        }
    }
    return text + "$";
}

}  // namespace

float ProseWriter::height(const lessons::Prose& prose, float width, const ProseStyle& style) {
    return prose_lines(frame_, prose, width, style).height;
}

ui::Interaction ProseWriter::button(const std::string& name, const ui::Rect& rect) {
    ui::Interaction mouse = ui::interact(frame_.ui, name, rect);
    mouse.clicked = mouse.clicked && !selecting_.drags();
    selecting_.hold(mouse.held);
    return mouse;
}

// The color of its text; 0 if the link is invalid.
ImU32 ProseWriter::link(const Span& span, const std::vector<ui::Rect>& places) {
    const std::string name = use_.name + std::to_string(++links_);
    ui::Interaction mouse;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const ui::Interaction part =
            button(i == 0 ? name : name + "." + std::to_string(i + 1), places[i]);
        mouse.hovered |= part.hovered;
        mouse.clicked |= part.clicked;
    }
    return use_.follow ? page_link_color(frame_, span, places, mouse, use_)
                       : link_color(frame_, span, places, mouse);
}

// Whether it is one of the words on the screen: "keys" in a lesson about a sentence with keys.
bool ProseWriter::is_example(std::string_view word) const {
    const auto& names = frame_.trace.layout.names;
    const auto is_name = [&](const std::string& name) {
        return in_lower_case(name) == in_lower_case(word);
    };
    return !use_.follow && names && std::ranges::any_of(*names, is_name);
}

void ProseWriter::explain(const ProseLines& set, ImVec2 at, float step) {
    const lessons::Glossary& glossary = glossary_of(frame_);
    for (std::size_t i = 0; i < set.atoms.size(); ++i) {
        std::vector<std::string_view> words;  // consecutive words without punctuation, on one line
        for (std::size_t k = i; k < set.atoms.size() && words.size() < glossary.longest(); ++k) {
            const Atom& atom = set.atoms[k];
            if (!is_plain(atom) || atom.line != set.atoms[i].line) break;
            words.push_back(lessons::without_punctuation(atom.text));
            if (!atom.text.ends_with(words.back())) break;
        }
        const auto term = glossary.first_term(words);
        if (term.words == 0) continue;
        if (term.words == 1 &&
            (use_.other_sense.contains(words.front()) || is_example(words.front())))
            continue;
        const Atom &first = set.atoms[i], &last = set.atoms[i + term.words - 1];
        i += term.words - 1;
        if (!explained_.insert(std::string(term.meaning)).second) continue;
        const float end = last.x + ui::Canvas(frame_.ui).measure(words[term.words - 1], last.style);
        explain_term(frame_, {at.x + first.x, at.y + set.line_of(first).y, end - first.x, step},
                     term.meaning);
    }
}

// A part of a line, and the text copied for it.
struct ProseWriter::Part {
    ui::Rect place;  // of its letters
    float step = 0;  // from line to line
    ProseLine line{};
    std::string text, before;
    bool whole = false;
};

// True if it is selected; draws the selection.
bool ProseWriter::select(const Part& part, const ui::TextStyle& style) {
    if (part.text.empty()) return false;
    // Extends the rectangle to the next line, without a gap.
    ui::Rect line = part.place;
    line.h = part.step + part.line.above + part.line.below;
    line.y = std::round(line.y - (part.step - frame_.ui.fonts().pixels(style.size)) / 2) -
             part.line.above;
    return selecting_.add(frame_, {line, part.text, part.before, part.whole}, style);
}

float ProseWriter::write(const ui::Rect& rect, const lessons::Prose& prose,
                         const ProseStyle& style) {
    const ProseLines set = prose_lines(frame_, prose, rect.w, style);
    const float step = prose_line(frame_, style);
    // Extends the rectangle to the next line, without a gap.
    const float above = (step - frame_.ui.fonts().pixels(style.size)) / 2;
    const ImVec2 at{rect.x, std::round(rect.y - above)};
    if (use_.explains && style.face != ui::Face::bold) explain(set, at, step);
    ui::Canvas canvas(frame_.ui);
    std::optional<std::string> before = std::exchange(between_, "\n\n");
    const std::string* linked = nullptr;  // address of the current link
    ImU32 link_ink = 0;
    for (std::size_t i = 0; i < set.atoms.size(); ++i) {
        const Atom& atom = set.atoms[i];
        const std::string& address = atom.span->link;
        if (address.empty()) {
            linked = nullptr;
        } else if (atom.is_seen() && (linked == nullptr || *linked != address)) {
            linked = &address;
            link_ink = link(*atom.span, places_of_link(set, i, at, step));
        }
        if (atom.new_line) before = before.value_or("\n");
        if (!atom.is_seen()) continue;
        const ProseLine& line = set.line_of(atom);
        const ui::Rect place{rect.x + atom.x, rect.y + line.y, atom.width,
                             frame_.ui.fonts().pixels(style.size, atom.style.face)};
        const bool equation = !atom.equation.empty();
        const bool blank = atom.after_blank && !atom.cut;
        const bool selected =
            select({place, step, line, equation ? source_of(*atom.span) : atom.text,
                    before.value_or(blank ? " " : ""), equation},
                   atom.style);
        before.reset();
        const ImU32 ink = frame_.colors().text;
        if (equation) {
            const std::string hovered =
                ui::equation(frame_.ui, {place.x, place.y, place.w + 1, place.h}, atom.equation,
                             style.size, ui::Align::left, [&](const std::string& name) {
                                 const auto tensor = tensor_named(name);
                                 return tensor && !selected ? color_of(frame_, *tensor) : ink;
                             });
            if (!hovered.empty()) frame_.memory.next_lit_symbol = hovered;
            continue;
        }
        ui::TextStyle text = atom.style;
        if (linked != nullptr && link_ink != 0) text.color = link_ink;
        if (selected) text.color = ink;
        canvas.text(place.min(), atom.text, text);
    }
    return set.height;
}

float ProseWriter::plain(const ui::Rect& rect, std::string_view text, const ui::TextStyle& style) {
    ui::Canvas canvas(frame_.ui);
    const float step = canvas.wrapped_step(style);
    float y = rect.y;
    std::string before = std::exchange(between_, "\n\n");
    const char* end = nullptr;  // end of the previous line
    for (const std::string_view line : canvas.wrapped_lines(text, style, rect.w)) {
        if (end != nullptr) before.append(end, line.data());
        const ui::Rect place{rect.x, y, canvas.measure(line, style), step};
        const bool selected = select({place, step, {}, std::string(line), before}, style);
        if (!line.empty()) before.clear();
        ui::TextStyle shown = style;
        if (selected) shown.color = frame_.colors().text;
        canvas.text(place.min(), line, shown);
        end = line.data() + line.size();
        y += step;
    }
    return y - rect.y;
}

void ProseWriter::mark(ImVec2 at, std::string_view shown, std::string copied,
                       const ui::TextStyle& style) {
    ui::Canvas canvas(frame_.ui);
    const ui::Rect place{at.x, at.y, canvas.measure(shown, style), 0};
    ui::TextStyle text = style;
    if (select({place,
                prose_line(frame_, {}),
                {},
                std::move(copied),
                std::exchange(between_, " "),
                true},
               style))
        text.color = frame_.colors().text;
    canvas.text(at, shown, text);
}

}  // namespace headlight::screens
