#include "chrome/command_palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "assets/assets.h"
#include "frame/field_words.h"
#include "kernels/counted.h"
#include "program/values.h"
#include "state/examples.h"
#include "ui/compat_internal.h"
#include "ui/window.h"

namespace headlight::screens {

namespace {

using Kind = PaletteEntry::Kind;

// A row of the list: an entry, or the typed text as a value.
struct PaletteRow {
    PaletteEntry entry;
    std::string problem;  // why it cannot be run; "" if it can
};

// ---- entries

void add_lessons(const Frame& frame, std::vector<PaletteEntry>& entries) {
    if (frame.reader == nullptr) return;
    for (const lessons::ListedLesson& listed_lesson : frame.reader->listed()) {
        const lessons::Lesson& lesson = *listed_lesson.lesson;
        const std::string name = std::filesystem::path(listed_lesson.file).stem().string();
        entries.push_back({Kind::lesson, name, lesson.title,
                           "A lesson with " + counted(std::ssize(lesson.stops), "stop"), "",
                           command("lesson", listed_lesson.file)});
        for (std::size_t i = 0; i < lesson.stops.size(); ++i)
            if (!lesson.stops[i].title.empty())
                entries.push_back(
                    {Kind::lesson, fmt::format("{} {}", name, i + 1), lesson.stops[i].title,
                     fmt::format("Stop {} of the lesson “{}”", i + 1, lesson.title), "",
                     command("lesson", listed_lesson.file, std::to_string(i + 1))});
    }
}

std::vector<PaletteEntry> all_entries(const Frame& frame) {
    std::vector<PaletteEntry> entries =
        palette_commands(frame.work.command_table(), frame.state.look.screen);
    for (PaletteEntry& field : palette_fields()) entries.push_back(std::move(field));
    for (const Example& example : examples_in(assets::directory() / "examples"))
        if (example.trouble.empty())
            entries.push_back({Kind::example, example.name, example.title, example.words, "",
                               command("example", example.file.string())});
    add_lessons(frame, entries);
    return entries;
}

// "0.05 to 20", or the kind of value expected.
std::string expected_value(const Field& field) {
    if (field.kind == FieldKind::integer || field.kind == FieldKind::number ||
        field.kind == FieldKind::optional_number)
        return fmt::format("{:g} to {:g}", field.low, field.high);
    if (field.kind == FieldKind::folder) return "a folder";
    return field.kind == FieldKind::file ? "a file" : "a value";
}

PaletteEntry value_entry(const PaletteEntry& asked, const std::string& value,
                         const std::string& title) {
    PaletteEntry entry{Kind::command, value, title, "", "", asked.command};
    entry.command.args.push_back(value);
    return entry;
}

// The listable values of a field, with the current one marked and the default.
std::vector<PaletteEntry> values_of(const Frame& frame, const PaletteEntry& asked,
                                    const Field& field) {
    const std::string now = field.get(frame.state);
    std::vector<PaletteEntry> values;
    const auto add = [&](const std::string& value, const std::string& title) {
        values.push_back(value_entry(asked, value, title));
        if (value == now) values.back().key = "now";
    };
    if (field.kind == FieldKind::toggle) {
        add("true", "on");
        add("false", "off");
    } else {
        for (const std::string_view option : options_of(field, frame.trace))
            add(std::string(option), words_of(field, option));
        const bool listed = std::ranges::any_of(
            values, [&](const PaletteEntry& value) { return value.name == field.unset; });
        if (!field.unset.empty() && !listed && !field.of_model)
            add(std::string(field.unset), words_of(field, field.unset));
    }
    values.push_back({Kind::command, "reset", "Default value",
                      "Resets " + std::string(field.label) + " to its default", "",
                      command("reset", std::string(field.name))});
    return values;
}

std::vector<PaletteEntry> values_of(const Frame& frame, const PaletteEntry& asked) {
    if (asked.kind == Kind::field) return values_of(frame, asked, *find_field(asked.name));
    std::vector<PaletteEntry> values;
    // Only if a single argument is needed; others are typed.
    const bool single = asked.usage.find(' ') == std::string::npos ||
                        asked.usage.substr(asked.usage.find(' ') + 1).starts_with('[');
    if (single)
        for (const std::string& value : palette_arguments(asked.usage))
            values.push_back(value_entry(asked, value, value));
    if (all_optional(asked.usage))
        values.insert(values.begin(),
                      {Kind::command, asked.name, asked.title, asked.words, "", asked.command});
    return values;
}

// ---- typed values

bool takes_text(const PaletteEntry& asked) {
    if (asked.kind != Kind::field) return true;
    const Field& field = *find_field(asked.name);
    return field.kind != FieldKind::toggle &&
           (field.kind != FieldKind::choice || field.options != nullptr);
}

PaletteRow typed_row(const Frame& frame, const PaletteEntry& asked, const std::string& text) {
    PaletteRow row{asked, ""};
    try {
        if (asked.kind == Kind::field) {
            row.entry = value_entry(asked, text, asked.title + ": " + text);
            State tried = frame.state;
            find_field(asked.name)->set(tried, text);
        } else {
            row.entry.title = asked.name + " " + text;
            row.entry.command = parse_command(row.entry.title);
            if (const auto* found = frame.work.command_table().find(row.entry.command.verb))
                expect_arguments(*found->info, row.entry.command);
        }
    } catch (const ValueError& error) {
        row.problem = error.what();
    }
    row.entry.name = "typed";
    return row;
}

// The typed text comes first, if it is a value that is not in the list.
std::vector<PaletteRow> rows_of(const Frame& frame, const CommandPalette& palette) {
    std::vector<PaletteRow> rows;
    const bool listed = std::ranges::any_of(palette.entries, [&](const PaletteEntry& entry) {
        return entry.name == palette.query || entry.title == palette.query;
    });
    if (palette.asked && !palette.query.empty() && !listed && takes_text(*palette.asked))
        rows.push_back(typed_row(frame, *palette.asked, palette.query));
    for (const std::size_t i : palette.found) rows.push_back({palette.entries[i], ""});
    return rows;
}

// ---- steps

void look_up(CommandPalette& palette, std::string query) {
    palette.query = std::move(query);
    palette.found = palette_matches(palette.entries, palette.query);
    palette.marked = 0;
    palette.moved = true;
}

void begin_step(CommandPalette& palette, std::vector<PaletteEntry> entries) {
    palette.entries = std::move(entries);
    palette.typed.fill('\0');
    palette.wants_typing = CommandPalette::kFramesToType;
    look_up(palette, "");
}

void open_palette(const Frame& frame, CommandPalette& palette) {
    palette.asked.reset();
    begin_step(palette, all_entries(frame));
    ImGui::SetNextWindowFocus();
}

// Runs the entry, or asks for its value.
void choose_row(Frame& frame, CommandPalette& palette, const PaletteRow& row) {
    if (!row.problem.empty()) {
        palette.wants_typing = CommandPalette::kFramesToType;
        return;
    }
    if (!palette.asked && !row.entry.usage.empty()) {
        palette.asked = row.entry;
        return begin_step(palette, values_of(frame, row.entry));
    }
    frame.say("show", "nothing");
    frame.out.push_back(row.entry.command);
    frame.memory.gesture_ended = true;
}

// ---- drawing

std::string hint_of(const Frame& frame, const CommandPalette& palette) {
    if (!palette.asked) return "Find a command, a setting, an example or a lesson";
    const PaletteEntry& asked = *palette.asked;
    if (asked.kind != Kind::field) return asked.name + " " + asked.usage;
    const Field& field = *find_field(asked.name);
    const std::string now = words_of(field, field.get(frame.state));
    if (!takes_text(asked)) return asked.title;
    return asked.title + ": " + expected_value(field) + (now.empty() ? "" : ", now " + now);
}

// Returns true if Enter was pressed.
bool query_field(Frame& frame, CommandPalette& palette, const ui::Rect& rect) {
    // Each step has its own field, so that the previous one keeps its text.
    const char* label = palette.asked ? "##palette.value" : "##palette.query";
    frame.ui.name("palette.query", {rect, {}});
    ImGui::SetCursorScreenPos(rect.min());
    ImGui::PushFont(frame.ui.fonts().get(ui::Face::words, ui::Size::body));
    const float pad = std::max(0.0F, (rect.h - frame.ui.fonts().pixels(ui::Size::body)) / 2);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {frame.px(12), pad});
    ImGui::SetNextItemWidth(rect.w);
    if (palette.wants_typing > 0) {
        --palette.wants_typing;
        frame.ui.await_typing();
        frame.ui.ask_for_frame();
        ui::type_into(label);
    }
    const bool entered = ImGui::InputText(label, palette.typed.data(), palette.typed.size(),
                                          ImGuiInputTextFlags_EnterReturnsTrue);
    if (ImGui::IsItemActive()) palette.wants_typing = 0;
    // The field keeps the keyboard as long as the palette is open.
    else if (!entered && !ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(0))
        palette.wants_typing = std::max(palette.wants_typing, 1);
    ImGui::PopStyleVar();
    ImGui::PopFont();
    ui::Canvas canvas(frame.ui);
    canvas.outline(rect, frame.colors().accent, 1, frame.px(6));
    if (palette.typed[0] == '\0')
        canvas.label(rect.inset(frame.px(12), 0), hint_of(frame, palette),
                     {.color = frame.colors().dim});
    return entered;
}

// At the right end: a key, a field's value, or the kind of entry.
std::string side_words(const Frame& frame, const PaletteEntry& entry) {
    if (!entry.key.empty()) return entry.key;
    if (entry.kind == Kind::lesson) return "lesson";
    if (entry.kind == Kind::example) return "example";
    if (entry.kind != Kind::field) return entry.usage.empty() ? "" : "…";
    const Field& field = *find_field(entry.name);
    if (!is_shown(field, frame.state, frame.trace)) return "no effect here";
    const std::string value = field.get(frame.state);
    if (field.kind == FieldKind::toggle) return value == "true" ? "on" : "off";
    return words_of(field, value);
}

std::string widget_name(const PaletteEntry& entry) {
    constexpr std::array kinds{"command", "field", "lesson", "example"};
    return fmt::format("palette.{}.{}", kinds[static_cast<std::size_t>(entry.kind)], entry.name);
}

bool draw_palette_row(Frame& frame, const ui::Rect& rect, const PaletteRow& row, bool marked,
                      bool& hovered) {
    const auto mouse = ui::interact(frame.ui, widget_name(row.entry), rect);
    hovered = mouse.hovered;
    if (mouse.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ui::Canvas canvas(frame.ui);
    if (marked) canvas.fill(rect, frame.colors().hover, frame.px(6));
    ui::Layout rest(frame.ui, rect, 12, 0);
    const ui::TextStyle quiet{.face = ui::Face::mono, .color = frame.colors().dim};
    const std::string side = canvas.shortened(side_words(frame, row.entry), quiet, rest.w * 0.35F);
    const float wide = canvas.measure(side, quiet);
    ui::TextStyle at_end = quiet;
    at_end.align = ui::Align::right;
    canvas.label(rest.right(wide + 1, 12), side, at_end);
    const ui::TextStyle bold = style_that_fits(
        canvas, row.entry.title, {.face = marked ? ui::Face::bold : ui::Face::words}, rest.w);
    const float title = canvas.measure(row.entry.title, bold) + 1;
    canvas.label(rest.left(std::min(title, rest.w), 12), row.entry.title, bold);
    if (rest.w > frame.px(60))
        canvas.label(rest, row.problem.empty() ? row.entry.words : row.problem,
                     {.color = row.problem.empty() ? frame.colors().dim : frame.colors().error});
    return mouse.clicked;
}

// Arrows, PageUp and PageDown move the mark; the field does not use them.
void move_mark(const Frame& frame, CommandPalette& palette, int rows, int page) {
    const int before = palette.marked;
    if (ui::any_key_pressed(ImGuiKey_DownArrow)) ++palette.marked;
    if (ui::any_key_pressed(ImGuiKey_UpArrow)) --palette.marked;
    if (ui::any_key_pressed(ImGuiKey_PageDown)) palette.marked += page;
    if (ui::any_key_pressed(ImGuiKey_PageUp)) palette.marked -= page;
    palette.marked = std::clamp(palette.marked, 0, std::max(0, rows - 1));
    if (palette.marked == before) return;
    palette.moved = true;
    frame.ui.ask_for_frame();
}

// Returns the clicked row, or -1.
int draw_rows(Frame& frame, CommandPalette& palette, const ui::Rect& rect,
              const std::vector<PaletteRow>& rows) {
    const float tall = frame.line(ui::Size::body) + frame.px(8);
    ui::begin_child("palette.scroll", rect, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    if (std::exchange(palette.moved, false)) {
        const float top = tall * static_cast<float>(palette.marked);
        if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
        if (top + tall > ImGui::GetScrollY() + rect.h) ImGui::SetScrollY(top + tall - rect.h);
    }
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    int clicked = -1;
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
        const ui::Rect place{origin.x, origin.y + tall * static_cast<float>(i),
                             rect.w - frame.px(14), tall};
        if (!ImGui::IsRectVisible(place.min(), place.max())) continue;
        const PaletteRow& row = rows[static_cast<std::size_t>(i)];
        bool hovered = false;
        if (draw_palette_row(frame, place, row, i == palette.marked, hovered)) clicked = i;
        if (hovered && (moved.x != 0 || moved.y != 0)) palette.marked = i;
    }
    ImGui::SetCursorScreenPos({origin.x, origin.y + tall * static_cast<float>(rows.size())});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
    if (rows.empty())
        ui::Canvas(frame.ui).label({rect.x, rect.y, rect.w, tall},
                                   "Nothing found. Try another word.",
                                   {.color = frame.colors().dim});
    return clicked;
}

// The full description of the marked row, which may not fit in the row, and the keys.
void palette_foot(Frame& frame, ui::Layout rect, const CommandPalette& palette,
                  const std::vector<PaletteRow>& rows) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle small = frame.small_dim();
    canvas.label(rect.last_row(),
                 palette.asked ? "↑ ↓ choose · Enter sets · Esc closes"
                               : "↑ ↓ choose · Enter runs · Esc closes",
                 small);
    if (rows.empty()) return;
    const PaletteRow& row = rows[static_cast<std::size_t>(palette.marked)];
    const bool bad = !row.problem.empty();
    canvas.wrapped(rect, bad ? row.problem : row.entry.words,
                   {.color = bad ? frame.colors().error : frame.colors().text});
    if (bad) frame.ui.report("palette.problem", row.problem);
}

ui::Rect palette_card(const Frame& frame, const ui::Rect& window) {
    const float w = std::round(std::min(window.w * 0.92F, frame.px(760) * frame.ui.text_scale()));
    const float h = std::round(std::min(window.h * 0.86F, frame.px(560) * frame.ui.text_scale()));
    return {std::round(window.x + (window.w - w) / 2), std::round(window.y + window.h * 0.07F), w,
            h};
}

}  // namespace

