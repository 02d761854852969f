#pragma once

#include <filesystem>
#include <string>

#include "lessons/reader.h"
#include "platform/headless.h"
#include "ui/drawn.h"
#include "window/content.h"

namespace headlight::platform {

// A lesson read without a window: every screen is described, and none is painted, so that it needs
// no display.
class OffscreenLesson {
  public:
    // Throws CommandError where there is no such lesson.
    explicit OffscreenLesson(const std::filesystem::path& file);

    void go_to(std::size_t stop);  // from 0
    // Until nothing is computed. Throws CommandError after two minutes.
    void settle();
    // Draws the present screen into `recording` and `ui`, with all that is only made or computed
    // when it is asked for. Throws CommandError after two minutes.
    void describe();

    static constexpr ui::Rect kWindow{0, 0, 1600, 1000};  // that is described, in pixels

    [[nodiscard]] const ui::Context& ui() const { return ui_; }
    [[nodiscard]] const ui::Recording& recording() const { return recording_; }
    [[nodiscard]] Workspace& work() { return work_; }
    [[nodiscard]] lessons::Reader& reader() { return reader_; }
    [[nodiscard]] const lessons::Lesson& lesson() const { return *reader_.lesson(); }

  private:
    void draw();  // a frame

    NoWindow gui_;
    ui::Recording recording_;
    ui::Context ui_;
    Workspace work_;
    lessons::Reader reader_;
    screens::Content content_;
};

}  // namespace headlight::platform
