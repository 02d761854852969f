#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lessons/reader.h"
#include "lessons_screen/lessons.h"
#include "lessons_screen/page.h"

namespace headlight::screens {

namespace {

using lessons::Prose;

// A stop is shown from its beginning.
struct Reading {
    long entry = -1;
    bool scrolls_up = false;
};

Reading& reading_of(Frame& frame) {
    auto& reading = frame.memory.own<Reading>();
    if (reading.entry != frame.reader->entries()) {
        reading = {.entry = frame.reader->entries(), .scrolls_up = true};
        frame.ui.show_all_cells();
    }
    return reading;
}

// ---- questions

struct Answering {
    const lessons::Question& question;
    int number = 0;  // in the stop, from 1
    lessons::Tries tries;
};

float answer_height(Page& page, const Prose& prose, float width) {
    return page.writer.height(prose, width - page.frame.px(76)) + page.frame.px(16);
}

void answer_row(Page& page, const Answering& asked, int i) {
    Frame& frame = page.frame;
    const auto& answer = asked.question.answers[static_cast<std::size_t>(i)];
    const ui::Rect row = page.rest.top(answer_height(page, answer.prose, page.rest.w));
    const bool shown = asked.tries.given.has_value();
    const bool chosen = asked.tries.given == i || asked.tries.first_wrong == i;
    const std::string name = fmt::format("lesson.answer.{}.{}", asked.number, i + 1);
    const auto mouse = page.writer.button(name, row);
    if (mouse.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (mouse.clicked)
        frame.say("lesson-answer", std::to_string(asked.number), std::to_string(i + 1));
    const bool good = shown && answer.right, bad = chosen && !answer.right;
    const ImU32 color = good  ? frame.colors().ok
                        : bad ? frame.colors().error
                              : frame.colors().border;
    ui::Canvas canvas(frame.ui);
    canvas.fill(row, mouse.hovered ? frame.colors().hover : frame.colors().background, frame.px(6));
    canvas.outline(row, color, frame.px(good || bad ? 1.5F : 1), frame.px(6));
    ui::Layout inside(frame.ui, row, 12, 8);
    const std::string number = std::to_string(i + 1);
    page.between("\n");
    page.writer.mark(inside.left(frame.px(26)).min(), number, number + ".",
                     {.face = ui::Face::mono, .color = frame.colors().dim});
    const ui::Rect sign = inside.right(frame.px(26));
    if (good || bad)
        ui::icon(canvas, good ? ui::Icon::check : ui::Icon::close, sign.center(), frame.px(12),
                 color);
    page.writer.write(inside, answer.prose);
    page.gap(8);
    if (const Prose* hint = asked.tries.hint_below(asked.question, i)) {
        page.write(*hint, {}, frame.px(12));
        page.gap(10);
    }
}

float question_height(Page& page, const Answering& asked) {
    const float width = inner_width(page);
    float height = page.frame.line() + page.frame.px(4) +
                   page.writer.height(asked.question.prose, width) + page.frame.px(10);
    for (int i = 0; i < static_cast<int>(asked.question.answers.size()); ++i) {
        const auto& answer = asked.question.answers[static_cast<std::size_t>(i)];
        height += answer_height(page, answer.prose, width) + page.frame.px(8);
        if (const Prose* hint = asked.tries.hint_below(asked.question, i))
            height += page.writer.height(*hint, width - page.frame.px(12)) + page.frame.px(10);
    }
    if (asked.tries.given)
        for (const Prose& why : asked.question.why)
            height += page.writer.height(why, width) + page.frame.px(6);
    return height;
}

void question(Page& page, const Answering& asked) {
    card(page, question_height(page, asked), 0, [&](Page& inside) {
        inside.caption("BEFORE YOU GO ON");
        inside.write(asked.question.prose);
        inside.gap(10);
        for (int i = 0; i < static_cast<int>(asked.question.answers.size()); ++i)
            answer_row(inside, asked, i);
        if (!asked.tries.given) return;
        for (const Prose& why : asked.question.why) {
            inside.write(why);
            inside.gap(6);
        }
    });
    page.frame.ui.report(fmt::format("lesson.question.{}", asked.number),
                         std::string(asked.tries.standing(asked.question)));
}

// ---- the page

void blocks(Page& page, const std::vector<lessons::Block>& list) {
    int questions = 0, tasks = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto& what = list[i].what;
        if (i > 0 && is_item(list[i - 1]) && is_item(list[i])) page.between("\n");
        write_block(page, list[i]);
        if (const auto* image = std::get_if<lessons::Picture>(&what))
            write_picture(page, page.frame.reader->picture(image->file), *image);
        if (const auto* asked = std::get_if<lessons::Question>(&what))
            question(page, {*asked, ++questions, page.frame.reader->tries(i)});
        if (const auto* wanted = std::get_if<lessons::Task>(&what))
            write_task(page, *wanted, page.frame.reader->done(i), ++tasks);
    }
}

void notes(Page& page) {
    Frame& frame = page.frame;
    const std::string& words = page.frame.reader->stop().notes;
    if (!frame.state.look.notes || words.empty()) return;
    frame.ui.report("lesson.notes", words);
    const ui::TextStyle style{.size = ui::Size::body};
    const float height = ui::Canvas(frame.ui).measure_wrapped(words, style, inner_width(page)).y;
    card(page, height + frame.line() + frame.px(4), frame.colors().border, [&](Page& inside) {
        inside.caption("FOR THE SPEAKER");
        page.writer.plain(inside.rest, words, style);
    });
}

// Errors for the author to fix.
void problems(Page& page) {
    Frame& frame = page.frame;
    const auto found = frame.reader->problems();
    if (found.empty()) return;
    std::string words;
    for (const lessons::Problem& problem : found)
        words +=
            fmt::format("{}line {}: {}", words.empty() ? "" : "\n", problem.line, problem.reason);
    frame.ui.report("lesson.problems", words);
    const ui::TextStyle style{};
    const float height = ui::Canvas(frame.ui).measure_wrapped(words, style, inner_width(page)).y;
    card(page, height + frame.line() + frame.px(4), frame.colors().error, [&](Page& inside) {
        inside.caption("MISTAKES IN THIS LESSON");
        page.writer.plain(inside.rest, words, style);
    });
}

void head(Page& page) {
    Frame& frame = page.frame;
    ui::Layout row = page.rest.row(6);
    const ui::Rect leave = row.right(ui::button_width(frame.ui, "Leave") + frame.px(4), 8);
    const std::string& name = frame.reader->lesson()->title;
    const std::string brief = name.substr(0, name.find_first_of(":,"));
    caption_that_fits(frame.ui, row, {"LESSON · " + name, name, "LESSON · " + brief, brief});
    const std::vector<std::string_view> ways{"restore", "keep"};
    const int way =
        ui::menu_button(frame.ui, "lesson.leave", leave, "Leave", ways, "Leaves the lesson",
                        {"Restore the earlier state", "Keep the current state"});
    if (way >= 0) frame.say("lesson-leave", std::string(ways[static_cast<std::size_t>(way)]));
    page.gap(10);
    const lessons::Stop& stop = frame.reader->stop();
    lessons::Span title;
    title.text = stop.title;
    page.write({title}, {.size = ui::Size::large, .face = ui::Face::bold});
    page.gap(12);
}

void sources(Page& page) {
    const lessons::Lesson& lesson = *page.frame.reader->lesson();
    const bool last = page.frame.reader->stop_number() + 1 == static_cast<int>(lesson.stops.size());
    if (!last || lesson.sources.empty()) return;
    page.gap(8);
    page.caption("SOURCES");
    blocks(page, lesson.sources);
}

// The text of a stop, in a scrolling child window.
void page_of_stop(Frame& frame, const ui::Rect& rect, float margin) {
    frame.ui.name("lesson.column", {rect, {}});
    ui::begin_child("lesson.scroll", rect, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    if (std::exchange(reading_of(frame).scrolls_up, false)) ImGui::SetScrollY(0);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float edge = frame.px(24);
    auto& selecting = frame.memory.own<Selecting>();
    selecting.begin(frame.reader->entries());
    ProseWriter writer(frame, selecting);
    // As tall as needed; the child window scrolls.
    Page page{frame, writer, {frame.ui, {top.x + edge, top.y + margin, rect.w - 2 * edge, 1e6F}}};
    head(page);
    blocks(page, frame.reader->stop().blocks);
    notes(page);
    sources(page);
    problems(page);
    ImGui::SetCursorScreenPos({top.x, page.rest.y + frame.px(12)});
    ImGui::Dummy({1, 1});
    selecting.end(frame);
    ImGui::EndChild();
    frame.ui.report("lesson.stop", std::to_string(frame.reader->stop_number() + 1));
    frame.ui.report("lesson.title", frame.reader->stop().title);
}

}  // namespace

bool lesson_takes_key(Memory& memory, std::string_view key) {
    return memory.own<Selecting>().takes_key(key);
}

float lesson_column_width(const Frame& frame, float window) {
    return std::clamp(window * 0.29F, frame.px(340), frame.px(480));
}

void lesson_column(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    canvas.line({rect.x + rect.w, rect.y}, {rect.x + rect.w, rect.y + rect.h},
                frame.colors().border);
    canvas.line({rect.x, rect.y}, {rect.x + rect.w, rect.y}, frame.colors().border);
    page_of_stop(frame, rect, frame.px(18));
}

}  // namespace headlight::screens
