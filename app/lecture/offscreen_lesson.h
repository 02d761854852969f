#pragma once

#include <filesystem>
#include <string>

#include "lessons/reader.h"
#include "platform/no_window.h"
#include "ui/drawn.h"
#include "window/content.h"

namespace headlight::app {

// Runs a lesson without a window. Screens are built but not painted, so it needs no display.
class OffscreenLesson {
  public:
    // Throws CommandError if there is no such lesson.
    explicit OffscreenLesson(const std::filesystem::path& file);

    void go_to(std::size_t stop);  // from 0
    // Waits until all computations are done. Throws CommandError after two minutes.
    void settle();
    // Draws the current screen into `recording` and `ui`, including everything that is computed on
    // demand. Throws CommandError after two minutes.
    void describe();

    static constexpr ui::Rect kWindow{0, 0, 1600, 1000};  // size of the virtual window, in pixels

    [[nodiscard]] const ui::Context& ui() const { return ui_; }
    [[nodiscard]] const ui::Recording& recording() const { return recording_; }
    [[nodiscard]] Workspace& work() { return work_; }
    [[nodiscard]] lessons::Reader& reader() { return reader_; }
    [[nodiscard]] const lessons::Lesson& lesson() const { return *reader_.lesson(); }

  private:
    void draw();  // draws one frame

    NoWindow gui_;
    ui::Recording recording_;
    ui::Context ui_;
    Workspace work_;
    lessons::Reader reader_;
    screens::Content content_;
};

}  // namespace headlight::app
