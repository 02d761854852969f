#include "platform/lesson_check.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "assets/assets.h"
#include "disk/files.h"
#include "disk/read_file.h"
#include "frame/scales.h"
#include "frame/tensor_text.h"
#include "lessons/read_lesson.h"
#include "lessons_screen/lessons.h"
#include "program/values.h"
#include "state/fields.h"

namespace headlight::platform {
namespace {

constexpr std::chrono::minutes kLongestWait{2};
constexpr float kWidth = 1600, kHeight = 1000;

}  // namespace

LessonCheck::LessonCheck(const std::filesystem::path& file)
    : ui_(font_paths()),
      work_(first_state(), read_file, [] {}),
      reader_(work_, assets::directory(), first_state()) {
    ui_.record(&recording_, ui::Context::Paint::no);
    content_.set_reader(&reader_);
    settle();
    work_.command_table().obey(command("lesson", file.string()));
}

LessonCheck::~LessonCheck() = default;

void LessonCheck::settle() {
    const auto until = std::chrono::steady_clock::now() + kLongestWait;
    do {
        work_.update(0);
        reader_.update();
        if (!work_.busy() && !reader_.busy() && !content_.busy()) return;
        (void)content_.take_made();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (std::chrono::steady_clock::now() < until);
    throw CommandError("The computation did not end in time.");
}

// Some of it is only made when it is asked for.
void LessonCheck::describe() {
    for (int i = 0; i < 3; ++i) {
        const Look& look = work_.state().look;
        const auto scales = screens::scales_for(look, 1, kWidth, kHeight);
        ui_.begin(screens::palette_for(look), scales.unit, scales.text, scales.sentence);
        ImGui::GetIO().DisplaySize = {kWidth, kHeight};
        ImGui::NewFrame();
        ui_.start_frame();
        content_.draw(ui_, work_, {0, 0, kWidth, kHeight});
        ImGui::Render();
        ui_.end();
        settle();
    }
}

void LessonCheck::go_to(std::size_t stop) {
    work_.command_table().obey(command("lesson-stop", std::to_string(stop + 1)));
    settle();
}

std::vector<lessons::Problem> LessonCheck::problems() {
    found_ = reader_.lesson()->problems;
    std::vector<State> states;
    for (std::size_t i = 0; i < lesson().stops.size(); ++i) {
        go_to(i);
        states.push_back(work_.state());
        for (lessons::Problem& problem : reader_.problems())
            if (std::ranges::find(found_, problem) == found_.end())
                found_.push_back(std::move(problem));
        describe();
        look_at(i);
        do_tasks(i);
    }
    look_at_lecture();
    expect_the_same(states);
    std::ranges::stable_sort(found_, {}, &lessons::Problem::line);
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return found_;
}

void LessonCheck::look_at(std::size_t number) {
    const lessons::Stop& stop = lesson().stops[number];
    for (const lessons::Spotlight& spotlight : reader_.spotlights())
        if (!ui_.area(spotlight.place)) {
            nowhere_.insert(spotlight.line);
            complain(spotlight.line,
                     "nothing on the screen is called " + in_quotes(spotlight.place) + ".");
        } else if (!screens::lit_place(ui_, spotlight.place, {0, 0, kWidth, kHeight}))
            complain(spotlight.line, in_quotes(spotlight.place) + " is out of sight.");
    for (std::size_t i = 0; i < stop.blocks.size(); ++i)
        if (reader_.done(i))
            complain(stop.blocks[i].line, "the task is already done at the start.");
    look_at_blocks(stop);
}

// What is pointed at is there for the last row, too.
void LessonCheck::look_at_lecture() {
    (void)work_.apply(command("set", "lecture", "on"));
    for (std::size_t i = 0; i < lesson().stops.size(); ++i) {
        go_to(i);
        if (reader_.spotlights().empty()) continue;
        describe();
        for (const lessons::Spotlight& spotlight : reader_.spotlights())
            if (!nowhere_.contains(spotlight.line) &&
                !screens::lit_place(ui_, spotlight.place, {0, 0, kWidth, kHeight}))
                complain(spotlight.line,
                         in_quotes(spotlight.place) + " is out of sight in lecture view.");
    }
    (void)work_.apply(command("set", "lecture", "off"));
    settle();
}

void LessonCheck::look_at_blocks(const lessons::Stop& stop) {
    for (const lessons::Block& block : stop.blocks) {
        for (const lessons::Prose* prose : lessons::proses_of(block)) look_at(*prose);
        if (const auto* picture = std::get_if<lessons::Picture>(&block.what);
            picture != nullptr && !reader_.picture(picture->file))
            complain(block.line,
                     "there is no picture " + in_quotes(picture->file) + " that can be read.");
        const auto* task = std::get_if<lessons::Task>(&block.what);
        if (task == nullptr) continue;
        const auto* until = reader_.measured(task->until);
        if (until != nullptr && until->value && !std::holds_alternative<bool>(*until->value))
            complain(block.line, "expected a condition after \"until:\", found " +
                                     in_quotes(task->until) + ".");
        for (const std::string& name : task->with)
            if (find_field(name) == nullptr)
                complain(block.line, "there is no field " + in_quotes(name) + ".");
    }
}

void LessonCheck::look_at(const lessons::Prose& prose) {
    for (const lessons::Span& span : prose) {
        if (!span.link.empty()) follow(span);
        const auto* condition = span.condition.empty() ? nullptr : reader_.measured(span.condition);
        if (condition != nullptr && condition->value &&
            !std::holds_alternative<bool>(*condition->value))
            complain(span.line,
                     "expected a condition after \"if\", found " + in_quotes(span.condition) + ".");
    }
}

// What a command does is tried; the next stop begins anew.
void LessonCheck::follow(const lessons::Span& span) {
    try {
        const lessons::Link link = lessons::parse_link(span.link);
        if (link.kind == lessons::LinkKind::symbol) {
            const auto tensor = screens::tensor_named(link.to);
            if (!tensor || !work_.trace()->has(*tensor))
                complain(span.line, "there is no matrix " + in_quotes(link.to) + " here.");
        } else if (link.kind == lessons::LinkKind::lesson) {
            const auto folder = std::filesystem::path(reader_.file()).parent_path();
            if (!is_file(folder / link.to))
                complain(span.line, "there is no lesson " + in_quotes(link.to) + ".");
        } else if (link.kind == lessons::LinkKind::command) {
            work_.command_table().obey(reader_.checked(parse_command(link.to)));
            settle();
        }
    } catch (const CommandError& error) {
        complain(span.line, error.what());
    }
}

// A task that cannot be done would stop a course. Each begins with the stop as it is set up.
void LessonCheck::do_tasks(std::size_t stop) {
    const auto& blocks = lesson().stops[stop].blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto* task = std::get_if<lessons::Task>(&blocks[i].what);
        if (task == nullptr) continue;
        if (task->solution.empty()) {
            complain(
                blocks[i].line,
                "a task says how it can be done, in a line \"solution: COMMAND\"; found none.");
            continue;
        }
        go_to(stop);
        work_.command_table().obey(
            command("lesson-solve", std::to_string(lessons::number_in(lesson().stops[stop], i))));
        settle();
        describe();
        for (const lessons::Problem& problem : reader_.problems())
            if (std::ranges::find(found_, problem) == found_.end()) found_.push_back(problem);
        if (!reader_.done(i)) complain(blocks[i].line, "its solution does not do the task.");
    }
}

void LessonCheck::expect_the_same(const std::vector<State>& states) {
    for (std::size_t i = states.size(); i-- > 0;) {
        go_to(i);
        if (!same_choices(work_.state(), states[i]))
            complain(lesson().stops[i].line,
                     "this stop is different when you come back from the next one.");
    }
}

}  // namespace headlight::platform
