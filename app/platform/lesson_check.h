#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include "platform/offscreen_lesson.h"

namespace headlight::platform {

// A lesson gone through by nobody: `headlight lesson check`. Describes every screen and paints
// none, so it needs no display.
class LessonCheck {
  public:
    explicit LessonCheck(const std::filesystem::path& file);  // throws CommandError

    // All that is wrong, by line: what the file itself says, commands that are refused, values and
    // conditions that cannot be computed, links that lead nowhere, call-outs on what is not on the
    // screen, tasks that are done before anything was tried or that their solution does not do,
    // pictures that cannot be read, and stops that are others when they are entered from elsewhere.
    std::vector<lessons::Problem> problems();

    [[nodiscard]] const lessons::Lesson& lesson() const { return at_.lesson(); }

  private:
    void take_problems();  // of the stop, as far as they are new
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
    std::set<int> nowhere_;  // lines that point at nothing, which is said
};

}  // namespace headlight::platform
