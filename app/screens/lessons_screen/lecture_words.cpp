#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "lessons/reader.h"
#include "lessons_screen/lessons.h"
#include "lessons_screen/page.h"

// The text of a stop in lecture view: one of its pages, in large type that shrinks only if the
// window lacks space.
namespace headlight::screens {

namespace {

constexpr float kBeside = 0.36F, kBesideOnOld = 0.4F;  // fraction of the window's width; for 4:3

// The ways to show a page, best first.
enum class Fit {
    with_text,        // a question below the stop's first sentences
    beside,           // alone beside the screen
    beside_unzoomed,  // sentences as large as without the speaker's zoom
    beside_small,     // sentences in smaller type; the screen stays
    instead,          // a question or a table in the whole window
    instead_small     // the same in smaller type
};

// The best one that fit when the page was last drawn.
struct Fitting {
    struct Shown {
        long entry = -1;
        std::size_t page = 0;
        bool tried = false, revealed = false;
        float width = 0, height = 0, type = 0;
        friend bool operator==(const Shown&, const Shown&) = default;
    };
    Shown shown;
    Fit fit = Fit::with_text;
};

const lessons::Question* question_of(const Frame& frame) {
    const auto& asked = frame.reader->page().asked;
    if (!asked) return nullptr;
    return std::get_if<lessons::Question>(&frame.reader->stop().blocks[*asked].what);
}

// Of that question.
lessons::Tries tries_of(const Frame& frame) {
    return question_of(frame) == nullptr ? lessons::Tries{}
                                         : frame.reader->tries(*frame.reader->page().asked);
}

Fitting& fitting_of(Frame& frame) {
    auto& fitting = frame.memory.own<Fitting>();
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const lessons::Tries tries = tries_of(frame);
    const Fitting::Shown now{frame.reader->entries(),
                             frame.reader->page_number(),
                             tries.first_wrong.has_value(),
                             tries.given.has_value(),
                             window.x,
                             window.y,
                             frame.ui.fonts().pixels(ui::Size::body)};
    if (fitting.shown == now) return fitting;
    // If a question already fills the window, its answer does too.
    const bool same_page = fitting.shown.entry == now.entry && fitting.shown.page == now.page;
    const bool same_window = fitting.shown.width == now.width &&
                             fitting.shown.height == now.height && fitting.shown.type == now.type;
    if (!same_page || !same_window)
        fitting.fit = frame.reader->page().fills_window ? Fit::instead : Fit::with_text;
    fitting.shown = now;
    return fitting;
}

// ---- a question

ImU32 color_of_answer(const Frame& frame, bool right, int number) {
    const lessons::Tries tries = tries_of(frame);
    if (tries.first_wrong == number) return frame.colors().error;
    if (tries.given) {
        if (right) return frame.colors().ok;
        return tries.given == number ? frame.colors().error : frame.colors().border;
    }
    return frame.reader->chosen() == number ? frame.colors().accent : frame.colors().border;
}

// Its digit as on a key, then its text.
void answer_row(Page& page, const lessons::Question& question, int number, int asked) {
    Frame& frame = page.frame;
    const auto& answer = question.answers[static_cast<std::size_t>(number)];
    const lessons::Tries tries = tries_of(frame);
    const float type = frame.ui.fonts().pixels(page.size), key = std::round(type * 1.2F);
    const float indent = key + type * 0.5F;
    const float high =
        std::max(key, page.writer.height(answer.prose, page.rest.w - indent, page.in_size({})));
    ui::Layout row = page.rest.top(high);
    const auto mouse = page.writer.button(fmt::format("lesson.answer.{}.{}", asked, number + 1),
                                          row.inset(-frame.px(4)));
    if (mouse.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const bool revealed = tries.given.has_value(), chosen = frame.reader->chosen() == number;
    if (mouse.clicked && chosen)
        frame.say("lesson-reveal");
    else if (mouse.clicked)
        frame.say("lesson-choose", std::to_string(number + 1));
    const ImU32 color = color_of_answer(frame, answer.right, number);
    const bool stands_out = color != frame.colors().border;
    const ui::Rect box{row.x, row.y, key, key};
    ui::Canvas canvas(frame.ui);
    if (chosen) canvas.fill(box, color, frame.px(6));
    canvas.outline(box, stands_out ? color : frame.colors().text,
                   frame.px(stands_out ? 3.0F : 1.5F), frame.px(6));
    if ((revealed || tries.first_wrong == number) && stands_out)
        ui::icon(canvas, answer.right ? ui::Icon::check : ui::Icon::close, box.center(),
                 type * 0.6F, color);
    else
        canvas.label(box, std::to_string(number + 1),
                     {.size = page.size,
                      .color = chosen ? frame.colors().on_accent : 0,
                      .align = ui::Align::center});
    row.left(indent);
    page.between("\n");
    page.writer.write(
        {row.x, row.y + (key - type) / 2, row.w, row.h}, answer.prose,
        page.in_size({.face = revealed && answer.right ? ui::Face::bold : ui::Face::words}));
    page.gap(14);
    if (const lessons::Prose* hint = tries.hint_below(question, number)) {
        page.write(*hint, {}, indent);
        page.gap(14);
    }
}

void question(Page& page, const lessons::Question& asked, int number) {
    Frame& frame = page.frame;
    page.write(asked.prose, {.face = ui::Face::bold});
    page.gap(18);
    for (std::size_t i = 0; i < asked.answers.size(); ++i)
        answer_row(page, asked, static_cast<int>(i), number);
    const lessons::Tries tries = tries_of(frame);
    frame.ui.report(fmt::format("lesson.question.{}", number), std::string(tries.standing(asked)));
    if (!tries.given) return;
    page.gap(6);
    for (const lessons::Prose& why : asked.why) {
        page.write(why);
        page.gap(8);
    }
}

// ---- a page

void text(Page& page, const lessons::LecturePage& shown) {
    for (std::size_t i = 0; i < shown.blocks.size(); ++i) {
        const lessons::Block& block = shown.blocks[i];
        if (i > 0 && is_item(shown.blocks[i - 1]) && is_item(block)) page.between("\n");
        write_block(page, block);
        if (const auto* image = std::get_if<lessons::Picture>(&block.what))
            write_picture(page, page.frame.reader->picture(image->file), *image);
    }
}

void asked(Page& page, Fit fit) {
    Frame& frame = page.frame;
    const std::size_t block = *frame.reader->page().asked;
    const lessons::Stop& stop = frame.reader->stop();
    const auto& first = frame.reader->pages().front();
    if (fit == Fit::with_text && !first.fills_window && !first.blocks.empty()) {
        text(page, first);
        page.gap(6);
        ui::Canvas(frame.ui).fill(page.rest.top(frame.px(2)), frame.colors().text);
        page.gap(20);
    }
    const int number = lessons::number_in(stop, block);
    if (const auto* what = question_of(frame)) return question(page, *what, number);
    write_task(page, std::get<lessons::Task>(stop.blocks[block].what), frame.reader->done(block),
               number);
}

// For the mouse: the page number, and buttons to other pages.
void ways_through(Frame& frame, ui::Layout row) {
    const std::size_t page = frame.reader->page_number(), count = frame.reader->pages().size();
    frame.ui.report("lesson.page", fmt::format("{} / {}", page + 1, count));
    if (count < 2) return;
    const float each = row.h;
    const auto button = [&](const char* name, const ui::Rect& at, const char* tip, bool down) {
        const bool works = down ? page + 1 < count : page > 0;
        if (ui::button(frame.ui, name, at, "",
                       works ? ui::ButtonLook::plain : ui::ButtonLook::disabled, tip,
                       down ? ui::Icon::chevron_down : ui::Icon::up))
            frame.say("lesson-page", down ? "next" : "previous");
    };
    button("lesson.more", row.right(each), "More of this stop   ↓", true);
    const float step = std::min(frame.px(16), (row.w - each) / static_cast<float>(count));
    for (std::size_t i = count; i-- > 0;) {
        const ui::Rect dot = row.right(step);
        ui::Canvas(frame.ui).circle(dot.center(), frame.px(4),
                                    i == page ? frame.colors().text : frame.colors().border);
    }
    button("lesson.less", row.right(each), "Back   ↑", false);
}

Fit next_fit(const Frame& frame, Fit fit) {
    const lessons::LecturePage& page = frame.reader->page();
    switch (fit) {
        case Fit::with_text:
            return page.asked ? Fit::beside : Fit::beside_unzoomed;
        case Fit::beside:
            return Fit::instead;
        case Fit::beside_unzoomed:
        case Fit::beside_small:
            return Fit::beside_small;
        case Fit::instead:
        case Fit::instead_small:
            return Fit::instead_small;
    }
    return fit;
}

void move_on(Frame& frame, Fitting& fitting, bool fits) {
    const Fit next = fits ? fitting.fit : next_fit(frame, fitting.fit);
    if (std::exchange(fitting.fit, next) != next) frame.ui.ask_for_frame();
}

}  // namespace

float lecture_words_width(Frame& frame, float window) {
    const bool raised = frame.reader->page().asked.has_value();
    // A task leads away from its stop.
    if (frame.reader->is_away() && !raised) return 0;
    const Fit fit = fitting_of(frame).fit;
    if (fit == Fit::instead || fit == Fit::instead_small) return window;
    const bool old = window < 1.5F * ImGui::GetIO().DisplaySize.y;
    return std::round(window * (old ? kBesideOnOld : kBeside));
}

void lecture_words(Frame& frame, ui::Layout rect) {
    Fitting& fitting = fitting_of(frame);
    const bool whole = fitting.fit == Fit::instead || fitting.fit == Fit::instead_small;
    const bool small = fitting.fit == Fit::beside_small || fitting.fit == Fit::instead_small;
    frame.ui.name("lesson.column", {rect, {}});
    rect = rect.inset(frame.px(20), frame.px(10));
    if (!whole) rect.skip_left(8);
    const float high = frame.line() + frame.px(8);
    ways_through(frame, rect.bottom(high));
    ui::begin_child("lesson.words", rect, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    auto& selecting = frame.memory.own<Selecting>();
    selecting.begin(frame.reader->entries());
    ProseWriter writer(frame, selecting);
    Page page{frame, writer, {frame.ui, {top.x, top.y, rect.w - frame.px(12), 1e6F}}};
    page.size = small ? ui::Size::small : ui::Size::body;
    page.tallest = rect.h;
    if (fitting.fit == Fit::beside_unzoomed)
        frame.ui.shrink_sentences(1 / lessons::sentence_zoom(frame.state.look.zoom));
    if (frame.reader->page().asked)
        asked(page, fitting.fit);
    else
        text(page, frame.reader->page());
    frame.ui.shrink_sentences(1);
    const float height = page.rest.y - top.y;
    ImGui::SetCursorScreenPos({top.x, page.rest.y});
    ImGui::Dummy({1, 1});
    selecting.end(frame);
    ImGui::EndChild();
    move_on(frame, fitting, height <= rect.h);
    constexpr std::array<const char*, 6> kFits{"with text",     "beside",  "beside, unzoomed",
                                               "beside, small", "instead", "instead, small"};
    frame.ui.report("lesson.words", kFits.at(static_cast<std::size_t>(fitting.fit)));
}

}  // namespace headlight::screens
