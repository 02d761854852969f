#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include "lecture/offscreen_lesson.h"

namespace headlight::app {

// `headlight lesson check`: runs a lesson automatically. Builds every screen without painting it,
// so it needs no display.
class LessonCheck {
  public:
    explicit LessonCheck(const std::filesystem::path& file);  // throws CommandError

    // All problems, by line: errors in the file, refused commands, values and conditions that
    // cannot be evaluated, broken links, callouts on widgets that are not on the screen, tasks that
    // are done from the start or not solved by their solution, unreadable pictures, and stops that
    // look different when entered from elsewhere.
    std::vector<lessons::Problem> problems();

    [[nodiscard]] const lessons::Lesson& lesson() const { return at_.lesson(); }

  private:
    void take_problems();  // of the stop, without duplicates
    void look_at(std::size_t stop);
    void look_at_lecture();
    void look_at_blocks(const lessons::Stop& stop);
    void look_at(const lessons::Prose& prose);
    void follow(const lessons::Span& span);
    void do_tasks(std::size_t stop);
    void expect_the_same(const std::vector<State>& states);
    void complain(int line, std::string reason) { found_.push_back({line, std::move(reason)}); }

    OffscreenLesson at_;
    std::vector<lessons::Problem> found_;
    std::set<int> nowhere_;  // lines already reported for a missing target
};

}  // namespace headlight::app
