#include "lessons_screen/prose.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "frame/tensor_text.h"
#include "lessons/read_lesson.h"
#include "lessons/reader.h"

namespace headlight::screens {

namespace {

using lessons::LinkKind;
using lessons::Span;

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
ImU32 link_color(Frame& frame, const Span& span, const ui::Rect& word,
                 const ui::Interaction& mouse) {
    lessons::Link link;
    try {
        link = lessons::parse_link(span.link);
    } catch (const CommandError&) {
        return 0;
    }
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

// ---- what is copied

// An equation as it was written, but for the names behind which its symbols have their colours:
// {query:Q} is Q.
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

float prose_line(const Frame& frame, const ProseStyle& style) {
    return std::round(frame.ui.fonts().pixels(style.size, style.face) *
                      (style.size == ui::Size::large ? 1.2F : 1.36F));
}

float ProseWriter::height(const lessons::Prose& prose, float width, const ProseStyle& style) {
    return static_cast<float>(prose_lines(frame_, prose, width, style).lines) *
           prose_line(frame_, style);
}

ui::Interaction ProseWriter::button(const std::string& name, const ui::Rect& rect) {
    ui::Interaction mouse = ui::interact(frame_.ui, name, rect);
    mouse.clicked = mouse.clicked && !selecting_.drags();
    selecting_.hold(mouse.held);
    return mouse;
}

// Gives a word that leads somewhere its colour.
void ProseWriter::link(const Atom& atom, const ui::Rect& place, ui::TextStyle& style) {
    part_ = atom.span == linked_ ? part_ + 1 : 1;
    if (atom.span != linked_) ++links_;
    linked_ = atom.span;
    std::string name = "lesson.link." + std::to_string(links_);
    if (part_ > 1) name += "." + std::to_string(part_);
    if (const ImU32 color = link_color(frame_, *atom.span, place, button(name, place)); color != 0)
        style.color = color;
}

// A part of a line, and what is copied for it.
struct ProseWriter::Part {
    ui::Rect place;  // of its letters
    float step = 0;  // from line to line
    std::string text, before;
    bool whole = false;
};

// True: it is selected, and what that looks like is drawn.
bool ProseWriter::select(const Part& part, const ui::TextStyle& style) {
    if (part.text.empty()) return false;
    // Lines lie on each other without a gap.
    ui::Rect line = part.place;
    line.h = part.step;
    line.y = std::round(line.y - (part.step - frame_.ui.fonts().pixels(style.size)) / 2);
    return selecting_.add(frame_, {line, part.text, part.before, part.whole}, style);
}

float ProseWriter::write(const ui::Rect& rect, const lessons::Prose& prose,
                         const ProseStyle& style) {
    const ProseLines set = prose_lines(frame_, prose, rect.w, style);
    const float step = prose_line(frame_, style);
    ui::Canvas canvas(frame_.ui);
    std::optional<std::string> before = std::exchange(between_, "\n\n");
    for (const Atom& atom : set.atoms) {
        if (atom.new_line) before = before.value_or("\n");
        if (!atom.is_seen()) continue;
        const ui::Rect place{rect.x + atom.x, rect.y + static_cast<float>(atom.line) * step,
                             atom.width, frame_.ui.fonts().pixels(style.size, atom.style.face)};
        const bool equation = !atom.equation.empty();
        const bool blank = atom.after_blank && !atom.cut;
        const bool selected = select({place, step, equation ? source_of(*atom.span) : atom.text,
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
        if (!atom.span->link.empty()) link(atom, place, text);
        if (selected) text.color = ink;
        canvas.text(place.min(), atom.text, text);
    }
    return static_cast<float>(set.lines) * step;
}

float ProseWriter::plain(const ui::Rect& rect, std::string_view text, const ui::TextStyle& style) {
    ui::Canvas canvas(frame_.ui);
    const float step = canvas.wrapped_step(style);
    float y = rect.y;
    std::string before = std::exchange(between_, "\n\n");
    const char* end = nullptr;  // of the line before
    for (const std::string_view line : canvas.wrapped_lines(text, style, rect.w)) {
        if (end != nullptr) before.append(end, line.data());
        const ui::Rect place{rect.x, y, canvas.measure(line, style), step};
        const bool selected = select({place, step, std::string(line), before}, style);
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
    if (select(
            {place, prose_line(frame_, {}), std::move(copied), std::exchange(between_, " "), true},
            style))
        text.color = frame_.colors().text;
    canvas.text(at, shown, text);
}

}  // namespace headlight::screens
