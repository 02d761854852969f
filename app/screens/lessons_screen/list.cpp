#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/notice_bar.h"
#include "frame/photo.h"
#include "kernels/counted.h"
#include "lessons/progress.h"
#include "lessons/reader.h"
#include "lessons_screen/lessons.h"
#include "state/thumbnails.h"
#include "ui/progress_bar.h"

namespace headlight::screens {

namespace {

using lessons::ListedLesson;

// A summary: its first words.
std::string about(const lessons::Lesson& lesson) {
    for (const lessons::Block& block : lesson.introduction)
        if (const auto* text = std::get_if<lessons::Text>(&block.what))
            return plain_text(text->prose);
    return "";
}

std::string progress_words(const ListedLesson& listed_lesson, const LessonPlace* place) {
    const auto count = listed_lesson.lesson->stops.size();
    if (place == nullptr) return counted(std::ssize(listed_lesson.lesson->stops), "stop");
    return fmt::format("stop {} of {}",
                       std::min<std::size_t>(static_cast<std::size_t>(place->stop) + 1, count),
                       count);
}

// "" before the first question is answered.
std::string answered_words(const lessons::Progress& progress) {
    if (progress.right() + progress.missed == 0) return "";
    return fmt::format("{} of {} right", progress.right(), counted(progress.questions, "question"));
}

void progress_bar(Frame& frame, const ui::Rect& rect, const ListedLesson& listed_lesson,
                  const LessonPlace* place) {
    const int read = place == nullptr ? 0 : place->furthest + 1;
    ui::progress_bar(
        frame.ui, rect,
        static_cast<float>(read) / static_cast<float>(listed_lesson.lesson->stops.size()));
}

struct Covers {
    Thumbnails thumbnails;
};

// Its cover picture, or its number if there is none.
void cover(Frame& frame, const ui::Rect& rect, const ListedLesson& listed_lesson, int number) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, frame.colors().background, frame.px(6));
    if (listed_lesson.cover.empty())
        return canvas.label(rect, std::to_string(number),
                            {.face = ui::Face::bold,
                             .size = ui::Size::large,
                             .color = frame.colors().dim,
                             .align = ui::Align::center});
    const Thumbnail picture = frame.memory.own<Covers>().thumbnails.request(
        listed_lesson.cover, listed_lesson.cover_written, static_cast<int>(std::ceil(rect.w)));
    if (picture.pending()) frame.ui.ask_for_frame();
    if (!picture.image) return;
    const auto& image = *picture.image;
    canvas.photo(rect.fit(static_cast<float>(image.width) / static_cast<float>(image.height)),
                 photo(picture.image, true), frame.px(6));
}

void row(Frame& frame, ui::Layout& rest, const ListedLesson& listed_lesson, int number) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim{.size = ui::Size::body, .color = frame.colors().dim};
    const float side = frame.px(150) * frame.ui.text_scale(), pad = frame.px(18);
    const bool room = rest.w > side + frame.px(400);
    const ImVec2 picture = room ? ImVec2{frame.px(160), frame.px(100)} : ImVec2{0, 0};
    const std::string words = about(*listed_lesson.lesson);
    const float inner = rest.w - 2 * pad - (room ? side + picture.x + 2 * pad : 0);
    const float title = frame.line(ui::Size::body) + frame.px(4);
    const float said = title + canvas.measure_wrapped(words, dim, inner).y,
                progress = title + frame.line() * 2.8F;
    const float height =
        (room ? std::max({said, progress, picture.y}) : said + frame.px(8) + progress) + 2 * pad;
    const ui::Rect whole = rest.top(height, 12);
    const std::string name = "lessons.row." + std::to_string(number);
    const auto mouse = ui::interact(frame.ui, name, whole);
    const LessonPlace* place = lessons::place_of(frame.state, listed_lesson.file);
    canvas.card(whole, mouse.hovered ? frame.colors().hover : frame.colors().card);
    if (mouse.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ui::Layout inside(frame.ui, whole.inset(pad));
    if (room) {
        const ui::Rect left = inside.left(picture.x);
        cover(frame, {left.x, left.center().y - picture.y / 2, picture.x, picture.y}, listed_lesson,
              number);
        inside.left(pad);
    }
    ui::Layout right = room ? inside.right(side) : inside.bottom(progress);
    if (room) inside.right(pad);
    canvas.label(inside.top(title), listed_lesson.lesson->title,
                 {.face = ui::Face::bold, .size = ui::Size::body});
    canvas.wrapped(inside, words, dim);
    canvas.label(right.top(title), place == nullptr ? "Begin" : "Continue",
                 {.face = ui::Face::bold,
                  .size = ui::Size::body,
                  .color = frame.colors().accent,
                  .align = ui::Align::right});
    canvas.label(right.row(), progress_words(listed_lesson, place),
                 {.color = frame.colors().dim, .align = ui::Align::right});
    right.skip_top(6);
    progress_bar(frame, right.top(frame.px(5), 4), listed_lesson, place);
    const std::string answered = answered_words(lessons::progress_of(*listed_lesson.lesson, place));
    canvas.label(right.row(), answered, {.color = frame.colors().dim, .align = ui::Align::right});
    frame.ui.report(name, listed_lesson.lesson->title + " · " +
                              progress_words(listed_lesson, place) +
                              (answered.empty() ? "" : " · " + answered));
    if (mouse.clicked)
        frame.say("lesson", listed_lesson.file,
                  std::to_string(place == nullptr ? 1 : place->stop + 1));
}

}  // namespace

void lessons(Frame& frame, ui::Layout rect) {
    notice_bar(frame, rect);
    ui::begin_child("lessons.scroll", rect, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float width = std::min(rect.w - frame.px(48), frame.px(960) * frame.ui.text_scale());
    ui::Layout rest(frame.ui, {top.x + (rect.w - width) / 2, top.y + frame.px(32), width, 1e6F});
    ui::Canvas canvas(frame.ui);
    canvas.label(rest.row(ui::Size::large, 0, 6), "Lessons",
                 {.face = ui::Face::bold, .size = ui::Size::large});
    const ui::TextStyle dim{.size = ui::Size::body, .color = frame.colors().dim};
    rest.paragraph(
        "Each runs beside the live program, so you can try everything it says. Drop "
        "your own lesson, a .md file, onto the window to open it.",
        dim);
    rest.skip_top(20);
    int number = 0;
    if (frame.reader != nullptr)
        for (const ListedLesson& listed_lesson : frame.reader->listed())
            row(frame, rest, listed_lesson, ++number);
    if (number == 0)
        canvas.label(rest.row(),
                     "Headlight found no lessons in its folder. Install Headlight again.", dim);
    ImGui::SetCursorScreenPos({top.x, rest.y + frame.px(16)});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
}

}  // namespace headlight::screens