void command_palette(Frame& frame, const ui::Rect& window) {
    auto& palette = frame.memory.own<CommandPalette>();
    const int now = ImGui::GetFrameCount();
    if (palette.last_frame < now - 1) open_palette(frame, palette);
    palette.last_frame = now;

    ui::begin_window("palette", window,
                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
    ui::Canvas canvas(frame.ui);
    canvas.fill(window, IM_COL32(0, 0, 0, 140));
    const ui::Rect card = palette_card(frame, window);
    canvas.card(card, frame.colors().card);
    frame.ui.name("palette", {card, {}});
    ui::Layout rest(frame.ui, card, 16, 16);
    const bool entered = query_field(frame, palette, rest.row(ui::Size::body, 16, 8));
    if (const std::string typed = palette.typed.data(); typed != palette.query)
        look_up(palette, typed);
    const ui::Layout foot = rest.bottom(frame.line(ui::Size::body) * 2 + frame.line(), 8);
    const std::vector<PaletteRow> rows = rows_of(frame, palette);
    const float tall = frame.line(ui::Size::body) + frame.px(8);
    rest.h = std::max(1.0F, std::floor(rest.h / tall)) * tall;  // no row is cut at the bottom
    move_mark(frame, palette, static_cast<int>(rows.size()),
              std::max(1, static_cast<int>(rest.h / tall) - 1));
    int chosen = draw_rows(frame, palette, rest, rows);
    palette_foot(frame, foot, palette, rows);
    if (entered && !rows.empty()) chosen = palette.marked;
    frame.ui.report("palette.count", std::to_string(rows.size()));
    frame.ui.report("palette.hint", hint_of(frame, palette));
    frame.ui.report("palette.asks", palette.asked ? palette.asked->name : "");
    if (!rows.empty())
        frame.ui.report("palette.marked",
                        rows[static_cast<std::size_t>(palette.marked)].entry.name);
    if (chosen >= 0) choose_row(frame, palette, rows[static_cast<std::size_t>(chosen)]);
    const ImVec2 pointer = ImGui::GetIO().MousePos;
    const bool beside = window.contains(pointer) && !card.contains(pointer);
    if (beside && ImGui::IsMouseClicked(0) && !ImGui::IsMouseDoubleClicked(0))
        frame.say("show", "nothing");
    ImGui::End();
}

}  // namespace headlight::screens
